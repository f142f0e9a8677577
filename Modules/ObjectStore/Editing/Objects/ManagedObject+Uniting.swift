/// Two objects in memory for one row: what becomes of them when a merge policy unites a new object with a saved one.
///
/// One of both is the object of the row from then on. The other one has nothing of its own any more and does everything with
/// the first, so that whoever holds it reads and writes the same row.
extension ManagedObject {
  /// The object that this one leads to, since both stand for the same row; the object itself otherwise.
  @inline(__always)
  final var resolved: ManagedObject { united ?? self }

  /// The object that this one leads to, if it has nothing of its own.
  @inline(__always)
  final var united: ManagedObject? { state.contains(.gone) ? endOfChain : nil }

  private var endOfChain: ManagedObject? {
    guard var last = record?.unitedWith else { return nil }
    // The one it was united with may have been united in turn.
    while last.state.contains(.gone), let next = last.record?.unitedWith { last = next }
    record?.unitedWith = last
    return last
  }

  /// The index that a property of this object has in another one, which may be of another entity of the family.
  final func index(_ index: Int, in other: ManagedObject) -> Int? {
    if other.entity === entity { return index }
    return entity.properties.indices.contains(index)
      ? other.entity.index(of: entity.properties[index].name) : nil
  }

  /// Makes an object that belongs to no context any more lead to another one.
  final func unite(with other: ManagedObject) {
    state = [.gone]
    row = nil
    ownValues = nil
    changedLow = 0
    let record = ChangeRecord()
    record.unitedWith = other
    self.record = record
  }

  /// Becomes the object of another one's row, with all that is known of it; the other one leads here from then on.
  ///
  /// Both must be of one entity, and this one must belong to no context any more.
  final func takePlace(of other: ManagedObject, in context: ManagedObjectContext) {
    let table = context.tables[entity.rootIndex]
    key = other.key
    version = other.version
    state = other.state
    ownValues = other.ownValues
    row = other.row
    rowIndex = other.rowIndex
    changedLow = other.changedLow
    record = other.record
    contextReference = context
    table.remove(key)
    table.insert(self, for: key)
    // Without a context it does not take itself out of the table when it dies.
    other.contextReference = nil
    other.unite(with: self)
  }
}
