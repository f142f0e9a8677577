import ObjectStore

/// What is said of ordered relationships: the places of members, as far as they must change.
extension Freezing {
  /// Notes that lists may have another order, because one end of a relationship came.
  func noteOrder(_ slot: Slot, _ bit: PropertyBit, target: Slot, at time: LogicalTime) throws {
    for list in try lists.lists(slot, bit, target: target) { noteOrder(list, at: time) }
  }

  /// Notes the list that an object came to by a to-one relationship.
  func noteOrder(_ slot: Slot, _ property: KnownProperty, _ content: Register.Content, at time: LogicalTime)
    throws
  {
    guard property.order.contains(.sources), case .target(let target?) = content,
      let targetSlot = try cells.target(target, of: property)
    else { return }
    try noteOrder(slot, property.bit, target: targetSlot, at: time)
  }

  /// Notes a list that the user gave a new order.
  func noteOrder(_ list: TouchedRows.List, at time: LogicalTime) throws {
    let entity = cells.names[list.entity]
    let property = try entity.property(list.bit)
    let root = list.isInverse ? cells.names.destination(of: property) : cells.names.root(of: entity)
    // What has gone to another family has no such list any more.
    guard let root, root.number == list.root else { return }
    // An owner that is gone by now has no order any more.
    guard let owner = try mention(list.row, below: root, at: time) else { return }
    noteOrder(
      MemberListID(
        declaration: property.declaration, bit: list.bit, isInverse: list.isInverse, owner: cells[owner].id),
      at: time)
  }

  private func noteOrder(_ list: MemberListID, at time: LogicalTime) {
    reordered[list] = max(reordered[list] ?? .zero, time)
  }

  /// Adds the places of the members in the lists that were noted.
  func freezeOrders() throws {
    let noted = reordered.sorted { $0.key < $1.key }
    reordered = [:]
    for (list, time) in noted {
      guard let local = try lists.localList(list) else { continue }
      let places = try lists.places(in: list)
      var members: [(row: RowReference, place: PlaceKey?)] = []
      for row in try store.checkedMembers(of: local) {
        if let place = places[row.row] {
          members.append((row, place))
        } else if try member(row, at: time) != nil {
          members.append((row, nil))
        }
      }
      let changes = PlaceAssignment.changes(members.map(\.place), tag: PlaceKey.Tag(author))
      for (index, key) in changes {
        guard let member = try member(members[index].row, at: time) else { continue }
        try say(key, of: member, in: list, at: time)
      }
    }
  }

  private func member(_ row: RowReference, at time: LogicalTime) throws -> Slot? {
    try mention(row.row, below: cells.names.root(of: cells.names[row.entity]), at: time)
  }

  private func say(_ key: PlaceKey, of member: Slot, in list: MemberListID, at time: LogicalTime) throws {
    let owner = try cells.objects.slot(list.owner)
    let (source, target) = list.isInverse ? (member, owner) : (owner, member)
    // What is written to a record has all of them looked at before the places of the next list are read.
    for slot in [source, target] where !cells[slot].hasTraces { cells[slot].hasTraces = true }
    let pair = PlaceTable.Pair(
      source: cells[source].id, bit: list.bit, target: cells[target].id, isInverse: list.isInverse)
    let place = try cells.places.cell(pair)?.stamp ?? .zero
    let known = max(place, cells[source].deleted, cells[target].deleted)
    guard let stamp = try stamp(time, after: known, of: source), stamp > place else { return }
    try cells.places.write(PlaceTable.Cell(pair: pair, key: key, stamp: stamp))
    let index = builder.index(of: cells.entity(of: source))
    let property = builder.index(of: try cells.property(list.bit, of: source), in: index)
    builder.append(
      .place(
        property: property, target: cells[target].syncID, isInverse: list.isInverse, bytes: key.bytes),
      to: cells[source].syncID, index, at: stamp.time)
  }
}
