import ChangeTracking

/// Lists, publishes and removes heads.
struct HeadTransfer: Sendable {
  let backend: any SyncBackend
  let hierarchy: DocumentHierarchy
  let protection: FileProtection

  /// What is new from everybody, by one request; `nil` if the document is not there.
  func list() async throws(BackendError) -> HeadListing? {
    try await backend.listIfPresent(hierarchy.recentSyncs).map { HeadListing($0) }
  }

  /// The content of a head.
  ///
  /// - Throws: ``SyncError`` or ``FormatError`` if it is not what its author wrote.
  func read(_ name: HeadName) async throws -> Head {
    let bytes = try await backend.download(hierarchy.file(of: name), limit: HeadCodec.sizeLimit)
    return try HeadCodec.decode(
      try protection.open(bytes, as: .head, hierarchy.identity(of: name)), named: name)
  }

  /// Makes a head visible to everybody.
  func publish(_ head: Head) async throws {
    let bytes = try protection.seal(HeadCodec.encode(head), as: .head, hierarchy.identity(of: head.name))
    try await backend.upload(bytes, to: hierarchy.file(of: head.name))
  }

  /// Removes heads that a newer one has replaced. What fails is left to the next time.
  func remove(_ names: [HeadName]) async {
    for name in names { try? await backend.remove(hierarchy.file(of: name)) }
  }
}
