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
  /// Objects that were inserted and for which something may be waiting.
  var inserted: [ObjectTable.Slot] = []
  /// Rows that share their sync ID with another.
  var duplicates: [RowReference] = []
  /// Relationships that show nothing, though their rows lead somewhere.
  var cleared: [(ObjectTable.Slot, PropertyBit)] = []
  /// One-to-one relationships that the user wrote, perhaps without having seen what others wrote.
  var claims: [(ObjectTable.Slot, PropertyBit)] = []
  /// Attributes whose rows show null although they may not.
  var empty: [(ObjectTable.Slot, PropertyBit, isWritten: Bool)] = []
  /// Properties that somebody contributed to.
  var contributed: Set<RegisterID> = []
  /// Targets that an exclusive relationship has left and that others claim too.
  var freed: Set<ContestTable.Target> = []
  /// Whether a value that must be unique may have left its row.
  var mayFreeValues = false
}
