import ObjectStore

/// Relationships derived from cells: shown where both ends live, kept aside otherwise.
extension Showing {
  // MARK: To-one

  /// Writes a to-one register of an object that has a row.
  func writeTarget(_ win: Win, of slot: Slot) throws {
    guard case .target(let target) = win.content else { return }
    let property = try cells.property(win.bit, of: slot)
    if property.isExclusive {
      freed.formUnion(try cells.contests.take(from: cells[slot].id, win.bit))
    }
    if property.isPartner { try partPartners(of: slot, property) }
    try cells.parked.removeTarget(of: cells[slot].id, win.bit)
    if let target, let targetSlot = try cells.target(target, of: property) {
      try settle(slot, win.bit, target: targetSlot)
    } else {
      try setTarget(of: slot, property, to: nil)
    }
  }

  /// Shows a to-one register with a target, or parks it if the target does not live, belongs to a later claim, or is not of an
  /// entity that the relationship leads to.
  func settle(_ slot: Slot, _ bit: PropertyBit, target: Slot) throws {
    cells[target].hasTraces = true
    let property = try cells.property(bit, of: slot)
    guard cells[slot].row != nil, property.local != nil, isInFamily(target, of: property),
      property.admits(cells[target].entity), let targetRow = cells[target].row
    else {
      return try hideTarget(of: slot, property, target: target)
    }
    if property.isPartner {
      guard try target == slot || isPartner(target, of: slot, property) else {
        return try hideTarget(of: slot, property, target: target)
      }
      try showTarget(of: target, cells.property(bit, of: target), slot)
    } else if property.isExclusive, let holder = try holder(of: targetRow, other: slot, property) {
      let contest = ContestTable.Target(bit: bit, target: cells[target].id)
      guard claim(of: slot, on: [bit]) > claim(of: holder, on: [bit]) else {
        try cells.contests.write(contest, holder: cells[holder].id)
        return try hideTarget(of: slot, property, target: target)
      }
      try cells.contests.write(contest, holder: cells[slot].id)
      try hideTarget(of: holder, cells.property(bit, of: holder), target: target)
    }
    try showTarget(of: slot, property, target)
  }

  private func showTarget(of slot: Slot, _ property: KnownProperty, _ target: Slot) throws {
    try cells.parked.removeTarget(of: cells[slot].id, property.bit)
    try setTarget(of: slot, property, to: target)
  }

  func hideTarget(of slot: Slot, _ property: KnownProperty, target: Slot) throws {
    try cells.parked.park(target: cells[target].id, of: cells[slot].id, property.bit)
    cells[slot].hasTraces = true
    if cells[slot].row != nil { try setTarget(of: slot, property, to: nil) }
  }

  private func setTarget(of slot: Slot, _ property: KnownProperty, to target: Slot?) throws {
    guard let row = reader.row(of: cells[slot]), let position = property.local else { return }
    try rows.setTarget(of: row, position, to: target.flatMap { reader.row(of: cells[$0]) })
    if let target, !property.order.isEmpty { try orderMayChange(slot, property.bit, target: target) }
  }

  // MARK: To-many

  /// Shows a link that came into effect, or hides one that is in effect no more.
  func showLink(_ slot: Slot, _ cell: LinkTable.Cell, target: Slot) throws {
    guard let row = reader.row(of: cells[slot]), let targetRow = reader.row(of: cells[target]),
      case let property = try cells.property(cell.bit, of: slot), let position = property.local,
      isInFamily(target, of: property)
    else { return }
    let isShown = Cells.isInEffect(cell, source: cells[slot]) && property.admits(cells[target].entity)
    try rows.setLink(row, position, targetRow, isShown: isShown)
    if isShown { try orderMayChange(slot, cell.bit, target: target) }
  }

  /// Whether an object is where a relationship's targets are. A version of the model may have put it below another root, whose rows have
  /// numbers of their own.
  private func isInFamily(_ target: Slot, of property: KnownProperty) -> Bool {
    cells.names.destination(of: property)?.number == cells[target].root
  }

  // MARK: Arrivals

  /// Shows the relationships that waited for an object.
  func showWhatWaits(for slot: Slot) throws {
    let record = cells[slot]
    guard record.hasTraces, record.row != nil else { return }
    for source in try cells.parked.sources(of: record.id) {
      try settle(cells.objects.slot(source.object), source.bit, target: slot)
    }
    for cell in try cells.links.cells(of: record.id) + cells.links.cells(to: record.id) {
      let source = try cells.objects.slot(cell.source)
      if Cells.isInEffect(cell, source: cells[source]) {
        try showLink(source, cell, target: cells.objects.slot(cell.target))
      }
    }
  }

  /// Shows relationships that lead to an object whose row was made anew.
  ///
  /// - Parameter isShown: whether a relationship of an object shows what its cells say.
  func showWhatLeads(to slot: Slot, where isShown: (RegisterID) -> Bool) throws {
    let id = cells[slot].id
    for source in try cells.parked.sources(of: id) where isShown(source) {
      try settle(cells.objects.slot(source.object), source.bit, target: slot)
    }
    for cell in try cells.links.cells(to: id)
    where isShown(RegisterID(object: cell.source, bit: cell.bit)) {
      let source = try cells.objects.slot(cell.source)
      if Cells.isInEffect(cell, source: cells[source]) { try showLink(source, cell, target: slot) }
    }
  }

  /// Shows what waited for an object that the user has inserted: relationships to it, and registers that were written
  /// elsewhere and that the insertion did not write.
  func showWhatWaitsForInsertion(of slot: Slot) throws {
    let record = cells[slot]
    try writeRow(slot, cells.parked.values(of: record.id))
    for (bit, target) in try cells.parked.targets(of: record.id) {
      try settle(slot, bit, target: cells.objects.slot(target))
    }
    noteFolds(of: slot)
    try showWhatWaits(for: slot)
  }

  /// Keeps to-one relationships aside that lead to an object whose row is about to go.
  ///
  /// While objects become one, another target may be kept aside already that the row does not show yet. It remains.
  func parkReferences(to slot: Slot, row: RowNumber) throws {
    for reference in try reader.references(to: row, below: cells[slot].root) {
      cells[slot].hasTraces = true
      cells[reference.holder].hasTraces = true
      let register = RegisterID(object: cells[reference.holder].id, bit: reference.property.bit)
      if try cells.parked.target(of: register) == nil {
        try cells.parked.park(target: cells[slot].id, of: register.object, register.bit)
      }
      rows.noteUpdate(of: reference.row)
    }
  }
}
