import ChangeTracking
import Crypto

/// Where a document stands on this device, as of the last synchronisation. Made without a request.
public struct DocumentStatus: Sendable {
  /// What the last listing of heads said of one author.
  public struct Device: Hashable, Sendable {
    /// The author.
    public var author: AuthorID
    /// Identifier of its client, where it is known: that of an author without sets is not.
    public var client: String?
    /// What a person calls it, where that is known.
    public var name: String?
    /// Whether it is this device.
    public var isThisDevice: Bool
    /// Whether it is this device under another author: as it was before its store was restored, or a copy of its store.
    public var isFormerSelf: Bool
    /// The author's last set on the remote.
    public var pushed: UInt64
    /// Sets of others that the author has applied.
    public var seen: UInt64
    /// Whether the author is known to have applied everything that was on the remote.
    public var hasSeenEverything: Bool
    /// Whether somebody has removed it from the document, so that nobody waits for it.
    public var isRemoved: Bool
    /// Whether its client goes on under another author, and all sets of this one were said again: one device is listed twice where storage
    /// brings former files back.
    public var isSucceeded: Bool
  }

  /// Whether the document was registered.
  public var isRegistered: Bool
  /// Whether the remote is encrypted; `nil` before registration.
  public var isEncrypted: Bool?
  /// Whether this device was told that somebody has deleted the document.
  public var isDeleted: Bool
  /// Whether this device was told that somebody has removed it from the document.
  public var isRemoved: Bool
  /// Local changes and what has been applied.
  public var replica: ReplicaStatus
  /// Everybody who had a head when this device last looked.
  public var devices: [Device]
  /// Authors whose sets this device cannot read on.
  public var blocked: [BlockedAuthor]
  /// Sets that were waited for in vain and are not waited for any more.
  public var givenUp: [GivenUpSet]
  /// Keys that other devices write with and that are not at hand.
  public var missingKeys: [MissingKey]
  /// What else has kept this device from reading all that others write, and stays so until something comes: foundings that are apart, older
  /// keys that are late, heads that nobody known has written.
  public var separations: [SyncFinding]
  /// What devices call themselves, also those without a head now.
  public var names: [AuthorID: String]
  /// What shows nothing yet because its value was too long for a set and could not be had in the last synchronisation.
  public var awaited: [AwaitedValue]
  /// What lay in the way of the last synchronisation.
  public var obstructions: [Obstruction]
  /// Devices that cannot read what this one wrote, and ask for it.
  public var asking: [AskingDevice]
  /// When the last synchronisation was completed, in milliseconds since 1970.
  public var lastSync: UInt64?
  /// Why none was completed since; `nil` if the last attempt was, or ended for a reason that passes.
  public var failure: SyncFailure?

  /// What is known of authors beside their heads.
  struct Known {
    var clients: [AuthorID: String]
    var names: [AuthorID: String]
    var removed: Set<AuthorID>
    /// Up to which set others have said again what they wrote.
    var superseded: [AuthorID: UInt64]
  }

  /// Where a store stands that was never in step with anything.
  package static func unregistered(_ replica: ReplicaStatus) -> DocumentStatus {
    DocumentStatus(
      isRegistered: false, isDeleted: false, isRemoved: false, replica: replica, devices: [], blocked: [],
      givenUp: [], missingKeys: [], separations: [], names: [:], awaited: [], obstructions: [], asking: [])
  }

  static func devices(
    _ heads: HeadListing, own: AuthorID, _ known: Known, _ reckoning: SeenReckoning
  ) -> [Device] {
    let newest = heads.authors.compactMap { heads.newest(of: $0) }
    let (clients, names) = (known.clients, known.names)
    func isSaidAgain(_ head: HeadName) -> Bool {
      head.author != own && known.superseded[head.author].map { $0 >= head.sequence } ?? false
    }
    let present = Set(newest.filter { !isSaidAgain($0) }.compactMap { clients[$0.author] })
    return newest.map { head in
      Device(
        author: head.author, client: clients[head.author],
        name: names[head.author].flatMap { $0.isEmpty ? nil : $0 }, isThisDevice: head.author == own,
        isFormerSelf: head.author != own && clients[head.author].map { $0 == clients[own] } ?? false,
        pushed: head.sequence, seen: head.seen, hasSeenEverything: reckoning.verdict(head) == .everything,
        isRemoved: known.removed.contains(head.author),
        isSucceeded: isSaidAgain(head) && clients[head.author].map { present.contains($0) } ?? false)
    }
  }
}
