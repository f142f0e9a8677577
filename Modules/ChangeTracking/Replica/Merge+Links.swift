import ObjectStore

/// To-many links, places in ordered relationships, and contributions.
extension Merge {
  func link(_ slot: Int, bit: Int, target: SyncID, at stamp: Stamp, added: Bool) throws -> Bool {
    let property = replica.names.entities[replica.objects[slot].entity].properties[bit]
    let effect = added ? ChangeSide.Effect.added(target) : .removed(target)
    guard case .toMany(let destination) = property.kind else {
      warnOfSkipped(slot, bit: bit, effect)
      return false
    }
    let targetSlot = try obtain(target, root: destination, relatedTo: slot)
    let source = replica.objects[slot]
    warnOfMissingEnds(slot, property: property.name, target: targetSlot, effect)
    var cell = try replica.links.cell(
      source: source.id, bit: bit, target: replica.objects[targetSlot].id, authors: replica.authors)
    guard stamp > (added ? cell.added : cell.removed) else { return false }
    let wasShown = replica.isVisible(cell, source: source, target: replica.objects[targetSlot])
    if added { cell.added = stamp } else { cell.removed = stamp }
    try replica.links.write(cell, authors: replica.authors)
    let isShown = replica.isVisible(cell, source: source, target: replica.objects[targetSlot])
    if wasShown != isShown {
      try replica.showLink(slot, bit: bit, target: targetSlot, isShown: isShown, changes: &report.changedRows)
    }
    return true
  }

  func place(
    _ slot: Int, bit: Int, target: SyncID, isInverse: Bool, key: PlaceKey, at stamp: Stamp
  ) throws -> Bool {
    let property = replica.names.entities[replica.objects[slot].entity].properties[bit]
    guard let destination = property.kind.stored.destination else {
      warnOfSkipped(slot, bit: bit, nil)
      return false
    }
    let targetSlot = try obtain(target, root: destination, relatedTo: slot)
    let pair = PlaceTable.Pair(
      source: replica.objects[slot].id, bit: bit, target: replica.objects[targetSlot].id, isInverse: isInverse
    )
    if let known = try replica.places.cell(pair, authors: replica.authors) {
      guard stamp > known.stamp || (stamp == known.stamp && known.key < key) else { return false }
    }
    try replica.places.write(PlaceTable.Cell(pair: pair, key: key, stamp: stamp), authors: replica.authors)
    replica.orderMayChange(slot, bit: bit, target: targetSlot)
    return true
  }

  /// The record of an object that a relationship of another leads to; what becomes of either concerns both.
  private func obtain(_ target: SyncID, root: String, relatedTo slot: Int) throws -> Int {
    let root = try replica.names.number(of: root, root: root)
    let targetSlot = try replica.objects.obtain(target, root: root, authors: replica.authors)
    replica.objects[slot].hasTraces = true
    replica.objects[targetSlot].hasTraces = true
    return targetSlot
  }

  func contribute(_ contribution: Contribution, to slot: Int, bit: Int, writer: AuthorID) throws
    -> Bool
  {
    let property = replica.names.entities[replica.objects[slot].entity].properties[bit]
    let effect = ChangeSide.Effect.wrote(.value(contribution.value))
    guard property.kind == .attribute else {
      warnOfSkipped(slot, bit: bit, effect)
      return false
    }
    if property.local == nil { warn(.unknownToModel, slot: slot, key: property.name, remote: effect) }
    return try replica.add(contribution, slot: slot, bit: bit, writer: writer)
  }
}
