/// An own set, fixed for good: what its file contains and what it is called.
public struct FrozenSet: Hashable, Sendable {
  /// The author.
  public var author: AuthorID
  /// Position in the author's history.
  public var sequence: UInt64
  /// Hash of ``bytes``.
  public var hash: ContentHash
  /// Number of changes in the set.
  public var changeCount: Int
  /// The file's bytes, sealed if the document is encrypted.
  public var bytes: [UInt8]
}

/// What sets were made of, as far as it concerns what rows show.
struct FrozenChanges {
  /// How many sets were made.
  var sets = 0
  /// Rows that share their sync ID with another.
  var duplicates: [RowReference] = []
  /// Relationships that show nothing, though their rows lead somewhere.
  var cleared: [(ObjectTable.Slot, PropertyBit)] = []
  /// Attributes whose rows show null although they may not.
  var empty: [(ObjectTable.Slot, PropertyBit, isWritten: Bool)] = []
  /// What may show something else once nothing is left in the log.
  var unshown = UnshownChanges()
}
