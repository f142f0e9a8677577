/// Relationships derived from cells: shown where both ends live, kept aside otherwise.
extension Replica {
  // MARK: To-one

  /// Writes a to-one register of an object that has a row.
  func writeTarget(_ win: Win, of slot: Int, changes: inout ChangedRows) throws {
    guard case .target(let target) = win.content else { return }
    let property = names.entities[objects[slot].entity].properties[win.bit]
    guard case .toOne(let destination) = property.kind else { return }
    if property.isExclusive { claimsMayBeFree = true }
    try parked.removeTarget(of: objects[slot].id, bit: win.bit)
    if let target {
      let root = try names.number(of: destination, root: destination)
      try settle(
        slot, bit: win.bit, target: objects.obtain(target, root: root, authors: authors), changes: &changes)
    } else {
      try setTarget(of: slot, bit: win.bit, to: nil, changes: &changes)
    }
  }

  /// Shows a to-one register with a target, or parks it if the target does not live or belongs to a later claim.
  func settle(_ slot: Int, bit: Int, target: Int, changes: inout ChangedRows) throws {
    objects[target].hasTraces = true
    let property = names.entities[objects[slot].entity].properties[bit]
    guard let targetRow = objects[target].row, property.local != nil, objects[slot].row != nil else {
      return try hideTarget(of: slot, bit: bit, target: target, changes: &changes)
    }
    if property.isExclusive, let holder = try self.holder(ofTargetRow: targetRow, slot: slot, bit: bit) {
      let holderBit = names.entities[objects[holder].entity].bits[property.name] ?? bit
      guard objects[slot].stamp(of: bit) > objects[holder].stamp(of: holderBit) else {
        return try hideTarget(of: slot, bit: bit, target: target, changes: &changes)
      }
      try hideTarget(of: holder, bit: holderBit, target: target, changes: &changes)
    }
    try parked.removeTarget(of: objects[slot].id, bit: bit)
    try setTarget(of: slot, bit: bit, to: target, changes: &changes)
  }

  private func hideTarget(of slot: Int, bit: Int, target: Int, changes: inout ChangedRows) throws {
    try parked.park(target: objects[target].id, of: objects[slot].id, bit: bit)
    objects[slot].hasTraces = true
    if objects[slot].row != nil { try setTarget(of: slot, bit: bit, to: nil, changes: &changes) }
  }

  private func setTarget(of slot: Int, bit: Int, to target: Int?, changes: inout ChangedRows) throws {
    let entity = names.entities[objects[slot].entity]
    guard let local = entity.local, let row = objects[slot].row, let position = entity.properties[bit].local
    else {
      return
    }
    try store.setTarget(
      entity: local, row: row, property: position, target: try target.flatMap { try reference(to: $0) })
    if let target, !entity.properties[bit].order.isEmpty { orderMayChange(slot, bit: bit, target: target) }
    changes.update(RowReference(entity: local, row: row))
  }

  private func reference(to slot: Int) throws -> RowReference? {
    guard let row = objects[slot].row, let local = names.entities[objects[slot].entity].local else {
      return nil
    }
    return RowReference(entity: local, row: row)
  }

  /// The object whose row shows an exclusive relationship to a target, other than `slot` itself.
  private func holder(ofTargetRow row: Int64, slot: Int, bit: Int) throws -> Int? {
    let entity = names.entities[objects[slot].entity]
    guard let local = entity.local, let position = entity.properties[bit].local else { return nil }
    for source in try store.sources(entity: local, property: position, target: row)
    where source != objects[slot].row {
      guard let syncID = try store.syncID(root: names.entities[entity.root].name, row: source) else {
        continue
      }
      return try objects.obtain(syncID, root: entity.root, authors: authors)
    }
    return nil
  }

  /// Once exclusive relationships may have left their targets: shows the latest of the claims that are parked.
  func settleClaims(changes: inout ChangedRows) throws {
    guard claimsMayBeFree else { return }
    claimsMayBeFree = false
    struct Claim: Hashable {
      var target: Int64
      var name: String
    }
    var best: [Claim: (slot: Int, bit: Int, stamp: Stamp)] = [:]
    for parked in try parked.allTargets() {
      let slot = try objects.slot(id: parked.object, authors: authors)
      let property = names.entities[objects[slot].entity].properties[parked.bit]
      guard property.isExclusive, objects[slot].row != nil else { continue }
      let claim = Claim(target: parked.target, name: property.name)
      let stamp = objects[slot].stamp(of: parked.bit)
      if best[claim].map({ stamp > $0.stamp }) ?? true { best[claim] = (slot, parked.bit, stamp) }
    }
    for (claim, winner) in best {
      try settle(
        winner.slot, bit: winner.bit, target: objects.slot(id: claim.target, authors: authors),
        changes: &changes)
    }
  }

  // MARK: To-many

  func isVisible(_ cell: LinkTable.Cell, source: ObjectRecord, target: ObjectRecord) -> Bool {
    cell.added > cell.removed && cell.added > source.deleted && source.row != nil && target.row != nil
  }

  func showLink(_ slot: Int, bit: Int, target: Int, isShown: Bool, changes: inout ChangedRows) throws {
    let entity = names.entities[objects[slot].entity]
    guard let local = entity.local, let row = objects[slot].row, let position = entity.properties[bit].local,
      let reference = try reference(to: target)
    else { return }
    if isShown {
      try store.link(entity: local, row: row, property: position, target: reference)
      if !entity.properties[bit].order.isEmpty { orderMayChange(slot, bit: bit, target: target) }
    } else {
      try store.unlink(entity: local, row: row, property: position, target: reference)
    }
    changes.update(RowReference(entity: local, row: row))
    changes.update(reference)
  }

  // MARK: Arrivals

  /// Shows the relationships that waited for an object.
  func showWhatWaits(for slot: Int, changes: inout ChangedRows) throws {
    let record = objects[slot]
    guard record.hasTraces, record.row != nil else { return }
    for source in try parked.sources(of: record.id) {
      try settle(
        objects.slot(id: source.object, authors: authors), bit: source.bit, target: slot, changes: &changes)
    }
    let cells =
      try links.cells(of: record.id, authors: authors) + links.cells(to: record.id, authors: authors)
    for cell in cells {
      let source = try objects.slot(id: cell.source, authors: authors)
      let target = try objects.slot(id: cell.target, authors: authors)
      if isVisible(cell, source: objects[source], target: objects[target]) {
        try showLink(source, bit: cell.bit, target: target, isShown: true, changes: &changes)
      }
    }
  }

  /// Shows what waited for an object that the user has inserted: relationships to it, and registers that were written
  /// elsewhere and that the insertion did not write.
  func showWhatWaitsForInsertion(of slot: Int, changes: inout ChangedRows) throws {
    let record = objects[slot]
    let values = try parked.values(of: record.id).map { Win(bit: $0.bit, content: $0.content) }
    try writeRow(slot, values.filter { record.stamp(of: $0.bit) != record.inserted }, changes: &changes)
    for value in values
    where record.stamp(of: value.bit) == record.inserted && !names.entities[record.entity].isFolded(value.bit)
    {
      try parked.removeValue(of: record.id, bit: value.bit)
    }
    for target in try parked.targets(of: record.id) {
      if record.stamp(of: target.bit) == record.inserted {
        try parked.removeTarget(of: record.id, bit: target.bit)
      } else {
        try settle(
          slot, bit: target.bit, target: objects.slot(id: target.target, authors: authors), changes: &changes)
      }
    }
    noteFolds(of: slot)
    try showWhatWaits(for: slot, changes: &changes)
  }

  /// Shows what was kept aside for properties and entities that the local model did not know before.
  func showWhatTheModelHasLearned() throws {
    let known = store.schema.model
    guard try state.value("model") != .text(known) else { return }
    var changes = ChangedRows()
    try begin {
      for id in try objects.waiting() {
        let slot = try objects.slot(id: id, authors: authors)
        guard objects[slot].lives else { continue }
        if objects[slot].row == nil {
          try show(slot, with: [], changes: &changes)
        } else {
          let wins = try parked.values(of: id).map { Win(bit: $0.bit, content: $0.content) }
          try writeRow(slot, wins, changes: &changes)
          try showWhatWaits(for: slot, changes: &changes)
          for target in try parked.targets(of: id) {
            try settle(
              slot, bit: target.bit, target: objects.slot(id: target.target, authors: authors),
              changes: &changes)
          }
        }
      }
      try settle(changes: &changes)
      try state.set("model", .text(known))
    }
    store.announce(changes)
  }
}
