/// What is said of the to-many links that were touched.
extension Freezing {
  /// The root below which the target of a logged link or order is: that of the relationship's targets, unless a version of the model has
  /// put the target's entity into another family since.
  func targetRoot(of entry: ChangeLog.Entry) throws -> EntityNumber? {
    guard let target = entry.target?.entity else { return nil }
    if target.isKnown, cells.names.entities.indices.contains(target.rawValue) {
      return cells.names[target].root
    }
    return try cells.names.destination(of: cells.names[entry.entity].property(entry.firstBit))?.number
  }

  func freeze(_ link: TouchedRows.Link, _ touched: TouchedRows) throws {
    let entity = cells.names[link.entity]
    let property = try entity.property(link.bit)
    guard case .toMany = property.kind else { return }
    let targetRoot = cells.names[link.targetRoot]
    // The deletion of its source erases a link.
    guard touched.deletedSyncID(of: link.source, root: entity.root, since: link.time) == nil,
      let source = try end(link.source, below: cells.names.root(of: entity), at: link.time)
    else { return }
    var target: Slot
    if let deleted = touched.deletedSyncID(of: link.target, root: targetRoot.number, since: link.time) {
      // Of a target that came and went between two sets nothing but its deletion is said.
      guard let known = try cells.objects.find(deleted, root: targetRoot.number),
        cells[known].inserted != .zero
      else { return }
      target = known
    } else {
      guard let shown = try end(link.target, below: targetRoot, at: link.time) else { return }
      target = shown
    }
    // Whoever is told looks for the target where those of the relationship are.
    if targetRoot.number != cells.names.destination(of: property)?.number,
      let namesake = try cells.target(cells[target].syncID, of: property)
    {
      target = namesake
    }
    try say(link.bit, property, from: source, to: target, isAdded: link.isAdded, at: link.time)
  }

  /// Puts into the set again which links the row of an object shows that has come back: its deletion has ended them everywhere else.
  func freezeLinks(of row: RowReference, _ slot: Slot, at time: LogicalTime) throws {
    for property in cells.names[row.entity].localProperties {
      guard let position = property.local, case .toMany = property.kind,
        let root = cells.names.destination(of: property)
      else { continue }
      for target in try store.targets(of: row, position) {
        guard let target = try end(target, below: root, at: time) else { continue }
        try say(property.bit, property, from: slot, to: target, isAdded: true, at: time)
      }
    }
  }

  private func say(
    _ bit: PropertyBit, _ property: KnownProperty, from one: Slot, to other: Slot, isAdded: Bool,
    at time: LogicalTime
  ) throws {
    var (source, target) = (one, other)
    // A link of a relationship that is its own inverse has no direction: it stands at the lesser identifier.
    if property.isSymmetric, cells[target].syncID < cells[source].syncID { swap(&source, &target) }
    cells[source].hasTraces = true
    cells[target].hasTraces = true
    var cell = try cells.links.cell(cells[source].id, bit, cells[target].id)
    let known = max(cell.added, cell.removed, cells[source].deleted)
    guard let stamp = try stamp(time, after: known, of: source, property) else { return }
    if isAdded {
      if !property.order.isEmpty { try noteOrder(source, bit, target: target, at: time) }
      cell.added = max(cell.added, stamp)
    } else {
      cell.removed = max(cell.removed, stamp)
    }
    try cells.links.write(cell)

    let index = builder.index(of: cells.entity(of: source))
    let number = builder.index(of: try cells.property(bit, of: source), in: index)
    let member = cells[target].syncID
    builder.append(
      isAdded ? .link(property: number, target: member) : .unlink(property: number, target: member),
      to: cells[source].syncID, index, at: stamp.time)
  }

  /// The record of the object that a link led to or from; `nil` if it is gone.
  private func end(_ row: RowNumber, below root: KnownEntity, at time: LogicalTime) throws -> Slot? {
    guard let slot = try mention(row, below: root, at: time) else { return nil }
    // Another program may have put a row under the key of one of which the rest of the log says that it was deleted.
    if !cells[slot].lives, try wasDeleted(row, below: root, since: time, besides: cells[slot].syncID) {
      return nil
    }
    return slot
  }

  private func wasDeleted(
    _ row: RowNumber, below root: KnownEntity, since time: LogicalTime, besides syncID: SyncID
  ) throws -> Bool {
    try ChangeLog.deletions(of: row, cells.connection).contains { deletion in
      cells.names[deletion.entity].root == root.number && deletion.time >= time
        && SyncID(stored: deletion.detail) != syncID
    }
  }

  /// The record of the object that a row shows.
  ///
  /// Its insertion is said first if no set says it yet: whatever the clock does, nothing is said of an object before.
  func mention(_ row: RowNumber, below root: KnownEntity, at time: LogicalTime) throws -> Slot? {
    guard let slot = try reader.object(shownBy: row, below: root) else { return nil }
    if !cells[slot].lives, cells[slot].row == nil, row > frontier(of: root),
      let identity = try store.checkedIdentity(of: row, below: root.name)
    {
      try freezeContents(
        of: TouchedRows.Row(entity: cells.names[identity.entity].number, row: row, insertion: time))
    }
    return slot
  }

  func frontier(of entity: KnownEntity) -> RowNumber {
    InsertionScan.frontier(of: entity, in: cells.names, of: store)
  }
}
