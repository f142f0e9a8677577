import ObjectStore

/// Rows written as a user would, for what is then logged.
extension Showing {
  /// Gives a row that nobody recorded its sync ID.
  func setSyncID(_ syncID: SyncID, of row: RowReference) throws {
    try store.setSyncID(syncID, of: row)
    changes.update(row)
  }

  /// Adds the row of an object without anything but its identifier.
  func addRow(of slot: Slot, _ entity: LocalEntity) throws -> RowReference {
    let row = RowReference(
      entity: entity, row: try store.insertRow(entity, syncID: cells[slot].syncID, values: []))
    changes.insert(row)
    return row
  }

  /// Writes an attribute.
  func setValue(_ value: AttributeValue, of row: RowReference, _ property: LocalProperty) throws {
    try store.updateRow(row, values: [PropertyValue(property: property, value: value)])
    changes.update(row)
  }

  /// Writes a to-one relationship.
  func setTarget(_ target: RowReference?, of row: RowReference, _ property: LocalProperty) throws {
    try store.setTarget(of: row, property, to: target)
    changes.update(row)
  }

  /// Adds a link or removes it.
  func setLink(_ row: RowReference, _ property: LocalProperty, _ target: RowReference, isShown: Bool) throws {
    if isShown {
      try store.link(row, property, to: target)
    } else {
      try store.unlink(row, property, from: target)
    }
    changes.update(row)
    changes.update(target)
  }

  /// Removes the row of an object.
  func dropRow(_ row: RowReference, of slot: Slot) throws {
    try parkReferences(to: slot, row: row.row)
    try store.deleteRow(row)
    changes.delete(row)
  }
}
