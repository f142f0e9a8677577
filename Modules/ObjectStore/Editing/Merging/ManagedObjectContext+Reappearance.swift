/// Objects whose deletion was undone here, while others have brought them back too.
extension ManagedObjectContext {
  /// Whether an object came back here and is not saved yet, and others have saved a row of it meanwhile.
  private func hasReappeared(_ object: ManagedObject) -> Bool {
    parent == nil && object.isInserted && object.key > 0 && hasRow(object)
  }

  /// Makes an object that came back here the one that others have brought back.
  ///
  /// - Returns: where both have given it something else. The next save decides about that as about other edits that met what others saved.
  func mergeReappeared(_ object: ManagedObject) -> EditConflict? {
    guard hasReappeared(object) else { return nil }
    let met = meetRow(of: object)
    if met.isEmpty { return nil }
    edits.note(object, met)
    return EditConflict(objectID: object.objectID, properties: met)
  }

  /// Makes an inserted object that has a row one that was fetched, of which what it had here is edited.
  ///
  /// - Returns: the properties that have another value in the row, of those that had one here.
  func meetRow(of object: ManagedObject) -> [EditConflict.Property] {
    withoutUndo {
      let remains = UndoOperation.Remains(of: object)
      detach(object, remains)
      object.state = [.fault]
      object.values = []
      object.row = nil
      object.record = nil
      object.committed = []
      object.changed = PropertyMask()
      object.toManys = []
      insertedHasHoles = true
      forgetWithdrawn()
      fulfil(object)
      if object.isGone { return }
      forgetUnchangedMembers()
      for index in 0..<object.entity.attributeCount {
        let isDerived = object.entity.attribute(at: index)?.derivation != nil
        if isDerived || remains.values[index].isNull || remains.values[index] == object.value(at: index) {
          continue
        }
        object.setValue(remains.values[index], at: index)
      }
      relate(object, remains)
      settleUnchanged()
    }
    var met: [EditConflict.Property] = []
    object.changed.forEach { index in
      guard index < object.entity.slotCount, !object.committedValue(at: index).isNull,
        let property = EditConflict.Property(object, at: index, before: .null)
      else { return }
      met.append(property)
    }
    return met
  }
}
