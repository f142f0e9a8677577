import ObjectStore

/// To-many links, places in ordered relationships, and contributions.
extension Merge {
  func link(_ slot: ObjectTable.Slot, _ property: SetNames.Property, target: SyncID, isAdded: Bool) throws
    -> Bool
  {
    let effect = isAdded ? ChangeSide.Effect.added(target) : .removed(target)
    guard case .toMany = property.kind else {
      try warnOfSkipped(slot, property.bit, effect)
      return false
    }
    let known = try cells.property(property.bit, of: slot)
    guard let targetSlot = try obtain(target, of: known, from: slot) else { return false }
    // A link of a relationship that is its own inverse has no direction: it stands at the lesser identifier.
    let isReversed = known.isSymmetric && target < cells[slot].syncID
    let (source, member) = isReversed ? (targetSlot, slot) : (slot, targetSlot)
    try warnOfMissingEnds(source, property: known.name, target: member, effect)
    var cell = try cells.links.cell(cells[source].id, property.bit, cells[member].id)
    guard stamp > (isAdded ? cell.added : cell.removed) else { return false }
    if isAdded { cell.added = stamp } else { cell.removed = stamp }
    try cells.links.write(cell)
    effects.append(.linked(source, cell, target: member))
    return true
  }

  func place(
    _ slot: ObjectTable.Slot, _ property: SetNames.Property, target: SyncID, isInverse: Bool, _ key: PlaceKey
  ) throws -> Bool {
    let known = try cells.property(property.bit, of: slot)
    guard let targetSlot = try obtain(target, of: known, from: slot) else {
      try warnOfSkipped(slot, property.bit, nil)
      return false
    }
    let pair = PlaceTable.Pair(
      source: cells[slot].id, bit: property.bit, target: cells[targetSlot].id, isInverse: isInverse)
    if let present = try cells.places.cell(pair) {
      guard stamp > present.stamp || (stamp == present.stamp && present.key < key) else { return false }
    }
    try cells.places.write(PlaceTable.Cell(pair: pair, key: key, stamp: stamp))
    effects.append(.placed(slot, property.bit, target: targetSlot))
    return true
  }

  /// The record of an object that a relationship of another leads to; what becomes of either concerns both.
  private func obtain(_ target: SyncID, of property: KnownProperty, from slot: ObjectTable.Slot) throws
    -> ObjectTable.Slot?
  {
    guard let targetSlot = try cells.target(target, of: property) else { return nil }
    cells[slot].hasTraces = true
    cells[targetSlot].hasTraces = true
    return targetSlot
  }

  func contribute(
    _ contribution: Contribution, to slot: ObjectTable.Slot, _ property: SetNames.Property, writer: AuthorID
  ) throws -> Bool {
    let effect = ChangeSide.Effect.wrote(.value(contribution.value))
    guard property.kind == .attribute else {
      try warnOfSkipped(slot, property.bit, effect)
      return false
    }
    let known = try cells.property(property.bit, of: slot)
    if known.local == nil { warn(.unknownToModel, slot, key: known.name, remote: effect) }
    guard try cells.add(contribution, to: slot, property.bit, writer: writer) else { return false }
    effects.append(.contributed(RegisterID(object: cells[slot].id, bit: property.bit)))
    return true
  }
}
