import Crypto

/// Writes down that a document was deleted, and finds that out.
///
/// The file is written before anything is removed: whoever comes upon what is left then knows that it is to go, and puts nothing of it
/// back.
struct DocumentDeletion {
  let backend: any SyncBackend
  let hierarchy: DocumentHierarchy
  let files: any FileProtection
  let names: NameAuthenticator

  init(backend: any SyncBackend, hierarchy: DocumentHierarchy, keys: KeyRing?) throws(CryptoError) {
    self.backend = backend
    self.hierarchy = hierarchy
    files = fileProtection(with: keys)
    names = try NameAuthenticator(keys: keys)
  }

  /// The foundings of this document that were deleted.
  func list() async throws(BackendError) -> [DeletionName] {
    let listing = try await backend.listIfPresent(hierarchy.application.deletedDocuments)
    return (listing?.names ?? []).compactMap { DeletionName($0) }
      .filter { names.verifies($0.code, hierarchy.statement(deleted: $0.founding)) }.sorted()
  }

  /// Whether a founding was deleted, and what its note says of that; `nil` if there is no note.
  func find(_ founding: IntegrityKey) async throws -> FoundDeletion? {
    guard let name = try await list().first(where: { $0.founding == founding }) else { return nil }
    return FoundDeletion(name: name, information: await information(name))
  }

  private func context(_ founding: IntegrityKey) -> SealedContext {
    SealedContext(role: .deletion, identity: hierarchy.identity(ofDeleted: founding))
  }

  /// Writes down that a founding was deleted.
  func write(_ founding: IntegrityKey, _ information: DeletionInformation) async throws {
    let name = DeletionName(founding, code: names.code(hierarchy.statement(deleted: founding)))
    try await write(name, information)
  }

  /// Puts back a note that storage has lost.
  func putBack(_ deletion: FoundDeletion) async throws {
    let unknown = DeletionInformation(
      document: hierarchy.document.description, description: "", deviceName: "", time: 0)
    try await write(deletion.name, deletion.information ?? unknown)
  }

  private func write(_ name: DeletionName, _ information: DeletionInformation) async throws {
    let bytes = try files.seal(information.bytes, as: context(name.founding))
    try await backend.makeFolder(hierarchy.application.information)
    try await backend.makeFolder(hierarchy.application.deletedDocuments)
    _ = try await backend.createUnlessPresent(bytes, at: hierarchy.application.file(of: name))
  }

  /// Who deleted a founding, and when; `nil` if that cannot be read.
  func information(_ name: DeletionName) async -> DeletionInformation? {
    guard
      let bytes = try? await backend.download(
        hierarchy.application.file(of: name), limit: InformationFile.sizeLimit * 2),
      let content = try? files.open(bytes, as: context(name.founding))
    else { return nil }
    return try? DeletionInformation(content)
  }
}

/// A note that a founding was deleted, with what it says.
struct FoundDeletion: Hashable, Sendable {
  var name: DeletionName
  /// `nil` if that cannot be read.
  var information: DeletionInformation?
}

extension SealedContext.Role {
  package static let deletion: Self = "deletion"
}
