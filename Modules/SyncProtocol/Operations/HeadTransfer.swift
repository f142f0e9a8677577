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
  func publish(_ head: Head) async throws { try await publish(bytes(of: head), as: head.name) }

  /// Makes a head visible to everybody whose bytes were made before.
  func publish(_ bytes: [UInt8], as name: HeadName) async throws {
    try await backend.upload(bytes, to: hierarchy.file(of: name))
  }

  /// The file of a head. Its length follows from what the head says.
  func bytes(of head: Head) throws -> [UInt8] {
    try protection.seal(HeadCodec.encode(head), as: .head(head.name))
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

  /// The bytes of a note that a device was removed; `nil` if they are not what a member wrote.
  ///
  /// - Throws: ``BackendError`` if they cannot be had now.
  func read(_ removal: RemovalName) async throws -> [UInt8]? {
    do {
      let bytes = try await backend.download(
        hierarchy.file(of: removal), limit: InformationFile.sizeLimit * 2)
      _ = try information(removal, bytes)
      return bytes
    } catch let error as BackendError where !error.isAboutOneFile {
      throw error
    } catch {
      try Task.checkCancellation()
      return nil
    }
  }

  /// What a note that a device was removed says.
  ///
  /// - Throws: ``CryptoError`` or ``FormatError`` if it is not what a member wrote.
  func information(_ removal: RemovalName, _ bytes: [UInt8]) throws -> RemovalInformation {
    try RemovalInformation(try protection.open(bytes, as: .removal(removal)))
  }

  /// A device was removed.
  func publish(_ removal: RemovalName, _ information: RemovalInformation) async throws {
    let bytes = try protection.seal(information.bytes, as: .removal(removal))
    _ = try await backend.createUnlessPresent(bytes, at: hierarchy.file(of: removal))
  }

  /// What a device is called; `nil` if that is not what a member wrote.
  ///
  /// - Throws: ``BackendError`` if it cannot be had now.
  func read(_ name: RenamingName) async throws -> String? {
    do {
      let bytes = try await backend.download(
        hierarchy.file(of: name), limit: InformationFile.sizeLimit * 2)
      return try DeviceInformation(try protection.open(bytes, as: .deviceName(name))).description
    } catch let error as BackendError where !error.isAboutOneFile {
      throw error
    } catch {
      try Task.checkCancellation()
      return nil
    }
  }

  /// What a device is called.
  func publish(_ name: RenamingName, _ information: DeviceInformation) async throws {
    let bytes = try protection.seal(information.bytes, as: .deviceName(name))
    try await backend.upload(bytes, to: hierarchy.file(of: name))
  }

  /// Names a set that no head leads to.
  func publish(_ mention: Mention) async throws {
    try await backend.upload([], to: hierarchy.file(of: mention))
  }

  /// Removes mentions that nobody needs any more. What fails is left lying there.
  func remove(_ mentions: [Mention], _ listing: inout HeadListing) async {
    await remove(mentions.map { hierarchy.file(of: $0) })
    listing.mention(nil, without: Set(mentions))
  }

  /// Removes heads that a newer one has replaced, the newest first. What fails is left to the next time.
  ///
  /// - Returns: whether the storage refuses to remove what this device has written.
  @discardableResult
  func remove(_ names: [HeadName]) async -> Bool {
    await remove(names.sorted(by: >).map { hierarchy.file(of: $0) })
  }

  /// - Returns: whether it is forbidden.
  @discardableResult
  private func remove(_ paths: [RemotePath]) async -> Bool {
    var (failures, isForbidden) = (0, false)
    for path in paths {
      do throws(BackendError) { try await backend.remove(path) } catch {
        guard error.code != .notFound else { continue }
        isForbidden = isForbidden || error.code == .forbidden
        failures += 1
        // Where nothing can be removed, each file would cost a request at each synchronisation, and there would be more each time.
        if failures == Self.removalFailures { break }
      }
    }
    return isForbidden
  }

  /// Removals that may fail before no others are tried.
  private static let removalFailures = 2
}
