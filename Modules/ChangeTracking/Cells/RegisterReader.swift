import ObjectStore

/// Reads what registers hold: from the row that shows the object, or from what is kept aside.
struct RegisterReader {
  let cells: Cells
  let store: any LocalStore

  /// The content of a register; `nil` if it cannot be read now, which is never taken for null.
  func content(of record: ObjectRecord, _ bit: PropertyBit) throws -> Register.Content? {
    let entity = cells.entity(of: record)
    let property = try entity.property(bit)
    if property.isAttribute {
      if let value = try cells.parked.value(of: RegisterID(object: record.id, bit: bit)) { return value }
    } else if let target = try cells.parked.target(of: RegisterID(object: record.id, bit: bit)) {
      return .target(try cells.objects[target].syncID)
    }
    // The row shows what was contributed too.
    if property.isFolded { return .value(.null) }
    if let row = record.row, let local = entity.local, let position = property.local,
      let stored = try store.readRow(RowReference(entity: local, row: row), [position])?.contents.first
    {
      return try content(stored, of: property)
    }
    return property.isAttribute ? .value(.null) : .target(nil)
  }

  /// What a row holds as others understand it; `nil` if it cannot be read now.
  func content(_ stored: StoredContent, of property: KnownProperty) throws -> Register.Content? {
    switch (stored, property.kind) {
    case (.value(let value), _): return .value(value)
    case (.target(let row?), .toOne):
      guard let destination = cells.names.destination(of: property) else { return nil }
      // A row that another program has removed is not a relationship that somebody cleared.
      return try store.checkedIdentity(of: row, below: destination.name)?.syncID.map { .target($0) }
    case (.target, _): return .target(nil)
    case (.unreadable, _): return nil
    }
  }

  /// What contributions show together, and what they are made of.
  ///
  /// - Parameter property: of the row that was written, which is of another entity than the record if another row shows the object.
  func folded(_ record: ObjectRecord, _ property: KnownProperty) throws -> FoldedValue {
    let entity = cells.entity(of: record)
    let own = try entity.property(property.bit)
    var base = AttributeValue.null
    if case .value(let value)? = try content(of: record, property.bit) {
      // What was written before the merge was declared may be what a row showed of it.
      base = held(value, by: own, of: entity)
    }
    let register = RegisterID(object: record.id, bit: property.bit)
    let fold = cells.fold(property)
    func shown(_ value: AttributeValue) -> AttributeValue { holdable(value, of: own, in: entity) }
    let totals = cells.contributions.totals
    if let total = try totals.value(of: register, by: fold, from: fold.start(base)) {
      return FoldedValue(fold: fold, isFirst: false, shown: shown(total))
    }
    let contributions = try cells.contributions.contributions(to: register)
    let value = fold.value(base: base, contributions)
    if contributions.count >= TotalTable.threshold {
      try totals.keep(value, of: contributions, to: register, by: fold, from: fold.start(base))
    }
    return FoldedValue(fold: fold, isFirst: base.isNull && contributions.isEmpty, shown: shown(value))
  }

  /// A value as a row shows it.
  private func held(_ value: AttributeValue, by property: KnownProperty, of entity: KnownEntity)
    -> AttributeValue
  {
    guard let local = entity.local, let position = property.local else { return value }
    return store.holdable(value, local, position) ?? value
  }

  struct FoldedValue {
    var fold: Fold
    /// Whether nobody has written the property before.
    var isFirst: Bool
    /// As the row can hold it.
    var shown: AttributeValue
  }

  /// The value as the row can hold it: a sum too great for the attribute's type stops at its bounds, and one with a fraction loses that
  /// where whole numbers are shown.
  private func holdable(_ value: AttributeValue, of property: KnownProperty, in entity: KnownEntity)
    -> AttributeValue
  {
    guard let local = entity.local, let position = property.local else { return value }
    func fits(_ value: AttributeValue) -> Bool { store.canHold(value, local, position) }
    if let value = store.holdable(value, local, position) { return value }
    return value.nearestNumbers.first(where: fits) ?? property.blank
  }

  /// Whether the local model knows an attribute and cannot hold something that was written to it, so that a row shows another value.
  func isUnholdable(_ content: Register.Content, _ property: KnownProperty, in entity: KnownEntity) -> Bool {
    guard case .value(let value) = content, value != .null, !property.isFolded, let local = entity.local,
      let position = property.local
    else { return false }
    return store.holdable(value, local, position) == nil
  }

  // MARK: Rows

  /// The row that shows an object; `nil` if none does.
  func row(of record: ObjectRecord) -> RowReference? {
    guard let row = record.row, let local = cells.entity(of: record).local else { return nil }
    return RowReference(entity: local, row: row)
  }

  /// A to-one relationship that a row shows.
  struct Reference {
    var holder: ObjectTable.Slot
    var row: RowReference
    var property: KnownProperty
  }

  /// The to-one relationships of rows that lead to a row.
  func references(to row: RowNumber, below root: EntityNumber) throws -> [Reference] {
    var references: [Reference] = []
    for entity in cells.names.entities {
      guard let local = entity.local else { continue }
      for property in entity.localProperties {
        guard let position = property.local, case .toOne = property.kind,
          cells.names.destination(of: property)?.number == root
        else { continue }
        for source in try store.sources(local, position, to: row) {
          guard let holder = try object(shownBy: source, below: cells.names.root(of: entity)) else {
            continue
          }
          references.append(
            Reference(holder: holder, row: RowReference(entity: local, row: source), property: property))
        }
      }
    }
    return references
  }

  /// The record of the object that a row shows, which is noted now if it is not known; `nil` if the row has no identifier.
  func object(shownBy row: RowNumber, below root: KnownEntity) throws -> ObjectTable.Slot? {
    guard let identity = try store.checkedIdentity(of: row, below: root.name), let syncID = identity.syncID
    else {
      return nil
    }
    let slot = try cells.objects.obtain(syncID, root: root.number)
    // So that nothing is said of the object as if nobody knew what it is.
    if !cells[slot].entity.isKnown {
      cells[slot].entity = cells.names[identity.entity].number
      cells[slot].isChanged = true
    }
    return slot
  }
}
