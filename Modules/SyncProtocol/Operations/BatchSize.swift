/// How many sequence numbers are fetched and merged together: few where their sets hold much, for all of them are in memory at once.
struct BatchSize {
  private static let limit = 16
  /// Changes that are merged together if that can be.
  private static let changes = 65_536

  /// How many the next batch has. The first one is small, for nobody knows yet how much the sets hold.
  private(set) var count = limit / 4

  /// Learns how much a batch held.
  mutating func follow(changes: Int) {
    count = changes > Self.changes ? max(1, count / 4) : min(count * 2, Self.limit)
  }
}
