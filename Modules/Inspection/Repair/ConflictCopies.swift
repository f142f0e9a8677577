import ChangeTracking
import Crypto
import SyncProtocol

/// Finds out which copies under foreign names are what belongs under the name of the original: replicators rename what they are about to
/// replace, and a person who sees the copy cannot tell.
///
/// Long values are not among them: only the sets that mention one tell its hash, so the verification looks at their copies.
struct ConflictCopies {
  let inspector: RemoteInspector
  let applications: [ApplicationReader]
  private let documents: [RemotePath: DocumentReader]

  init(_ inspector: RemoteInspector, _ applications: [ApplicationReader]) {
    self.inspector = inspector
    self.applications = applications
    documents = Dictionary(applications.flatMap(\.documents).map { ($0.hierarchy.root, $0) }) { first, _ in
      first
    }
  }

  /// Those of some copies whose content is proven, and of those that could not be read, why.
  ///
  /// - Parameter copies: where they lie, with the places of their originals.
  /// - Throws: ``InspectionError`` if this device fails.
  func whole(
    _ copies: [(copy: RemotePath, original: RemotePath)]
  ) async throws(InspectionError) -> (whole: Set<RemotePath>, unread: [RemotePath: String]) {
    var whole: Set<RemotePath> = []
    var unread: [RemotePath: String] = [:]
    for (copy, original) in copies where !Task.isCancelled {
      do {
        if try await isWhole(copy, of: original) { whole.insert(copy) }
      } catch {
        if let failure = InspectionError(ofThisDevice: error) { throw failure }
        unread[copy] = Self.reason(error)
      }
    }
    return (whole, unread)
  }

  /// Why storage has not delivered a copy; `nil` if it has, and the copy is none.
  private static func reason(_ error: any Error) -> String? {
    let failure =
      switch error {
      case ReadingFailure.storage(let failure): failure
      default: error as? BackendError
      }
    guard let failure, ![.tooLarge, .isADirectory].contains(failure.code) else { return nil }
    return failure.description
  }

  private func isWhole(_ copy: RemotePath, of original: RemotePath) async throws -> Bool {
    switch FileRole(path: original.names, kind: .file) {
    case .set(let name, _):
      let limit = min(inspector.sizeLimit, SetLimits.fileSize)
      return ContentHash(of: try await inspector.backend.download(copy, limit: limit)) == name.hash
    case .founding(let name): return try await isFounding(name, copy, of: original)
    case .head(let name):
      return try await isGenuine(name, copy, original) { document in
        _ = try await document.read(name)
      }
    case .supersession(let name):
      return try await isGenuine(name, copy, original) { document in try await document.check(name) }
    case .floor(let name):
      return try await isGenuine(name, copy, original) { document in
        _ = try await document.read(name)
      }
    case .removal(let name):
      return try await isGenuine(name, copy, original) { document in
        _ = try await document.read(name)
      }
    case .deviceName(let name):
      return try await isGenuine(name, copy, original) { document in
        _ = try await document.read(name)
      }
    case .wholeStore(let name): return try await isWholeStore(name, copy, original)
    case .acceptance(let name):
      let text = Array(name.name.description.utf8)
      guard let document = document(of: original),
        document.hierarchy.isGenuine(name, try NameAuthenticator(keys: document.application.keys.ring))
      else { return false }
      return try await inspector.backend.download(copy, limit: text.count) == text
    case .documentInformation:
      guard var document = document(of: original) else { return false }
      document.application.copies[original] = copy
      return try await document.information().identifier == document.hierarchy.document.description
    case .deviceInformation(let client):
      guard
        var application = applications.first(where: { original.names.starts(with: $0.hierarchy.root.names) })
      else { return false }
      application.copies[original] = copy
      return try await application.deviceInformation(original, of: client).identifier == client
    default: return false
    }
  }

  private func document(of path: RemotePath) -> DocumentReader? {
    path.names.count > 3 ? documents[RemotePath(Array(path.names.prefix(3)))] : nil
  }

  /// Whether a member has written the name of a whole store, which tells the hash of its file.
  private func isWholeStore(
    _ name: WholeStoreName, _ copy: RemotePath, _ original: RemotePath
  ) async throws -> Bool {
    guard let document = document(of: original), document.isGenuine(name) == true,
      try await inspector.backend.stat(copy).size.map({ $0 <= name.size.greatest }) ?? true
    else { return false }
    let scratch = try ScratchFolder.temporary()
    let file = scratch.file("copy")
    try await inspector.backend.download(copy, toFile: file)
    return try LocalFile.hash(of: file) == name.hash
  }

  /// Whether a member has written the name of the original, and the copy is read under it.
  private func isGenuine(
    _ name: some CodedName, _ copy: RemotePath, _ original: RemotePath,
    _ read: (DocumentReader) async throws -> Void
  ) async throws -> Bool {
    guard var document = document(of: original), document.isGenuine(name) == true else { return false }
    document.application.copies[original] = copy
    try await read(document)
    return true
  }

  private func isFounding(
    _ name: FoundingName, _ copy: RemotePath, of original: RemotePath
  ) async throws -> Bool {
    guard
      let application = applications.first(where: {
        original.names.starts(with: $0.hierarchy.root.names) && !$0.isLocked
      })
    else { return false }
    let names = try NameAuthenticator(keys: application.keys.ring)
    let isGenuine =
      original.parent == application.hierarchy.founding
      ? application.hierarchy.isGenuine(name, names)
      : document(of: original)?.hierarchy.isGenuine(name, names) ?? false
    guard isGenuine else { return false }
    let bytes = try await application.bytes(at: copy, limit: FoundingRecord.sizeLimit)
    let record = try FoundingRecord(bytes, keys: application.keys.ring)
    return record.integrityKey == name.integrityKey && record.key == name.key
  }
}
