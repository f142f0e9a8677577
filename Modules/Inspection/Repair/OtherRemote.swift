import SyncProtocol

/// Another copy of a remote, from which files are put back that this one lacks.
struct OtherRemote: Sendable {
  /// The files that are whole there, as far as a verification tells.
  private let whole: Set<RemotePath>
  /// The genuine foundings of its documents.
  private let foundings: [RemotePath: Set<IntegrityKey>]
  /// The foundings of its applications, by their names.
  private let applications: [RemotePath: Set<IntegrityKey>]

  /// Looks at all of it.
  ///
  /// - Throws: ``InspectionError`` if it cannot be read.
  init(_ inspector: RemoteInspector) async throws(InspectionError) {
    let (tree, applications) = try await inspector.treeWithApplications()
    let verification = try await inspector.verify(tree, applications, named: "REMOTE", depth: .data)
    let doubtful = Set(
      verification.findings.filter { $0.severity != .hint }.compactMap { RemotePath($0.path) })
    whole = Set(
      applications.flatMap { application in
        // What is locked was not compared with its name, but for sets.
        application.node.all.filter { node in
          guard let path = node.path, !node.isFolder, node.role != .foreign else { return false }
          if application.isLocked, case .set = node.role { return !doubtful.contains(path) }
          return !application.isLocked && !doubtful.contains(path)
        }.compactMap(\.path)
      })
    self.applications = Dictionary(
      applications.map { ($0.hierarchy.root, $0.ownFoundings) }
    ) { first, _ in first }
    foundings = Dictionary(
      applications.flatMap(\.documents).map { ($0.hierarchy.root, Set($0.foundings)) }
    ) { first, _ in first }
  }

  /// Whether a file is there and whole.
  func has(_ path: RemotePath) -> Bool { whole.contains(path) }

  /// The whole files that lie directly in a folder, in order.
  func files(in folder: RemotePath) -> [RemotePath] { whole.filter { $0.parent == folder }.sorted() }

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
    let own = application.ownFoundings
    return own.isEmpty || !own.isDisjoint(with: applications[application.hierarchy.root] ?? [])
  }

  /// The sets of an author's folder, by their names.
  func sets(in folder: RemotePath) -> [SetName] {
    whole.filter { $0.parent == folder }.compactMap { $0.name.flatMap { SetName($0) } }.sorted()
  }

  /// Whether the document there is the one here, and not another of the same name.
  func isSame(_ document: DocumentReader) -> Bool {
    let own = Set(document.foundings)
    return own.isEmpty || !own.isDisjoint(with: foundings[document.hierarchy.root] ?? [])
  }
}

extension ApplicationReader {
  /// Who founded the application's part, as far as names tell.
  fileprivate var ownFoundings: Set<IntegrityKey> {
    Set(
      entries.compactMap { node in
        guard case .founding(let name) = node.role, node.path?.parent == hierarchy.founding else {
          return nil
        }
        return name.integrityKey
      })
  }
}
