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
  /// Greatest size in bytes of a set that is read; larger ones are reported as unreadable.
  let sizeLimit: Int

  /// Inspects the storage behind a back end.
  ///
  /// - Parameters:
  ///   - backend: the storage whose root holds the applications' folders.
  ///   - password: opens encrypted content; without it only names, sizes and hashes are looked at.
  ///   - sizeLimit: greatest size in bytes of a file that is read.
  public init(backend: any SyncBackend, password: String? = nil, sizeLimit: Int = 256 << 20) {
    self.backend = backend
    self.password = password
    self.sizeLimit = sizeLimit
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

  /// The documents on the remote, with the keys that open them.
  ///
  /// - Throws: ``InspectionError``, with `nothingThere` if there is not one application.
  func documents(in tree: RemoteNode) async throws(InspectionError) -> [DocumentReader] {
    let applications = tree.children.filter { $0.role == .application }
    guard !applications.isEmpty else { throw .nothingThere }
    var readers: [DocumentReader] = []
    for application in applications {
      guard let name = RemoteName(application.name) else { continue }
      let keys = try await ApplicationKeys.open(application, password: password, backend: backend)
      let documents = application.all.filter { if case .document = $0.role { true } else { false } }
      for node in documents {
        guard let document = RemoteName(node.name) else { continue }
        let hierarchy = ApplicationHierarchy(application: name).document(document)
        readers.append(
          DocumentReader(
            hierarchy: hierarchy, node: node, keys: keys, backend: backend, sizeLimit: sizeLimit))
      }
    }
    return readers
  }

  /// Reads every set of every document in the order of documents, authors and sequence numbers.
  ///
  /// - Parameter body: gets each set with its place. What it throws ends the reading.
  /// - Throws: ``InspectionError``, or what `body` throws.
  public func forEachSet(_ body: (InspectedSet) async throws -> Void) async throws {
    let readers = try await documents(in: tree())
    if readers.contains(where: { if case .locked = $0.keys { true } else { false } }) {
      throw InspectionError.passwordNeeded
    }
    for reader in readers {
      for file in reader.sets {
        try Task.checkCancellation()
        try await body(
          InspectedSet(
            document: reader.hierarchy.document.description, author: file.author, name: file.name,
            path: file.path, result: await reader.read(file)))
      }
    }
  }

  /// The clients behind the authors, as far as heads tell and can be read.
  ///
  /// - Throws: ``InspectionError``.
  public func clientDescriptions() async throws(InspectionError) -> [AuthorID: String] {
    try await clientDescriptions(in: tree())
  }

  func clientDescriptions(in tree: RemoteNode) async throws(InspectionError) -> [AuthorID: String] {
    var descriptions: [AuthorID: String] = [:]
    for reader in try await documents(in: tree) {
      for head in reader.newestHeads.values {
        if case .success(let content) = await reader.read(head) {
          descriptions[head.author] = content.clientDescription
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
  /// Its content, or why it cannot be read.
  public let result: Result<ChangeSet, ReadingFailure>
}
