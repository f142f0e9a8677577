import ChangeTracking
import UntrustedBytes

/// A device that takes part in a document, or did, with what the others keep for it.
public struct DocumentDevice: Hashable, Sendable {
  /// Whether the others wait for it.
  public enum Presence: Hashable, Sendable {
    /// It takes part, and what it lacks is kept for it.
    case present
    /// It lacks what was removed because whole stores contain it. Nobody waits for it; it takes over a whole store when it synchronises next.
    case absent
    /// Somebody has removed it; who and when, if that can be read.
    case removed(RemovalInformation?)
  }

  /// What is kept on the remote for a device alone, or for it and others.
  public struct Holding: Hashable, Sendable {
    /// Since when this device knows that these sets could go, in milliseconds since 1970.
    public var since: UInt64
    /// How many sets.
    public var sets: Int
    /// How many bytes they have, as far as the storage says.
    public var bytes: Int64
  }

  /// Under which author it writes.
  public var author: AuthorID
  /// Identifier of its client; `nil` where its head cannot be read.
  public var client: String?
  /// What people call it; `nil` where that cannot be read.
  public var name: String?
  /// Whether it is the device that was asked.
  public var isThisDevice: Bool
  /// Whether it bears the client identifier of the device that was asked: what that was before its store was restored, or a copy of its store.
  public var isFormerSelf: Bool
  /// When it published its head, in milliseconds since 1970 by its own clock; `nil` where its head cannot be read.
  public var lastSeen: UInt64?
  /// Its last set.
  public var pushed: UInt64
  /// How many sets of others, of those that are named, it has not merged; `nil` where its head cannot be read.
  public var lacks: UInt64?
  /// Whether the others wait for it.
  public var presence: Presence
  /// What cannot be removed because it has not merged it; `nil` if it holds back nothing that is known here.
  public var holding: Holding?
}

extension DocumentSyncManager {
  /// The devices that take part in the document, and those that did, with what each has and holds back.
  ///
  /// Makes the requests of ``RemoteDocument/devices()`` and, only if something that could go is kept for somebody, one for each author of
  /// such sets. What a device holds back is reckoned from what was announced to go (``vacuum(_:dryRun:_:)``).
  ///
  /// - Throws: ``SyncError`` with `notRegistered`, `documentNotFound`, `keyMissing`, `storage`, `store` or `cancelled`.
  public func devices() async throws(SyncError) -> [DocumentDevice] {
    try await exclusively {
      let document = try await documentOfStore()
      let protection = try await protection()
      let heads = heads(protection)
      let listing = try await heads.genuine()
      try await learnFloors(listing, heads)
      let devices = try await devices(of: document)
      try remember(devices)
      let floors = try pins.floors.filter(\.isReadable)
      let inForce = try floor()
      let removed = try pins.removedAuthors.union(listing.removals.map(\.author))
      var found: [DocumentDevice] = []
      var sizes = SetSizes(
        transfer: SetTransfer(backend: backend, hierarchy: hierarchy, protection: protection))
      let listed = listing.lastSets
      for device in devices {
        var described = try describe(device, listed)
        if device.isRemoved || removed.contains(device.author) {
          described.presence = .removed(device.removal)
        } else if let vector = contents(of: device) {
          if !vector.covers(inForce) {
            described.presence = .absent
          } else {
            described.holding = try await holding(of: vector, floors, above: inForce, &sizes)
          }
        }
        found.append(described)
      }
      return found
    }
  }

  /// Notes what heads say, for ``status()`` and messages.
  private func remember(_ devices: [RemoteDocument.Device]) throws {
    let own = try replica.author
    let known = try pins.deviceNames()
    var names: [AuthorID: String] = [:]
    var vectors: [AuthorID: RegistrationPins.KnownVector] = [:]
    for device in devices where device.author != own {
      let hasRoom = known.count + names.count < RegistrationPins.deviceLimit
      if let name = device.name, known[device.author] == nil, hasRoom { names[device.author] = name }
      if let vector = device.vector, vector.total == device.seen {
        vectors[device.author] = .init(seen: device.seen, vector: vector)
      }
    }
    try pins.setDeviceNames(names)
    try pins.setVectors(vectors)
  }

  /// - Parameter listed: the last set of each author.
  private func describe(_ device: RemoteDocument.Device, _ listed: VersionVector) throws -> DocumentDevice {
    let own = try replica.author
    // Of a vector that names few authors few are looked at: whoever can write here makes thousands of heads.
    let lacks = contents(of: device).map { vector in
      listed.total - vector.held(of: listed, by: device.author)
    }
    return DocumentDevice(
      author: device.author, client: device.client, name: device.name, isThisDevice: device.author == own,
      isFormerSelf: device.author != own && device.client == configuration.client.description,
      lastSeen: device.lastSeen, pushed: device.pushed, lacks: lacks, presence: .present)
  }

  /// Of each author, the last set that a device has; `nil` where its head cannot be read.
  private func contents(of device: RemoteDocument.Device) -> VersionVector? {
    guard var vector = device.vector else { return nil }
    vector[device.author] = max(vector[device.author], device.pushed)
    return vector
  }

  private func holding(
    of vector: VersionVector, _ floors: [RegistrationPins.KnownFloor], above inForce: VersionVector,
    _ sizes: inout SetSizes
  ) async throws -> DocumentDevice.Holding? {
    let held = floors.filter { $0.name.phase == .announced && !vector.covers($0.content) }
    guard let since = held.map(\.since).min() else { return nil }
    let announced = held.map(\.content).reduce(VersionVector()) { $0.union($1) }
    var holding = DocumentDevice.Holding(since: since, sets: 0, bytes: 0)
    for (author, last) in announced.sequences.sorted(by: { $0.key < $1.key }) {
      let first = max(vector[author], inForce[author])
      guard last > first else { continue }
      for (set, size) in try await sizes.of(author) where set.sequence > first && set.sequence <= last {
        holding.sets += 1
        holding.bytes = holding.bytes.saturatingSum(size ?? 0)
      }
    }
    return holding.sets > 0 ? holding : nil
  }
}

extension VersionVector {
  /// How many of the listed sets a device has that holds this, its own among them.
  fileprivate func held(of listed: VersionVector, by author: AuthorID) -> UInt64 {
    var held = intersection(listed)
    held[author] = listed[author]
    return held.total
  }
}

/// The sizes of sets, each author's listed once.
private struct SetSizes {
  let transfer: SetTransfer
  private var known: [AuthorID: [SetName: Int64?]] = [:]

  init(transfer: SetTransfer) { self.transfer = transfer }

  mutating func of(_ author: AuthorID) async throws -> [SetName: Int64?] {
    if let sizes = known[author] { return sizes }
    let sizes = try await transfer.sizes(author)
    known[author] = sizes
    return sizes
  }
}
