/// What only some objects have: changes, or members in memory. Kept apart, so that the many others are small and quickly made.
final class ChangeRecord {
  /// The values as the store has them, once there are changes and if the object has no row.
  @exclusivity(unchecked) var committed: ContiguousArray<AttributeValue> = []
  /// Which of the properties from the sixty-fifth on were set.
  @exclusivity(unchecked) var changedHigh: [UInt64] = []
  /// One per to-many relationship; empty until one is used.
  @exclusivity(unchecked) var toManys: ContiguousArray<ToManyState?> = []
  /// The object that is used instead, since both stand for one row; only of an object that has nothing of its own.
  var unitedWith: ManagedObject?
}

extension ManagedObject {
  private var ownRecord: ChangeRecord {
    if let record { return record }
    let new = ChangeRecord()
    record = new
    return new
  }

  /// The values as the store has them, once there are changes and if there is no `row`.
  final var committed: ContiguousArray<AttributeValue> {
    get { record?.committed ?? [] }
    set { if record != nil || !newValue.isEmpty { ownRecord.committed = newValue } }
  }

  /// One per to-many relationship; empty until one is used.
  final var toManys: ContiguousArray<ToManyState?> {
    get { record?.toManys ?? [] }
    set { if record != nil || !newValue.isEmpty { ownRecord.toManys = newValue } }
  }

  /// Which properties were set since the object was fetched or last saved.
  final var changed: PropertyMask {
    get { PropertyMask(low: changedLow, high: record?.changedHigh ?? []) }
    set {
      changedLow = newValue.low
      if record != nil || !newValue.high.isEmpty { ownRecord.changedHigh = newValue.high }
    }
  }

  /// Notes that a property was set of which the index does not fit the first word.
  @usableFromInline final func noteChangeBeyond(_ index: Int) {
    var mask = changed
    mask.insert(index)
    changed = mask
  }
}
