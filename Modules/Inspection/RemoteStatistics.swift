import ChangeTracking
import ShownText
import SyncProtocol
import UntrustedBytes

/// How much devices have written, and when.
public struct RemoteStatistics: Sendable {
  /// Sets, changes in them, and bytes of their files.
  public struct Count: Hashable, Sendable {
    /// Sets.
    public internal(set) var sets = 0
    /// Changes; those of sets that cannot be read are missing.
    public internal(set) var changes = 0
    /// Bytes, as far as the storage says.
    public internal(set) var bytes: Int64 = 0
  }

  /// One author of a document.
  public struct Writer: Hashable, Sendable {
    /// The document's identifier.
    public let document: String
    /// The author.
    public let author: AuthorID
  }

  /// Changes of one entity.
  public struct EntityCount: Hashable, Sendable {
    /// Objects that were inserted.
    public internal(set) var inserted = 0
    /// Objects that were deleted.
    public internal(set) var deleted = 0
    /// All changes, these among them.
    public internal(set) var changes = 0
  }

  /// By who wrote it.
  public internal(set) var writers: [Writer: Count] = [:]
  /// By entity. Of more than ``entityLimit`` the rest is under an empty name.
  public internal(set) var entities: [String: EntityCount] = [:]
  /// By the month (UTC, as 2026-01) of the last change in a set; what comes after the year 9999 is under ``later``.
  public internal(set) var months: [String: Count] = [:]
  /// Altogether.
  public internal(set) var total = Count()
  /// What is not there, or was not listed, and so does not count.
  public internal(set) var omissions = HistoryOmissions()
  /// Sets that cannot be read: they count among the writers, and in no month or entity.
  public internal(set) var unread = 0
  /// How many of these the storage did not deliver, so that nothing says that they are damaged.
  public internal(set) var undelivered = 0

  /// Stands for the months after the year 9999.
  public static let later = "later"

  /// Entities that are told apart.
  public static let entityLimit = 10_000
}

extension RemoteInspector {
  /// Reads all sets and counts what they hold.
  ///
  /// - Throws: ``InspectionError``, or `CancellationError`.
  public func statistics() async throws -> RemoteStatistics {
    var statistics = RemoteStatistics()
    var omissions = HistoryOmissions()
    try await forEachSet(whenRead: { omissions = $0 }) { statistics.add($0) }
    statistics.omissions = omissions
    return statistics
  }
}

extension RemoteStatistics {
  fileprivate mutating func add(_ found: InspectedSet) {
    var count = Count(sets: 1, changes: 0, bytes: found.size ?? 0)
    if case .success(let set) = found.result {
      count.changes = set.changes.count
      for change in set.changes { add(change, of: set) }
      if let last = set.changes.lazy.map(\.time.milliseconds).max() {
        months[Self.month(last), default: Count()].add(count)
      }
    } else {
      unread += 1
      if case .failure(let failure) = found.result, failure.isUndelivered { undelivered += 1 }
    }
    writers[Writer(document: found.document, author: found.author), default: Count()].add(count)
    total.add(count)
  }

  private mutating func add(_ change: Change, of set: ChangeSet) {
    let name = set[change.entity]?.name ?? ""
    let isKnown = entities[name] != nil || entities.count < Self.entityLimit
    var count = entities[isKnown ? name : ""] ?? EntityCount()
    count.changes += 1
    switch change.action {
    case .insert: count.inserted += 1
    case .delete: count.deleted += 1
    case .update, .clear, .link, .unlink, .place, .contribute: break
    }
    entities[isKnown ? name : ""] = count
  }

  private static func month(_ milliseconds: UInt64) -> String {
    DateText.month(milliseconds: milliseconds) ?? Self.later
  }
}

extension RemoteStatistics.Count {
  fileprivate mutating func add(_ other: Self) {
    sets += other.sets
    changes += other.changes
    bytes = bytes.saturatingSum(other.bytes)
  }
}
