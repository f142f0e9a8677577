import ObjectStore

/// Rows written as a user would, for what is then logged.
extension Showing {
  /// Assigns a row that nobody recorded its sync ID.
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
      if !tuple.contains(where: \.value.isNull), let holder = try store.row(row.entity, with: tuple),
        holder != row
      {
        return false
      }
    }
    try store.updateRow(row, values: [written])
    changes.update(row)
    return true
  }

  /// Writes a to-one relationship, of a one-to-one pair both sides.
  func setTarget(_ target: RowReference?, of row: RowReference, _ property: LocalProperty) throws {
    try noteOtherSide(of: row, property)
    try store.setTarget(of: row, property, to: target)
    changes.update(row)
    if let target, case .toOne(_, isExclusive: true) = store.schema[row.entity][property].kind {
      changes.update(target)
    }
  }

  /// Before one side of a one-to-one pair is written or goes: the store writes the row on the other side as well, and a context that is
  /// not told would go on to show the former partner there.
  private func noteOtherSide(of row: RowReference, _ property: LocalProperty) throws {
    guard case .toOne(let destination, isExclusive: true) = store.schema[row.entity][property].kind,
      case .target(let former?)? = try store.readRow(row, [property])?.contents.first,
      let identity = try store.identity(of: former, below: destination)
    else { return }
    changes.update(RowReference(entity: identity.entity, row: former))
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

  /// Removes a row of an object, and keeps aside what still points at it.
  func dropRow(_ row: RowReference, of slot: Slot) throws {
    try parkReferences(to: slot, row: row.row)
    for index in store.schema[row.entity].properties.indices {
      try noteOtherSide(of: row, LocalProperty(rawValue: index))
    }
    try store.deleteRow(row)
    changes.delete(row)
  }
}
