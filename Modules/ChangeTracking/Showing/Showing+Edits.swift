import ObjectStore

/// Rows written as a user would, for what is then logged.
extension Showing {
  /// Assigns a row that nobody recorded its sync ID.
  func setSyncID(_ syncID: SyncID, of row: RowReference) throws {
    try rows.setSyncID(syncID, of: row)
  }

  /// Adds the row of an object without anything but its identifier.
  func addRow(of slot: Slot, _ entity: LocalEntity) throws -> RowReference {
    try rows.insert(entity, syncID: cells[slot].syncID, values: [])
  }

  /// Writes an attribute.
  ///
  /// - Returns: whether the row shows the value: another object may show it, and it must be unique.
  func setValue(_ value: AttributeValue, of row: RowReference, _ property: LocalProperty) throws -> Bool {
    let written = PropertyValue(property: property, value: value)
    for constraint in store.schema[row.entity].uniqueness where constraint.contains(property) {
      let shown = try store.readRow(row, constraint)?.contents ?? []
      let tuple = zip(constraint, shown).map { other, content -> PropertyValue in
        guard other != property, case .value(let value) = content else { return written }
        return PropertyValue(property: other, value: value)
      }
      if !tuple.contains(where: \.value.isNull), let holder = try store.checkedRow(row.entity, with: tuple),
        holder != row
      {
        return false
      }
    }
    try rows.update(row, values: [written])
    return true
  }

  /// Removes a row of an object, and keeps aside what still points at it.
  func dropRow(_ row: RowReference, of slot: Slot) throws {
    try parkReferences(to: slot, row: row.row)
    try rows.delete(row)
  }
}
