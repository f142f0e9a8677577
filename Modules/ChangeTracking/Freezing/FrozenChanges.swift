/// What sets were made of, as far as it concerns what rows show.
struct FrozenChanges {
  /// How many sets were made.
  var sets = 0
  /// Relationships that show nothing, though their rows lead somewhere.
  var cleared: [(ObjectTable.Slot, PropertyBit)] = []
  /// Relationships to objects whose rows are gone: a merge wrote them while a deletion was not saved yet.
  var dangling: [(ObjectTable.Slot, PropertyBit, target: ObjectTable.Slot)] = []
  /// Attributes whose rows show null although they may not.
  var empty: [(ObjectTable.Slot, PropertyBit, isWritten: Bool)] = []
  /// What may show something else once nothing is left in the log.
  var unshown = UnshownChanges()
}
