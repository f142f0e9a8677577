/// When a device that lacks removed sets looks again for a whole store, after it has looked in vain or somebody has declined.
///
/// Whole stores are large, so the looks are at growing distances. A value without I/O.
struct ReturnPause: Hashable {
  /// Synchronisations that might have returned, one after the other.
  var syncs: UInt64 = 0

  private static let longest: UInt64 = 64

  /// Whether the next one looks.
  var isLookDue: Bool {
    syncs.isMultiple(of: Self.longest) || syncs < Self.longest && syncs & (syncs - 1) == 0
  }

  /// Notes that one more might have returned.
  mutating func count() { syncs &+= 1 }
}
