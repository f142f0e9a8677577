import ChangeTracking

/// How many sequence numbers are fetched and merged together: few where their sets hold much, for all of them are in memory at once.
struct BatchSize {
  private static let limit = 16
  /// Changes that are merged together if that can be.
  private static let changes = 65_536
  /// Bytes of their content, likewise. A set of few bytes may hold a thousand times as many, for files are compressed.
  private static let bytes = 8 << 20

  /// How many the next batch has. The first one is small, for nobody knows yet how much the sets hold.
  private(set) var count = limit / 4

  /// Learns how much a batch held.
  mutating func follow(changes: Int, bytes: Int) {
    count =
      changes > Self.changes || bytes > Self.bytes ? max(1, count / 4) : min(count * 2, Self.limit)
  }

  /// Learns how much a batch held.
  mutating func follow(_ sets: [ReceivedSet]) {
    follow(
      changes: sets.reduce(0) { $0 + $1.set.changes.count },
      bytes: sets.reduce(0) { $0 + $1.set.contentSize })
  }
}
