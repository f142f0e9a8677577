import ChangeTracking
import Crypto

/// Removing a device from the document, and what a device does that was removed.
///
/// One file says it all (``RemovalName``). The listing that everybody makes anyway tells of it: the device that is meant stops, and the
/// others count its head no more among those that a vacuum waits for. Its sets are in effect like all others.
extension DocumentSyncManager {
  /// Removes a device from the document: nobody waits for it any more. What it has sent stays in effect.
  ///
  /// The device is told when it synchronises next (`deviceRemoved`), keeps what it holds and what it has not sent, and may come back by
  /// ``rejoin(_:)``. It has the key still: if it is in the hands of somebody else, change the password and replace the key
  /// (``ApplicationSyncManager/replaceKeys(password:)``).
  ///
  /// A device whose heads bear a key that is gone with it can be removed as well, though it is not listed: then nobody is told of them any more.
  ///
  /// - Parameters:
  ///   - author: one of the device's authors (``devices()``), or of the names of heads that nobody known has written. Of this device's own
  ///     client it is removed alone, for it was left behind by a former store or a copy of it.
  ///   - includesOthersOfClient: whether all authors of its client are removed; without it the device goes on if it writes under another one.
  /// - Returns: the devices that were removed.
  /// - Throws: ``SyncError`` with `noSuchDevice`, `notRegistered`, `deviceRemoved`, `documentNotFound`, `keyMissing`, `storage`, `store` or
  ///   `cancelled`. Repeating it completes what was interrupted.
  @discardableResult
  public func removeDevice(
    _ author: AuthorID, includingOthersOfClient includesOthersOfClient: Bool = true
  ) async throws(SyncError) -> [RemoteDocument.Device] {
    try await exclusively {
      let document = try await documentOfStore()
      let heads = heads(try await protection())
      let listing = try await heads.genuine()
      try await learnRemovals(listing, heads, again: false)
      try await requireMembership(heads)
      let devices = try await devices(of: document)
      let own = try replica.author
      guard author != own else { throw SyncError.removingItself }
      guard let device = devices.first(where: { $0.author == author }) ?? listing.strangeDevice(author) else {
        throw SyncError.noSuchDevice("\(author)", in: hierarchy)
      }
      let isOwnClient = device.client == configuration.client.description
      let removed =
        device.client == nil || isOwnClient || !includesOthersOfClient
        ? [device] : devices.filter { $0.client == device.client && $0.author != own }
      try await document.remove(removed)
      try await learnRemovals(try await heads.genuine(), heads, again: false)
      return removed
    }
  }

  // MARK: What others have said

  /// Reads the notes of removals that are listed and were not read before.
  ///
  /// With encryption only a member can have written one, so it is remembered whatever becomes of it. Without, it holds as long as it lies there.
  /// - Parameter again: whether to read those again that could not be read.
  func learnRemovals(_ listing: HeadListing, _ heads: HeadTransfer, again: Bool) async throws {
    let known = try pins.removals
    let listed = Set(listing.removals)
    let isKept = heads.protection.keys != nil || listing.isCut
    let gone = isKept ? [] : Set(known.keys).subtracting(listed)
    let own = try replica.author
    let room = RegistrationPins.removalLimit - known.count + gone.count
    let new = listed.filter { name in
      // That of this device is read whatever else lies there.
      guard let bytes = known[name] else { return true }
      return again && bytes.isEmpty
    }.sorted { ($0.author != own ? 1 : 0, $0) < ($1.author != own ? 1 : 0, $1) }
    var read: [RemovalName: [UInt8]] = [:]
    for name in new.prefix(max(min(room, Self.answerLimit), 1)) {
      if room <= 0, name.author != own { break }
      read[name] = try await heads.read(name) ?? []
    }
    try pins.note(read, forgetting: gone)
  }

  /// Stops a device that was removed.
  func requireMembership(_ heads: HeadTransfer) async throws {
    guard let removal = try ownRemoval(heads) else { return }
    throw SyncError.removed(removal, hierarchy, isEncrypted: heads.protection.keys != nil)
  }

  /// Whether what is known of removals says that this device was removed.
  var isRemoved: Bool {
    get throws {
      let own = try replica.author
      return try pins.removals.keys.contains { $0.author == own }
    }
  }

  private func ownRemoval(_ heads: HeadTransfer) throws -> FoundRemoval? {
    let own = try replica.author
    guard let (name, bytes) = try pins.removals.first(where: { $0.key.author == own }) else { return nil }
    return FoundRemoval(name: name, information: try? heads.information(name, bytes))
  }

  /// Writes notes again that storage has lost, where only members can have written them.
  func putBackRemovals(_ listing: HeadListing, _ report: inout SyncReport) async throws {
    guard try pins.isEncrypted == true, !listing.isCut else { return }
    let listed = Set(listing.removals)
    var paths: [String] = []
    for (name, bytes) in try pins.removals.sorted(by: { $0.key < $1.key }).prefix(Self.answerLimit)
    where !bytes.isEmpty && !listed.contains(name) {
      let path = hierarchy.file(of: name)
      if try await putBack((path, bytes), &report) { paths.append(path.description) }
    }
    if !paths.isEmpty { report.findings.append(.putBack(paths: paths)) }
  }

  /// Those of some authors that were not removed.
  func membersAmong(_ authors: [AuthorID]) throws -> [AuthorID] {
    let removed = try pins.removedAuthors
    return removed.isEmpty ? authors : authors.filter { !removed.contains($0) }
  }

  // MARK: Coming back

  /// Goes on as a new author if this device was removed: nothing that was said of the former one is about it then.
  ///
  /// - Returns: the former author; `nil` if this device was not removed.
  func comeBackIfRemoved() async throws -> AuthorID? {
    try requireRegistration()
    let heads = heads(try await protection())
    try await learnRemovals(try await heads.genuine(), heads, again: false)
    guard try ownRemoval(heads) != nil else { return nil }
    // Whoever removes a device from all documents takes away what describes it.
    try await describeDevice()
    let former = try replica.author
    try replica.beginNewIncarnation()
    return former
  }
}

/// A note that a device was removed, with what it says.
struct FoundRemoval: Hashable, Sendable {
  var name: RemovalName
  /// `nil` if that cannot be read.
  var information: RemovalInformation?
}

extension HeadListing {
  /// An author of whom nothing is there but heads that nobody known has written.
  fileprivate func strangeDevice(_ author: AuthorID) -> RemoteDocument.Device? {
    unverified.compactMap { HeadName($0) }.filter { $0.author == author }.max().map { head in
      RemoteDocument.Device(
        author: author, client: nil, name: nil, pushed: head.sequence, seen: head.seen, lastSeen: nil,
        vector: nil)
    }
  }
}
