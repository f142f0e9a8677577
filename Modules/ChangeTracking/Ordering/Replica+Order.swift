import ObjectStore

/// An ordered relationship of one object. Its members are the targets of the object or, if inverse, the sources that it is
/// the target of.
struct MemberListID: Hashable {
  /// Number of an entity that has the canonical end.
  var entity: Int
  /// The canonical end's register.
  var bit: Int
  var isInverse: Bool
  /// The record of the object that has the members.
  var owner: Int64
}

/// Ordered relationships: places said when the user orders, and rows arranged by the places of all.
extension Replica {
  // MARK: What the user ordered

  /// Notes that the row of a user may have another order in some lists, because one end of a relationship came.
  func noteOrder(_ slot: Int, bit: Int, target: Int, at time: LogicalTime) {
    for list in lists(slot, bit: bit, target: target) {
      reordered[list] = max(reordered[list] ?? .zero, time)
    }
  }

  /// Notes the list that an object came to by a to-one relationship.
  func noteOrder(_ slot: Int, bit: Int, _ content: Register.Content, at time: LogicalTime) throws {
    let property = names.entities[objects[slot].entity].properties[bit]
    guard property.order.contains(.sources), case .target(let target?) = content,
      let destination = property.kind.stored.destination
    else { return }
    let root = try names.number(of: destination, root: destination)
    noteOrder(slot, bit: bit, target: try objects.obtain(target, root: root, authors: authors), at: time)
  }

  /// Notes a list that the user gave a new order.
  func noteOrder(_ list: TouchedRows.List, at time: LogicalTime) throws {
    let entity = names.entities[list.entity]
    guard entity.properties.indices.contains(list.bit) else { return }
    var root = entity.root
    if list.isInverse {
      guard let destination = entity.properties[list.bit].kind.stored.destination else { return }
      root = try names.number(of: destination, root: destination)
    }
    // An owner that is gone by now has no order any more.
    guard let syncID = try store.syncID(root: names.entities[root].name, row: list.row) else { return }
    let owner = objects[try objects.obtain(syncID, root: root, authors: authors)].id
    let id = MemberListID(entity: list.entity, bit: list.bit, isInverse: list.isInverse, owner: owner)
    reordered[id] = max(reordered[id] ?? .zero, time)
  }

  /// Says the places of the members in the lists that were noted, as far as they must change.
  func freezeOrders(by author: AuthorID, into builder: inout ChangeSetBuilder) throws {
    let lists = reordered.sorted {
      ($0.key.owner, $0.key.entity, $0.key.bit) < ($1.key.owner, $1.key.entity, $1.key.bit)
    }
    reordered = [:]
    for (list, time) in lists {
      let owner = try objects.slot(id: list.owner, authors: authors)
      guard let rows = try rows(of: list, owner: owner) else { continue }
      let members = try rows.compactMap { try member($0, of: list) }
      let places = try places(in: list, owner: owner)
      let stamp = Stamp(time: time, author: author)
      for (index, key) in PlaceAssignment.changes(
        members.map { place(of: $0.slot, in: places) }, tag: PlaceKey.Tag(author))
      {
        try say(key, of: members[index], in: list, owner: owner, at: stamp, into: &builder)
      }
    }
  }

  private func say(
    _ key: PlaceKey, of member: Member, in list: MemberListID, owner: Int, at stamp: Stamp,
    into builder: inout ChangeSetBuilder
  ) throws {
    let (source, target) = list.isInverse ? (member.slot, owner) : (owner, member.slot)
    let entity = list.isInverse ? member.entity : objects[owner].entity
    let name = names.entities[list.entity].properties[list.bit].name
    guard let bit = names.entities[entity].bits[name] else { return }
    if objects[source].entity == 0 { objects[source].entity = entity }
    objects[source].hasTraces = true
    objects[target].hasTraces = true
    let pair = PlaceTable.Pair(
      source: objects[source].id, bit: bit, target: objects[target].id, isInverse: list.isInverse)
    if let known = try places.cell(pair, authors: authors), known.stamp >= stamp { return }
    try places.write(PlaceTable.Cell(pair: pair, key: key, stamp: stamp), authors: authors)
    let index = builder.index(of: entity, in: names)
    builder.append(
      .place(
        property: builder.index(of: bit, of: entity, at: index, in: names), target: objects[target].syncID,
        isInverse: list.isInverse, bytes: key.bytes),
      to: objects[source].syncID, entity: index, at: stamp.time)
  }

  // MARK: What is shown

  /// Notes that the lists at the ordered ends of a relationship may show another order.
  func orderMayChange(_ slot: Int, bit: Int, target: Int) {
    for list in lists(slot, bit: bit, target: target) { unarranged.insert(list) }
  }

  /// Notes all lists that an object has, and that it is in, for a deletion has ended places.
  func orderMayChange(of slot: Int) throws {
    for cell in try places.cells(with: objects[slot].id, authors: authors) {
      let source = objects[try objects.slot(id: cell.pair.source, authors: authors)]
      unarranged.insert(
        MemberListID(
          entity: source.entity, bit: cell.pair.bit, isInverse: cell.pair.isInverse,
          owner: cell.pair.isInverse ? cell.pair.target : cell.pair.source))
    }
  }

  /// Arranges the rows of the lists that were noted: by place, those without a place last, equal ones by sync ID.
  func arrangeLists(changes: inout ChangedRows) throws {
    let lists = unarranged
    unarranged = []
    for list in lists {
      let owner = try objects.slot(id: list.owner, authors: authors)
      guard let rows = try rows(of: list, owner: owner), let local = arrangement(of: list, owner: owner)
      else {
        continue
      }
      let places = try places(in: list, owner: owner)
      let members = try rows.compactMap { row in
        try member(row, of: list).map {
          (row, place: place(of: $0.slot, in: places), id: objects[$0.slot].syncID)
        }
      }
      let ordered = members.sorted { left, right in
        switch (left.place, right.place) {
        case (let a?, let b?) where a != b: a < b
        case (.some, nil): true
        case (nil, .some): false
        default: left.id < right.id
        }
      }
      let moved = try store.arrange(ordered.map(\.0), of: local)
      if moved.isEmpty { continue }
      for row in moved { changes.update(row) }
      if let entity = names.entities[objects[owner].entity].local {
        changes.update(RowReference(entity: entity, row: local.owner))
      }
    }
  }

  // MARK: Parts

  private struct Member {
    var slot: Int
    /// Number of its entity.
    var entity: Int
  }

  /// The lists at the ordered ends of one relationship between two objects.
  private func lists(_ slot: Int, bit: Int, target: Int) -> [MemberListID] {
    let property = names.entities[objects[slot].entity].properties[bit]
    func list(_ owner: Int, isInverse: Bool) -> MemberListID {
      MemberListID(
        entity: objects[slot].entity, bit: bit, isInverse: isInverse, owner: objects[owner].id)
    }
    var lists: [MemberListID] = []
    if property.order.contains(.targets) {
      lists.append(list(slot, isInverse: false))
      // In a relationship without direction, each is a target of the other.
      if property.isSymmetric, slot != target { lists.append(list(target, isInverse: false)) }
    }
    if property.order.contains(.sources) { lists.append(list(target, isInverse: true)) }
    return lists
  }

  /// Where the local store keeps a list; `nil` if it does not show it.
  private func arrangement(of list: MemberListID, owner: Int) -> OrderedList? {
    // The number of the property may differ among the entities that have it.
    let name = names.entities[list.entity].properties[list.bit].name
    let number = list.isInverse ? list.entity : objects[owner].entity
    let entity = names.entities[number]
    guard let bit = entity.bits[name], let local = entity.local, let position = entity.properties[bit].local,
      entity.properties[bit].order.contains(list.isInverse ? .sources : .targets),
      let row = objects[owner].row
    else { return nil }
    return OrderedList(entity: local, property: position, isInverse: list.isInverse, owner: row)
  }

  private func rows(of list: MemberListID, owner: Int) throws -> [RowReference]? {
    guard let arrangement = arrangement(of: list, owner: owner) else { return nil }
    return try store.members(of: arrangement)
  }

  private func member(_ row: RowReference, of list: MemberListID) throws -> Member? {
    let name = store.schema.entities[row.entity].name
    guard let entity = names.existingNumber(of: name) else { return nil }
    let root = names.entities[entity].root
    guard let syncID = try store.syncID(root: names.entities[root].name, row: row.row) else { return nil }
    return Member(slot: try objects.obtain(syncID, root: root, authors: authors), entity: entity)
  }

  /// The place of a member, unless the member was deleted after it got there.
  private func place(of member: Int, in places: [Int64: PlaceTable.Cell]) -> PlaceKey? {
    places[objects[member].id].flatMap { $0.stamp > objects[member].deleted ? $0.key : nil }
  }

  /// The places in a list since its owner was last deleted, by the record of the member.
  private func places(in list: MemberListID, owner: Int) throws -> [Int64: PlaceTable.Cell] {
    var found: [Int64: PlaceTable.Cell] = [:]
    let deleted = objects[owner].deleted
    if list.isInverse {
      let name = names.entities[list.entity].properties[list.bit].name
      for cell in try places.cells(to: list.owner, authors: authors) where cell.stamp > deleted {
        let source = objects[try objects.slot(id: cell.pair.source, authors: authors)]
        guard names.entities[source.entity].properties.indices.contains(cell.pair.bit),
          names.entities[source.entity].properties[cell.pair.bit].name == name
        else { continue }
        found[cell.pair.source] = cell
      }
    } else {
      let name = names.entities[list.entity].properties[list.bit].name
      guard let bit = names.entities[objects[owner].entity].bits[name] else { return [:] }
      for cell in try places.cells(of: list.owner, bit: bit, authors: authors) where cell.stamp > deleted {
        found[cell.pair.target] = cell
      }
    }
    return found
  }
}
