import ChangeTracking
import Crypto
import SyncProtocol

/// Looks at what lies on a remote, without changing anything.
///
/// ```swift
/// let inspector = RemoteInspector(backend: FileManagerBackend(folder: path), password: password)
/// for finding in try await inspector.verify().findings { print(finding.message) }
/// ```
/// Files are read one at a time, so memory is bounded by the largest. A value that may be used from any task.
public struct RemoteInspector: Sendable {
  let backend: any SyncBackend
  let password: String?
  /// Keys that are at hand, instead of a password.
  let keys: KeyRing?
  /// Greatest size in bytes of a file that is read as a whole; larger sets are reported as unreadable.
  let sizeLimit: Int

  /// Inspects the storage behind a back end.
  ///
  /// - Parameters:
  ///   - backend: the storage whose root holds the applications' folders.
  ///   - password: opens encrypted content; without it only names, sizes and hashes are looked at.
  ///   - sizeLimit: greatest size in bytes of a file that is read as a whole: no set is larger.
  public init(backend: any SyncBackend, password: String? = nil, sizeLimit: Int = SetLimits.fileSize) {
    self.backend = backend
    self.password = password
    keys = nil
    self.sizeLimit = sizeLimit
  }

  /// Inspects the storage behind a back end as a device that has joined it.
  ///
  /// - Parameters:
  ///   - backend: the storage whose root holds the applications' folders.
  ///   - keys: those of the device, and with them whatever lies there that they open; `nil` for a remote that is not encrypted.
  ///   - sizeLimit: greatest size in bytes of a file that is read as a whole: no set is larger.
  public init(backend: any SyncBackend, keys: KeyRing?, sizeLimit: Int = SetLimits.fileSize) {
    self.backend = backend
    password = nil
    self.keys = keys
    self.sizeLimit = sizeLimit
  }

  /// The same inspection through another back end.
  init(_ other: RemoteInspector, reading backend: any SyncBackend) {
    self.backend = backend
    (password, keys, sizeLimit) = (other.password, other.keys, other.sizeLimit)
  }

  /// Everything on the remote, with what each file is.
  ///
  /// - Throws: ``InspectionError``.
  public func tree() async throws(InspectionError) -> RemoteNode {
    do {
      return try await RemoteWalk(backend: backend).root()
    } catch {
      throw error.code == .cancelled ? .cancelled : .storage(error)
    }
  }

  /// The applications on the remote, with the keys that open their files.
  ///
  /// - Parameter only: the one that is meant; all without it.
  /// - Throws: ``InspectionError``, with `nothingThere` if there is not one.
  func applications(in tree: RemoteNode, only: String? = nil) async throws(InspectionError)
    -> [ApplicationReader]
  {
    try await requireRoot(tree)
    var readers: [ApplicationReader] = []
    var isPasswordOfOne = false
    var refused: InspectionError?
    for node in tree.children where node.role == .application {
      guard let name = RemoteName(node.name), only == nil || only == node.name else { continue }
      var keys = ApplicationKeys.locked
      var isWrong = false
      do throws(InspectionError) {
        keys = try await ApplicationKeys.open(
          node, password: password, keys: self.keys, backend: backend)
        // Whoever adds a folder of another application hides nothing of this one.
        if case .unlocked = keys { isPasswordOfOne = true }
      } catch {
        switch error {
        case .wrongPassword: break
        case .keyFileRefused, .keyFilesCrowded: refused = refused ?? error
        default: throw error
        }
        isWrong = true
      }
      readers.append(
        ApplicationReader(
          hierarchy: ApplicationHierarchy(application: name), node: node, keys: keys, backend: backend,
          sizeLimit: sizeLimit, isOfAnotherPassword: isWrong))
    }
    let others = readers.filter(\.isOfAnotherPassword)
    if !isPasswordOfOne, !others.isEmpty {
      if let refused { throw refused }
      let lacking = Set(others.flatMap(\.unfiledKeys)).sorted { "\($0)" < "\($1)" }
      throw lacking.isEmpty ? .wrongPassword : .keyFilesLate(lacking)
    }
    guard !readers.isEmpty else {
      let links = await links(in: tree)
      if !links.isEmpty { throw .onlyLinks(links) }
      throw await underOtherName(tree, only: only) ?? .nothingThere
    }
    return readers
  }

  /// The names of links where the folders of applications lie.
  private func links(in tree: RemoteNode) async -> [String] {
    guard let storage = backend.links else { return [] }
    var links: [String] = []
    for node in tree.children.filter({ $0.role == .foreign && $0.path == nil }).prefix(Self.looked) {
      guard let name = RemoteName(node.name) else { continue }
      if case .some(.some) = try? await storage.targetOfLink(at: RemotePath([name])) {
        links.append(node.name)
      }
    }
    return links
  }

  /// Folders that are looked into, in each of two levels.
  private static let looked = 16

  /// Refuses a folder too deep or too high, where everything would be taken for nobody's, and be advised to be removed.
  func requireRoot(_ tree: RemoteNode) async throws(InspectionError) {
    if ApplicationHierarchy.isWithin(tree.folders) { throw .withinHierarchy }
    guard !tree.children.contains(where: { $0.role == .application }) else { return }
    let isDocument = { (node: RemoteNode) in
      Set(node.folders).intersection(DocumentHierarchy.folderNames).count > 1
    }
    if tree.children.contains(where: isDocument) || InnerFolder.isOne(tree) { throw .withinHierarchy }
    for outer in tree.children.prefix(Self.looked) where outer.isFolder {
      for inner in outer.others.prefix(Self.looked) where inner.isFolder {
        // What cannot be listed is no reason to look no further.
        guard let path = inner.path, let listing = try? await backend.list(path) else { continue }
        if ApplicationHierarchy.isWithin(
          listing.entries.filter { $0.kind == .folder }.map(\.name.description))
        {
          throw inner.name == outer.name ? .withinItself(outer.name) : .aroundRemote(outer.name)
        }
      }
    }
  }

  /// Reads every set of every document in the order of documents, authors and sequence numbers, one that also lies in a copy of the document's
  /// folder once.
  ///
  /// - Parameters:
  ///   - whenListed: gets the folders that were not listed, so that sets in them are missing, or it is not known who made some; called once,
  ///     before the first set.
  ///   - whenRead: gets the same with what shows only once all sets are read: sets in whose place those of another copy of a store lie;
  ///     called once, at the end.
  ///   - body: gets each set with its place. What it throws ends the reading.
  /// - Throws: ``InspectionError``, or what `whenListed`, `whenRead` or `body` throws.
  public func forEachSet(
    whenListed: (HistoryOmissions) throws -> Void = { _ in },
    whenRead: (HistoryOmissions) throws -> Void = { _ in },
    _ body: (InspectedSet) async throws -> Void
  ) async throws {
    let applications = try await applications(in: tree())
    try requireOpen(applications)
    var omissions = HistoryOmissions(unlisted: applications.flatMap(\.unlistedHistory))
    for document in applications.flatMap(\.documents) { await omissions.add(document) }
    try whenListed(omissions)
    for reader in applications.flatMap(\.documents) {
      let owners = await reader.owners()
      let original = owners.all.flatMap { name in
        reader.application.documents.first { $0.hierarchy.document == name }
      }
      var branches = await MissingBranches(reader)
      // What a copy of a document has, too, is told once.
      for file in reader.sets
      where original?.setsByAuthor[file.author]?.contains(where: { $0.name == file.name }) != true {
        try Task.checkCancellation()
        let result = await reader.result(file)
        if case .success(let set) = result { branches.look(at: set, file) }
        try await body(reader.inspected(file, result, of: owners.all ?? owners.byAuthor[file.author]))
      }
      omissions.add(branches, of: reader)
    }
    try whenRead(omissions)
  }

  /// Refuses applications whose sets cannot be read for want of a key.
  ///
  /// What lies beside those that the password opens, and belongs to another one, holds nobody up.
  func requireOpen(_ applications: [ApplicationReader]) throws(InspectionError) {
    for application in applications where !application.isOfAnotherPassword { try requireOpen(application) }
  }

  /// Refuses to call a document missing where it may lie in a folder that was not listed.
  func requireListedDocuments(_ applications: [ApplicationReader]) throws(InspectionError) {
    for application in applications {
      if let failure = application.unlisted.failure(of: application.hierarchy.documents) {
        throw .storage(failure)
      }
    }
  }

  /// Refuses an application whose files cannot be read for want of a key, and tells why there is none.
  func requireOpen(_ application: ApplicationReader) throws(InspectionError) {
    guard application.isLocked else { return }
    if application.isOfAnotherPassword { throw .wrongPassword }
    if case .unreadable(let name) = application.keys {
      throw .keyFile(unusable: application.hierarchy.encryption.appending(name.name))
    }
    if let failure = application.unlisted.failure(of: application.hierarchy.encryption) {
      throw .storage(failure)
    }
    guard password != nil else { throw .passwordNeeded }
    let lacking = application.unfiledKeys.sorted { "\($0)" < "\($1)" }
    throw lacking.isEmpty ? .passwordNeeded : .keyFilesLate(lacking)
  }

  /// The clients behind the authors, as far as heads tell and can be read.
  ///
  /// - Throws: ``InspectionError``.
  public func clientDescriptions() async throws(InspectionError) -> [AuthorID: String] {
    await clientDescriptions(try await applications(in: tree()))
  }

  func clientDescriptions(_ applications: [ApplicationReader]) async -> [AuthorID: String] {
    var descriptions: [AuthorID: String] = [:]
    for reader in applications.flatMap(\.documents) {
      for head in reader.newestHeads.values {
        descriptions[head.author] = (try? await reader.read(head)).map {
          DeviceName.shown($0.clientDescription)
        }
      }
    }
    return descriptions
  }
}

/// A set as it was found on a remote.
public struct InspectedSet: Sendable {
  /// The document's identifier.
  public let document: String
  /// Who made it.
  public let author: AuthorID
  /// Its file's name.
  public let name: SetName
  /// Where its file lies.
  public let path: RemotePath
  /// Bytes of the file, where the storage says so.
  public let size: Int64?
  /// Its content, or why it cannot be read.
  public let result: Result<ChangeSet, ReadingFailure>
}

extension RemoteNode {
  /// The names of the folders in it.
  fileprivate var folders: [String] { (children + others).filter(\.isFolder).map(\.name) }
}
