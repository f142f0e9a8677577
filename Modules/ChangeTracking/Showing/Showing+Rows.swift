import ObjectStore

/// What an object shows when it comes to live, changes, and goes.
extension Showing {
  /// Puts registers where they belong: into the row, or aside.
  func write(_ wins: [Win], to slot: Slot) throws {
    if cells[slot].row != nil {
      try noteRenewedClaims(of: slot, wins)
      try writeRow(slot, wins)
    } else if cells[slot].lives {
      try show(slot, with: wins)
    } else {
      try park(wins, of: slot)
    }
  }

  // MARK: Aside

  /// Keeps registers aside for an object that has no row.
  func park(_ wins: [Win], of slot: Slot) throws {
    if !wins.isEmpty { cells[slot].hasTraces = true }
    for win in wins {
      let property = try cells.property(win.bit, of: slot)
      // The base of what is shown.
      if property.isFolded { unfolded.insert(RegisterID(object: cells[slot].id, bit: win.bit)) }
      switch win.content {
      case .value, .longValue: try cells.parked.park(win.content, of: cells[slot].id, win.bit)
      case .target(let target): try parkTarget(target, of: slot, property)
      }
    }
  }

  private func parkTarget(_ target: SyncID?, of slot: Slot, _ property: KnownProperty) throws {
    guard let target, let targetSlot = try cells.target(target, of: property) else {
      return try cells.parked.removeTarget(of: cells[slot].id, property.bit)
    }
    cells[targetSlot].hasTraces = true
    try cells.parked.park(target: cells[targetSlot].id, of: cells[slot].id, property.bit)
  }

  // MARK: Rows

  /// Makes the row of an object that has come to live.
  func show(_ slot: Slot, with wins: [Win]) throws {
    let record = cells[slot]
    guard let local = cells.entity(of: slot).local else { return try park(wins, of: slot) }
    let parkedTargets = record.hasTraces ? try cells.parked.targets(of: record.id) : []
    let parkedValues = record.hasTraces ? try cells.parked.values(of: record.id) : []
    let waiting = parkedValues.filter { old in !wins.contains { $0.bit == old.bit } }
    let (sorted, targets) = try sort(waiting + wins, of: slot, isNew: true)
    let values = try claim(sorted, of: slot)
    try rows.journal?.note(slot)
    cells[slot].row = try rows.insert(local, syncID: record.syncID, values: values).row
    cells[slot].isChanged = true
    noteFolds(of: slot)
    for win in targets { try writeTarget(win, of: slot) }
    for (bit, target) in parkedTargets where !wins.contains(where: { $0.bit == bit }) {
      try settle(slot, bit, target: cells.objects.slot(target))
    }
    try showWhatWaits(for: slot)
  }

  /// Writes registers into the row that shows the object.
  func writeRow(_ slot: Slot, _ wins: [Win]) throws {
    guard let row = reader.row(of: cells[slot]) else { return }
    let (values, targets) = try sort(wins, of: slot, isNew: false)
    for win in targets { try writeTarget(win, of: slot) }
    if values.isEmpty { return }
    try rows.update(row, values: claim(values, of: slot))
  }

  /// Separates what goes into the row as a value from what is a relationship, and keeps aside what the row cannot show.
  private func sort(_ wins: [Win], of slot: Slot, isNew: Bool) throws -> (
    values: [PropertyValue], targets: [Win]
  ) {
    let record = cells[slot]
    let entity = cells.entity(of: slot)
    var values: [PropertyValue] = []
    var targets: [Win] = []
    for win in wins {
      let property = try entity.property(win.bit)
      switch win.content {
      case .target: targets.append(win)
      // Until it arrives the row shows what it showed.
      case .longValue:
        try rows.journal?.note(slot)
        try park([win], of: slot)
      case .value(let value):
        guard let local = entity.local, let position = property.local, !property.isFolded else {
          try park([win], of: slot)
          continue
        }
        if let value = store.holdable(value, local, position) {
          values.append(PropertyValue(property: position, value: value))
          if record.hasTraces {
            // A value may have been awaited, of which nothing tells any more.
            try rows.journal?.note(slot)
            try cells.parked.removeValue(of: record.id, win.bit)
          }
        } else {
          try park([win], of: slot)
          // What it showed before depends on what came when.
          if !isNew { values.append(PropertyValue(property: position, value: property.blank)) }
        }
      }
    }
    return (values, targets)
  }

  // MARK: The end of an object

  /// Removes the row of an object that was deleted, and keeps aside what still points at it.
  func delete(_ slot: Slot, _ before: ObjectRecord, at stamp: Stamp) throws {
    noteFolds(of: slot)
    guard let row = reader.row(of: before), before.inserted <= stamp else {
      return try eraseOlderRegisters(of: slot, before, at: stamp)
    }
    // Registers written after the deletion, by somebody who did not know of it, outlast the row.
    let later = try contents(before.clocks.filter { $0.stamp > stamp }.map(\.bit), of: before)
    try removeRow(row, of: slot)
    try cells.parked.removeAll(of: before.id)
    try park(later, of: slot)
  }

  /// Removes the row of an object that does not live any more, and keeps aside what was written after its deletion.
  func hide(_ slot: Slot) throws {
    let record = cells[slot]
    guard let row = reader.row(of: record) else { return }
    let later = try contents(record.clocks.map(\.bit), of: record)
    try removeRow(row, of: slot)
    // What led from it to itself before the deletion.
    for (bit, _) in try cells.parked.targets(of: record.id) where !record.isWritten(bit) {
      try cells.parked.removeTarget(of: record.id, bit)
    }
    try park(later, of: slot)
  }

  private func contents(_ bits: [PropertyBit], of record: ObjectRecord) throws -> [Win] {
    try bits.compactMap { bit in try reader.content(of: record, bit).map { Win(bit: bit, content: $0) } }
  }

  private func removeRow(_ row: RowReference, of slot: Slot) throws {
    try partPartners(of: slot)
    freed.formUnion(try cells.contests.take(from: cells[slot].id))
    try noteFreedValues(of: row, writing: nil)
    try dropRow(row, of: slot)
    cells[slot].row = nil
    cells[slot].isChanged = true
  }

  /// A deletion of an object that does not live, or was inserted again later: only what was written before it goes.
  private func eraseOlderRegisters(of slot: Slot, _ before: ObjectRecord, at stamp: Stamp) throws {
    let erased = cells[slot].erasedBits(since: before)
    guard before.row != nil else {
      for bit in erased {
        try cells.parked.removeValue(of: before.id, bit)
        try cells.parked.removeTarget(of: before.id, bit)
      }
      return
    }
    orderMayChange(of: slot)
    try blank(erased, of: slot)
    for cell in try endingLinks.take(of: before, through: stamp, from: cells.links) {
      let target = try cells.objects.slot(cell.target)
      if Cells.isInEffect(cell, source: before) { try showLink(slot, cell, target: target) }
    }
  }

  /// Shows registers as if nobody had written them.
  func blank(_ bits: [PropertyBit], of slot: Slot, keepingAside: Bool = false) throws {
    let entity = cells.entity(of: slot)
    guard let row = reader.row(of: cells[slot]) else { return }
    var values: [PropertyValue] = []
    for bit in bits {
      let property = try entity.property(bit)
      if !keepingAside { try cells.parked.removeValue(of: cells[slot].id, bit) }
      if !property.isAttribute {
        try writeTarget(Win(bit: bit, content: .target(nil)), of: slot)
      } else if let position = property.local, !property.isFolded {
        values.append(PropertyValue(property: position, value: property.blank))
      }
    }
    if values.isEmpty { return }
    try noteFreedValues(of: row, writing: values)
    try rows.update(row, values: values)
  }

  /// Shows an object as one of another entity, because a later insertion says so.
  func move(_ slot: Slot, _ before: ObjectRecord) throws {
    guard let row = reader.row(of: before) else { return }
    try rows.journal?.note(before)
    let folded = Set(cells.names[before.entity].foldedBits)
    let contents = try contents(before.writtenBits.filter { !folded.contains($0) }, of: before)
    try removeRow(row, of: slot)
    try park(contents, of: slot)
    if cells[slot].lives { try show(slot, with: []) }
  }
}
