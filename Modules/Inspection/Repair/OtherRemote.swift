import ChangeTracking
import Crypto
import SyncProtocol

/// Another copy of a remote, from which files are put back that this one lacks.
struct OtherRemote: Sendable {
  /// The files that are whole there, as far as a verification tells.
  private let whole: Set<RemotePath>
  /// The same by the folders in which they lie.
  private let folders: [RemotePath: [RemotePath]]
  /// Of each document, the newest whole heads.
  private let heads: [RemotePath: [AuthorID: HeadName]]
  /// What the whole stores contain that open.
  private let stores: [RemotePath: VersionVector]
  /// Long values that no set there mentions.
  private let unusedValues: Set<String>
  /// Its applications that can be joined.
  let joinable: [ApplicationHierarchy]
  /// The genuine foundings of its documents.
  private let foundings: [RemotePath: Set<IntegrityKey>]
  /// The foundings of its applications, by their names.
  private let applications: [RemotePath: Set<IntegrityKey>]

  /// Of each of its applications, the keys that devices have put in the place of others.
  private let replacingKeys: [RemotePath: Set<KeyIdentifier>]
  /// The keys in whose place these came.
  private let replacedKeys: [RemotePath: Set<KeyIdentifier>]
  /// Of each of its applications, the keys that are at hand there.
  private let keys: [RemotePath: [MasterKey]]
  /// The devices that are registered with its applications.
  private let clients: [RemotePath: Set<String>]

  /// Its applications that the password does not open.
  let locked: Set<RemotePath>
  /// How many files are damaged there.
  let damaged: Int

  /// Looks at all of it.
  ///
  /// - Throws: ``InspectionError`` if it cannot be read.
  init(_ inspector: RemoteInspector) async throws(InspectionError) {
    let (tree, applications) = try await inspector.treeWithApplications()
    let verification = try await inspector.verify(tree, applications, named: "REMOTE", depth: .data)
    let doubtful = Set(
      verification.findings.filter { $0.severity != .hint }.compactMap { RemotePath($0.path) })
    let whole = Set(
      applications.flatMap { application in
        // What is locked was not compared with its name, but for sets.
        application.node.all.filter { node in
          guard let path = node.path, !node.isFolder, node.role != .foreign else { return false }
          if application.isLocked, case .set = node.role { return !doubtful.contains(path) }
          return !application.isLocked && !doubtful.contains(path)
        }.compactMap(\.path)
      })
    self.whole = whole
    locked = Set(applications.filter(\.isLocked).map(\.hierarchy.root))
    damaged =
      Set(verification.findings.filter { $0.severity == .error && $0.code.tellsOfContent }.map(\.path)).count
    folders = Dictionary(grouping: whole.sorted()) { $0.parent ?? .root }
    heads = Dictionary(
      applications.flatMap(\.documents).map { document in
        let heads = document.newestHeads.filter { whole.contains(document.hierarchy.file(of: $0.value)) }
        return (document.hierarchy.root, heads)
      }
    ) { first, _ in first }
    stores = verification.storeContents
    unusedValues = Set(verification.findings.filter { $0.code == .unusedValue }.map(\.path))
    joinable = applications.map(\.hierarchy).filter { hierarchy in
      whole.contains { $0.parent == hierarchy.founding }
    }
    self.applications = Dictionary(
      applications.map { ($0.hierarchy.root, Set($0.foundingNames.map(\.integrityKey))) }
    ) { first, _ in first }
    replacingKeys = Dictionary(applications.map { ($0.hierarchy.root, $0.replacingKeys) }) { first, _ in first
    }
    replacedKeys = Dictionary(applications.map { ($0.hierarchy.root, $0.replacedKeys) }) { first, _ in first }
    keys = Dictionary(applications.map { ($0.hierarchy.root, $0.keys.ring?.all ?? []) }) { first, _ in first }
    clients = Dictionary(applications.map { ($0.hierarchy.root, $0.clients) }) { first, _ in first }
    foundings = Dictionary(
      applications.flatMap(\.documents).map { ($0.hierarchy.root, Set($0.foundings)) }
    ) { first, _ in first }
  }

  /// Whether a file is there and whole.
  func has(_ path: RemotePath) -> Bool { whole.contains(path) }

  /// The whole files that lie directly in a folder, in order.
  func files(in folder: RemotePath) -> [RemotePath] { folders[folder] ?? [] }

  /// The whole files below a folder, however deep, in order.
  func files(below folder: RemotePath) -> [RemotePath] {
    whole.filter { $0.names.count > folder.names.count && $0.names.starts(with: folder.names) }.sorted()
  }

  /// The documents of an application that can be joined there, in order.
  func documents(
    of application: ApplicationHierarchy
  ) -> [(root: RemotePath, foundings: Set<IntegrityKey>)] {
    foundings.filter { $0.key.parent == application.documents && !$0.value.isEmpty }
      .map { (root: $0.key, foundings: $0.value) }.sorted { $0.root < $1.root }
  }

  /// Whether the application's part there is the one here, and not another of the same name.
  func isSame(_ application: ApplicationReader) -> Bool {
    let own = Set(application.foundingNames.map(\.integrityKey))
    guard own.isEmpty else { return !own.isDisjoint(with: applications[application.hierarchy.root] ?? []) }
    // Where the records are lost, the devices tell: those that are registered here are registered on every copy that is not too old.
    let clients = application.clients
    return clients.isEmpty || !clients.isDisjoint(with: self.clients[application.hierarchy.root] ?? [])
  }

  /// The keys that came in the place of an application's others.
  func replacingKeys(of application: ApplicationReader) -> Set<KeyIdentifier> {
    replacingKeys[application.hierarchy.root] ?? []
  }

  /// The keys of an application in whose place others came.
  func replacedKeys(of application: ApplicationReader) -> Set<KeyIdentifier> {
    replacedKeys[application.hierarchy.root] ?? []
  }

  /// The keys of an application that are at hand there.
  func keys(of application: ApplicationReader) -> [MasterKey] { keys[application.hierarchy.root] ?? [] }

  /// The sets of an author's folder, by their names.
  func sets(in folder: RemotePath) -> [SetName] {
    files(in: folder).compactMap { $0.name.flatMap { SetName($0) } }.sorted()
  }

  /// The newest whole head of each author of a document.
  func heads(of document: DocumentReader) -> [AuthorID: HeadName] { heads[document.hierarchy.root] ?? [:] }

  /// The whole long values of a document that sets mention there.
  func usedValues(of document: DocumentReader) -> [RemotePath] {
    files(in: document.hierarchy.longValues).filter { !unusedValues.contains("\($0)") }
  }

  /// The newest whole store that contains some sets; without one, that which contains most.
  func store(
    of document: DocumentReader, for sets: VersionVector
  ) -> (path: RemotePath, contents: VersionVector)? {
    let all = stores.filter { $0.key.parent == document.hierarchy.wholeStore && has($0.key) }
      .map { (path: $0.key, contents: $0.value) }.sorted {
        ($0.contents.total, $0.path) < ($1.contents.total, $1.path)
      }
    return all.last { $0.contents.covers(sets) } ?? all.last
  }

  /// Whether the document there is the one here, and not another of the same name.
  func isSame(_ document: DocumentReader) -> Bool {
    let own = Set(document.foundings)
    return own.isEmpty || !own.isDisjoint(with: foundings[document.hierarchy.root] ?? [])
  }
}
