import ObjectStore

/// Values that must be unique and may have left their rows, so that objects that keep them aside may show them.
struct FreedValues {
  /// A value that others may be waiting for, of the attribute by which a claim is kept aside: the first of its constraint.
  struct Value: Hashable {
    var root: EntityNumber
    var bit: PropertyBit
    /// As they are kept aside: texts that look alike are two.
    var bytes: [UInt8]
  }

  var values: Set<Value> = []
  /// Objects that may show what they keep aside because of what else they show.
  var objects: Set<RecordID> = []
  /// Whether the user may have written over values that nobody knows any more.
  var mayBeAny = false

  var isEmpty: Bool { values.isEmpty && objects.isEmpty && !mayBeAny }
}
