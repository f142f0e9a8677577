/// When devices upload whole stores by themselves, so that whoever joins need not merge every set there ever was.
///
/// A synchronisation that has transferred sets may upload one at its end, if there are enough sets that no whole store contains. Any
/// device may; which one does so first follows from the heads (``SyncOptions/wholeStores``).
public struct WholeStorePolicy: Hashable, Sendable {
  /// The fewest sets after the newest whole store for which another one is worth while.
  public var sets: UInt64
  /// How large these sets must be together, in sizes of the newest whole store.
  public var relativeSize: Double
  /// As how many bytes each of these sets counts at least: a file costs room and requests, however small it is.
  public var leastSetSize: UInt64
  /// So many sets are enough, however large they are.
  public var mostSets: UInt64

  /// - Parameters:
  ///   - sets: 100 unless said otherwise; at least 1.
  ///   - relativeSize: 0.4 unless said otherwise. A vacuum leaves two whole stores and the sets after the older one, so with it no more lies
  ///     there than three whole stores have.
  ///   - leastSetSize: 4,096 unless said otherwise. Sets of a few changes are much smaller. A whole store remembers each set there ever was,
  ///     so it grows while the objects do not, and ever more of such sets would have to lie there until they were as large.
  ///   - mostSets: 1,000 unless said otherwise.
  public init(
    sets: UInt64 = 100, relativeSize: Double = 0.4, leastSetSize: UInt64 = 4_096, mostSets: UInt64 = 1_000
  ) {
    self.sets = max(sets, 1)
    self.relativeSize = relativeSize
    self.leastSetSize = leastSetSize
    self.mostSets = mostSets
  }
}
