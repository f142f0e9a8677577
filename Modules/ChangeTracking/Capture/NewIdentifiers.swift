/// The sync IDs that a recorder has made since the last save, to tell them from those that an application sets.
struct NewIdentifiers {
  /// Ascending, as a ``SyncIDSource`` makes them and as their texts sort.
  private var made: [String] = []
  /// Of those that objects of the save have, the root of the first such object.
  private var taken: [Int: EntityNumber] = [:]
  /// The time that the first tells, in milliseconds since 1970. Identifiers ascend, so a clock that is set back is behind it.
  private(set) var since: UInt64?
  /// Rows mostly come in the order in which their identifiers were made.
  private var next = 0

  private var source: SyncIDSource

  init(random: any RandomNumberGenerator) { source = SyncIDSource(random: random) }

  /// Makes another one.
  mutating func make(milliseconds: UInt64) -> String {
    let syncID = source.next(milliseconds: milliseconds)
    if since == nil { since = syncID.milliseconds ?? milliseconds }
    let identifier = syncID.string
    made.append(identifier)
    return identifier
  }

  mutating func removeAll() {
    made.removeAll(keepingCapacity: made.count <= 1_000)
    taken = [:]
    next = 0
    since = nil
  }

  /// Begins anew to tell which objects of a save have which identifiers.
  mutating func beginTaking() { taken = [:] }

  /// Notes that an object has an identifier.
  ///
  /// - Returns: `false` if another object of the save below the same root has it, for it was copied together with its object; `nil` if the
  ///   identifier is not new.
  mutating func take(_ identifier: String, below root: EntityNumber) -> Bool? {
    guard contains(identifier) else { return nil }
    if let other = taken[next - 1] { return other != root }
    taken[next - 1] = root
    return true
  }

  /// Whether an identifier is new. Asking in the order of their making is fast.
  mutating func contains(_ identifier: String) -> Bool {
    if next >= made.count || made[next] != identifier {
      next = made.partitioningIndex { $0 >= identifier }
      guard next < made.count, made[next] == identifier else { return false }
    }
    next += 1
    return true
  }
}

extension Array {
  /// The first index whose element, like all that follow it, satisfies a predicate.
  fileprivate func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
