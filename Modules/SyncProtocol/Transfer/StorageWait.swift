/// What of a storage is waited for, for whoever would not know otherwise why nothing happens.
public struct StorageWait: Hashable, Sendable {
  /// What was asked for and has been waited for longest.
  public var path: RemotePath
  /// How long nothing has come of it.
  public var duration: Duration
  /// How many other requests are waited for, too.
  public var others: Int
}

/// The requests that are under way, and whether it is time to tell of them. A value without I/O: the caller says what time it is.
struct PendingRequests {
  private let patience: Duration
  private var requests: [UInt64: Pending] = [:]
  private var next: UInt64 = 0

  private struct Pending {
    let path: RemotePath
    /// When it began, or last made progress.
    var since: ContinuousClock.Instant
    /// How long it may go on from then before it is told of.
    var limit: Duration
  }

  /// - Parameter patience: how long nothing is to have come of a request for it to be told of first; then it is each time twice as long.
  init(patience: Duration) { self.patience = patience }

  var isEmpty: Bool { requests.isEmpty }

  /// Counts a request from now on.
  mutating func begin(_ path: RemotePath, at now: ContinuousClock.Instant) -> UInt64 {
    defer { next += 1 }
    requests[next] = Pending(path: path, since: now, limit: patience)
    return next
  }

  /// Counts a request anew, of which something has come.
  mutating func progress(_ number: UInt64, at now: ContinuousClock.Instant) {
    requests[number]?.since = now
    requests[number]?.limit = patience
  }

  mutating func end(_ number: UInt64) { requests[number] = nil }

  /// What is to be told now; `nil` if nothing is.
  mutating func wait(at now: ContinuousClock.Instant) -> StorageWait? {
    let due = requests.filter { now - $0.value.since >= $0.value.limit }
    guard !due.isEmpty, let oldest = requests.values.min(by: { $0.since < $1.since }) else { return nil }
    for number in due.keys { requests[number]?.limit *= 2 }
    let duration = now - oldest.since
    let others = requests.values.count { now - $0.since >= patience } - 1
    return StorageWait(path: oldest.path, duration: duration, others: max(0, others))
  }
}
