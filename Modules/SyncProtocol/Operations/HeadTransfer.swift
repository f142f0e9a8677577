import ChangeTracking

/// Lists, publishes and removes heads.
struct HeadTransfer: Sendable {
  let backend: any SyncBackend
  let hierarchy: DocumentHierarchy
  let protection: DocumentProtection

  /// What is new from everybody, by one request; `nil` if the document is not there.
  func list() async throws(BackendError) -> Listing? {
    guard let found = try await backend.listIfPresent(hierarchy.recentSyncs, limit: Self.entryLimit) else {
      return nil
    }
    return Listing(listing: found.listing, isCut: found.isCut)
  }

  /// What members of the document have written there; nothing if the document is not there.
  func genuine() async throws(BackendError) -> HeadListing {
    let found = try await list() ?? Listing()
    return protection.heads(found.listing, isCut: found.isCut)
  }

  /// What lies there, whoever wrote it.
  struct Listing {
    var listing = RemoteListing()
    /// Whether there is more in the folder than was looked at.
    var isCut = false
  }

  /// How many entries of the folder are looked at, about.
  static let entryLimit = 20_000

  /// The content of a head.
  ///
  /// - Throws: ``SyncError`` or ``FormatError`` if it is not what its author wrote.
  func read(_ name: HeadName) async throws -> Head {
    let bytes = try await backend.download(hierarchy.file(of: name), limit: HeadCodec.sizeLimit)
    return try HeadCodec.decode(try protection.open(bytes, as: .head(name)), named: name)
  }

  /// Makes a head visible to everybody.
  func publish(_ head: Head) async throws {
    let bytes = try protection.seal(HeadCodec.encode(head), as: .head(head.name))
    try await backend.upload(bytes, to: hierarchy.file(of: head.name))
  }

  /// The content of a statement that sets are superseded; `nil` if its author did not write it.
  ///
  /// - Throws: ``BackendError`` if it cannot be had now.
  func read(_ supersession: Supersession) async throws -> Supersession.Content? {
    do {
      let bytes = try await backend.download(
        hierarchy.file(of: supersession), limit: Supersession.sizeLimit)
      return try Supersession.Content(try protection.open(bytes, as: .supersession(supersession)))
    } catch let error as BackendError where error.code.isTransient || error.code == .cancelled {
      throw error
    } catch {
      return nil
    }
  }

  /// Publishes which sets are superseded.
  func publish(_ supersession: Supersession, _ content: [UInt8]) async throws {
    let bytes = try protection.seal(content, as: .supersession(supersession))
    try await backend.upload(bytes, to: hierarchy.file(of: supersession))
  }

  /// The content of a floor, verified; `nil` if it is not what its author wrote.
  ///
  /// - Throws: ``BackendError`` if it cannot be had now.
  func read(_ floor: HistoryFloor) async throws -> [UInt8]? {
    do {
      let bytes = try await backend.download(hierarchy.file(of: floor), limit: HistoryFloor.sizeLimit)
      let content = try protection.open(bytes, as: .floor(floor))
      _ = try floor.content(content)
      return content
    } catch let error as BackendError where error.code.isTransient || error.code == .cancelled {
      throw error
    } catch {
      return nil
    }
  }

  /// Publishes a floor of the history.
  func publish(
    _ floor: VersionVector, _ phase: HistoryFloor.Phase, by author: AuthorID
  ) async throws {
    let content = HistoryFloor.bytes(floor)
    let name = protection.floor(author: author, phase, content, total: floor.total)
    try await backend.upload(
      try protection.seal(content, as: .floor(name)), to: hierarchy.file(of: name))
  }

  /// Names a set that no head leads to.
  func publish(_ mention: Mention) async throws {
    try await backend.upload([], to: hierarchy.file(of: mention))
  }

  /// Removes mentions that nobody needs any more. What fails is left lying there.
  func remove(_ mentions: [Mention], _ listing: inout HeadListing) async {
    for mention in mentions { try? await backend.remove(hierarchy.file(of: mention)) }
    listing.mention(nil, without: Set(mentions))
  }

  /// Removes heads that a newer one has replaced. What fails is left to the next time.
  func remove(_ names: [HeadName]) async {
    for name in names { try? await backend.remove(hierarchy.file(of: name)) }
  }
}
