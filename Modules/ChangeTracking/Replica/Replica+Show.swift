import ObjectStore

/// Rows derived from cells: what an object shows when it comes to live, changes, and goes.
extension Replica {
  typealias Win = Merge.Win

  /// The register's present content, from the row or from what is parked.
  func content(of slot: Int, bit: Int) throws -> Register.Content {
    let record = objects[slot]
    let entity = names.entities[record.entity]
    let property = entity.properties[bit]
    if case .toOne = property.kind {
      if let target = try parked.targets(of: record.id).first(where: { $0.bit == bit }) {
        return .target(objects[try objects.slot(id: target.target, authors: authors)].syncID)
      }
    } else if let value = try parked.values(of: record.id).first(where: { $0.bit == bit }) {
      return value.content
    }
    // The row shows what was contributed too.
    if entity.isFolded(bit) { return .value(.null) }
    if let row = record.row, let local = entity.local, let position = property.local,
      let stored = try store.readRow(entity: local, row: row, properties: [position])?.contents.first
    {
      switch (stored, property.kind) {
      case (.value(let value), _): return .value(value)
      case (.target(let row?), .toOne(let destination)):
        return .target(try store.syncID(root: destination, row: row))
      case (.target, _): return .target(nil)
      }
    }
    return property.kind == .attribute ? .value(.null) : .target(nil)
  }

  /// Keeps registers aside for an object that has no row.
  func park(_ wins: [Win], of slot: Int) throws {
    if !wins.isEmpty { objects[slot].hasTraces = true }
    let entity = names.entities[objects[slot].entity]
    for win in wins {
      // The base of what is shown.
      if entity.isFolded(win.bit) { unfolded.insert(FoldedRegister(object: objects[slot].id, bit: win.bit)) }
      switch win.content {
      case .value, .longValue: try parked.park(win.content, of: objects[slot].id, bit: win.bit)
      case .target(let target): try parkTarget(target, of: slot, bit: win.bit)
      }
    }
  }

  private func parkTarget(_ target: SyncID?, of slot: Int, bit: Int) throws {
    guard let target, let root = try destinationRoot(of: slot, bit: bit) else {
      return try parked.removeTarget(of: objects[slot].id, bit: bit)
    }
    let targetSlot = try objects.obtain(target, root: root, authors: authors)
    objects[targetSlot].hasTraces = true
    try parked.park(target: objects[targetSlot].id, of: objects[slot].id, bit: bit)
  }

  private func destinationRoot(of slot: Int, bit: Int) throws -> Int? {
    switch names.entities[objects[slot].entity].properties[bit].kind {
    case .toOne(let destination), .toMany(let destination):
      try names.number(of: destination, root: destination)
    case .attribute: nil
    }
  }

  // MARK: Rows

  /// Makes the row of an object that has come to live.
  func show(_ slot: Int, with wins: [Win], changes: inout ChangedRows) throws {
    let record = objects[slot]
    guard let local = names.entities[record.entity].local else { return try park(wins, of: slot) }
    var values: [PropertyValue] = []
    var relationships: [Win] = []
    let parkedValues = record.hasTraces ? try parked.values(of: record.id) : []
    let parkedTargets = record.hasTraces ? try parked.targets(of: record.id) : []
    let waiting = parkedValues.filter { old in !wins.contains { $0.bit == old.bit } }
    for win in waiting.map({ Win(bit: $0.bit, content: $0.content) }) + wins {
      switch win.content {
      case .target: relationships.append(win)
      case .longValue: try park([win], of: slot)
      case .value(let value):
        if let position = holder(of: value, slot: slot, bit: win.bit) {
          values.append(PropertyValue(property: position, value: value))
          if record.hasTraces { try parked.removeValue(of: record.id, bit: win.bit) }
        } else {
          try park([win], of: slot)
        }
      }
    }
    let row = try store.insertRow(entity: local, syncID: record.syncID, values: values)
    objects[slot].row = row
    objects[slot].isChanged = true
    changes.insert(RowReference(entity: local, row: row))
    noteFolds(of: slot)
    for win in relationships { try writeTarget(win, of: slot, changes: &changes) }
    for target in parkedTargets where !wins.contains(where: { $0.bit == target.bit }) {
      try settle(
        slot, bit: target.bit, target: objects.slot(id: target.target, authors: authors), changes: &changes)
    }
    try showWhatWaits(for: slot, changes: &changes)
  }

  /// Writes registers into the row that shows the object.
  func writeRow(_ slot: Int, _ wins: [Win], changes: inout ChangedRows) throws {
    let record = objects[slot]
    guard let local = names.entities[record.entity].local, let row = record.row else { return }
    var values: [PropertyValue] = []
    for win in wins {
      switch win.content {
      case .target: try writeTarget(win, of: slot, changes: &changes)
      // Until it arrives the row shows what it showed.
      case .longValue: try park([win], of: slot)
      case .value(let value):
        if let position = holder(of: value, slot: slot, bit: win.bit) {
          values.append(PropertyValue(property: position, value: value))
          if record.hasTraces { try parked.removeValue(of: record.id, bit: win.bit) }
        } else {
          try park([win], of: slot)
        }
      }
    }
    guard !values.isEmpty else { return }
    try store.updateRow(entity: local, row: row, values: values)
    changes.update(RowReference(entity: local, row: row))
  }

  /// The property of the local model that can hold a register's value; `nil` if it must be parked.
  private func holder(of value: AttributeValue, slot: Int, bit: Int) -> Int? {
    let entity = names.entities[objects[slot].entity]
    guard let local = entity.local, let position = entity.properties[bit].local,
      entity.properties[bit].kind == .attribute, !entity.isFolded(bit),
      store.canHold(value, entity: local, property: position)
    else { return nil }
    return position
  }

  /// Deletes an object: removes its row, and keeps aside what still points at it.
  func delete(_ slot: Int, at stamp: Stamp, changes: inout ChangedRows) throws {
    let before = objects[slot]
    try eraseContributions(to: slot, at: stamp)
    guard let row = before.row, let local = names.entities[before.entity].local, before.inserted <= stamp
    else {
      return try eraseOlderRegisters(of: slot, at: stamp, changes: &changes)
    }
    // Registers written after the deletion, by somebody who did not know of it, outlast the row.
    let later = try before.clocks.filter { $0.stamp > stamp }
      .map { Win(bit: $0.bit, content: try content(of: slot, bit: $0.bit)) }
    if names.entities[before.entity].hasExclusiveProperty { claimsMayBeFree = true }
    try parkReferences(to: slot, row: row, changes: &changes)
    try store.deleteRow(entity: local, row: row)
    changes.delete(RowReference(entity: local, row: row))
    objects[slot].row = nil
    objects[slot].delete(at: stamp)
    try parked.removeAll(of: before.id)
    try park(later, of: slot)
  }

  /// A deletion of an object that does not live, or was inserted again later: only what was written before it goes.
  private func eraseOlderRegisters(of slot: Int, at stamp: Stamp, changes: inout ChangedRows) throws {
    let before = objects[slot]
    objects[slot].delete(at: stamp)
    var erased = before.clocks.filter { $0.stamp <= stamp }.map(\.bit)
    if before.inserted <= stamp { erased += (0..<64).filter { before.covered & (1 << UInt64($0)) != 0 } }
    guard before.row != nil else {
      for bit in erased {
        try parked.removeValue(of: before.id, bit: bit)
        try parked.removeTarget(of: before.id, bit: bit)
      }
      return
    }
    let properties = names.entities[before.entity].properties
    noteFolds(of: slot)
    try orderMayChange(of: slot)
    try writeRow(
      slot,
      erased.map { Win(bit: $0, content: properties[$0].kind == .attribute ? .value(.null) : .target(nil)) },
      changes: &changes)
    for cell in try links.cells(of: before.id, authors: authors) {
      let target = try objects.slot(id: cell.target, authors: authors)
      if isVisible(cell, source: before, target: objects[target]), cell.added <= stamp {
        try showLink(slot, bit: cell.bit, target: target, isShown: false, changes: &changes)
      }
    }
  }

  func parkReferences(to slot: Int, row: Int64, changes: inout ChangedRows) throws {
    let root = objects[slot].root
    let target = objects[slot].id
    for entity in names.entities {
      guard let local = entity.local else { continue }
      for property in entity.properties {
        guard let position = property.local, case .toOne(let destination) = property.kind,
          names.existingNumber(of: destination) == root
        else { continue }
        for source in try store.sources(entity: local, property: position, target: row) {
          guard let syncID = try store.syncID(root: names.entities[entity.root].name, row: source) else {
            continue
          }
          let sourceSlot = try objects.obtain(syncID, root: entity.root, authors: authors)
          let sourceEntity = names.entities[objects[sourceSlot].entity]
          guard let bit = sourceEntity.bits[property.name] else { continue }
          objects[slot].hasTraces = true
          try parked.park(target: target, of: objects[sourceSlot].id, bit: bit)
          changes.update(RowReference(entity: local, row: source))
        }
      }
    }
  }
}

extension ChangedRows {
  mutating func insert(_ row: RowReference) { inserted.insert(row) }

  mutating func update(_ row: RowReference) {
    if !inserted.contains(row) { updated.insert(row) }
  }

  mutating func delete(_ row: RowReference) {
    updated.remove(row)
    if inserted.remove(row) == nil { deleted.insert(row) }
  }
}
