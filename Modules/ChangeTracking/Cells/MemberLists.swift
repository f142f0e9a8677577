import ObjectStore

/// An ordered relationship of one object. Its members are the targets of the object or, if inverse, the sources that it is
/// the target of.
struct MemberListID: Hashable, Comparable {
  /// Stands for all entities that have the canonical end by inheritance.
  var declaration: EntityNumber
  /// The canonical end's register.
  var bit: PropertyBit
  var isInverse: Bool
  /// The record of the object that has the members.
  var owner: RecordID

  static func < (left: MemberListID, right: MemberListID) -> Bool {
    (left.owner, left.declaration, left.bit, left.isInverse ? 1 : 0)
      < (right.owner, right.declaration, right.bit, right.isInverse ? 1 : 0)
  }
}

/// Finds ordered lists, their members and their places.
struct MemberLists {
  let cells: Cells
  let store: any LocalStore
  let reader: RegisterReader

  init(reader: RegisterReader) {
    cells = reader.cells
    store = reader.store
    self.reader = reader
  }

  typealias Slot = ObjectTable.Slot

  /// The ordered end of a relationship, with the entities of which objects may have its lists.
  struct Order {
    var property: KnownProperty
    var isInverse: Bool
    var owners: [EntityNumber]
  }

  /// All ordered ends that the local model knows.
  func orders() throws -> [Order] {
    var orders: [Order] = []
    for entity in cells.names.entities where entity.local != nil {
      for property in entity.localProperties {
        if property.order.contains(.targets) {
          orders.append(Order(property: property, isInverse: false, owners: [entity.number]))
        }
        if property.order.contains(.sources), property.declaration == entity.number,
          let root = cells.names.destination(of: property)?.number
        {
          let owners = cells.names.entities.filter { $0.root == root && $0.local != nil }.map(\.number)
          orders.append(Order(property: property, isInverse: true, owners: owners))
        }
      }
    }
    return orders
  }

  /// The lists at the ordered ends of one relationship between two objects.
  func lists(_ slot: Slot, _ bit: PropertyBit, target: Slot) throws -> [MemberListID] {
    let property = try cells.property(bit, of: slot)
    func list(_ owner: Slot, isInverse: Bool) -> MemberListID {
      MemberListID(
        declaration: property.declaration, bit: bit, isInverse: isInverse, owner: cells[owner].id)
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

  /// All lists that an object has or is in, as far as places tell.
  func lists(with slot: Slot) throws -> [MemberListID] {
    try cells.places.cells(with: cells[slot].id).compactMap { cell in
      let source = try cells.objects[cell.pair.source]
      let property = try cells.entity(of: source).property(cell.pair.bit)
      return MemberListID(
        declaration: property.declaration, bit: cell.pair.bit, isInverse: cell.pair.isInverse,
        owner: cell.pair.isInverse ? cell.pair.target : cell.pair.source)
    }
  }

  /// Where the local store keeps a list; `nil` if it does not show it.
  func localList(_ list: MemberListID) throws -> OrderedList? {
    let owner = try cells.objects[list.owner]
    guard let row = owner.row else { return nil }
    // What a member's present entity does not have is in no list; a place may tell of when it was of another.
    if list.isInverse, !list.declaration.isKnown { return nil }
    let entity = cells.names[list.isInverse ? list.declaration : owner.entity]
    let property = try entity.property(list.bit)
    guard let local = entity.local, let position = property.local,
      property.order.contains(list.isInverse ? .sources : .targets)
    else { return nil }
    return OrderedList(entity: local, property: position, isInverse: list.isInverse, owner: row)
  }

  /// The object that a row of a list shows.
  func member(_ row: RowReference) throws -> Slot? {
    try reader.object(shownBy: row.row, below: cells.names.root(of: cells.names[row.entity]))
  }

  /// The object at the other end of a relationship between two of which one has a list.
  func member(of list: MemberListID, _ slot: Slot, _ target: Slot) -> RecordID {
    let isOwner = cells[slot].id == list.owner && !list.isInverse
    return cells[isOwner ? target : slot].id
  }

  /// What decides whether an object is a member of a list, as far as places tell: neither owner nor member was deleted since. Another family's
  /// rows have numbers of their own: an object that went there has no place any more.
  struct Membership {
    fileprivate let list: MemberListID
    fileprivate let names: NameTable
    fileprivate let deleted: Stamp
    fileprivate let root: EntityNumber?

    fileprivate func includes(_ entity: EntityNumber, deleted: Stamp, placed stamp: Stamp) throws -> Bool {
      guard stamp > self.deleted, stamp > deleted, names[entity].root == root else { return false }
      // Siblings may have relationships of one name and bit that lead to different lists.
      return try !list.isInverse || names[entity].property(list.bit).declaration == list.declaration
    }
  }

  func membership(of list: MemberListID) throws -> Membership {
    let owner = try cells.objects[list.owner]
    let entity = list.isInverse ? cells.names[list.declaration] : cells.entity(of: owner)
    let target = try cells.names.destination(of: entity.property(list.bit))?.number
    return Membership(
      list: list, names: cells.names, deleted: owner.deleted, root: list.isInverse ? entity.root : target)
  }

  /// The place of a member in a list; `nil` if it has none.
  func place(of member: ObjectRecord, _ membership: Membership) throws -> PlaceKey? {
    let list = membership.list
    let (source, target) = list.isInverse ? (member.id, list.owner) : (list.owner, member.id)
    let pair = PlaceTable.Pair(source: source, bit: list.bit, target: target, isInverse: list.isInverse)
    guard let cell = try cells.places.cell(pair),
      try membership.includes(member.entity, deleted: member.deleted, placed: cell.stamp)
    else { return nil }
    return cell.key
  }

  /// The row of a member, as far as its place tells that it is one.
  func row(_ member: PlaceTable.MemberPlace, _ membership: Membership) throws -> RowReference? {
    guard try membership.includes(member.entity, deleted: member.deleted, placed: member.cell.stamp) else {
      return nil
    }
    return cells.names[member.entity].local.map { RowReference(entity: $0, row: member.row) }
  }

  /// The places in a list, by the rows that show its members.
  func places(in list: MemberListID) throws -> [RowNumber: PlaceKey] {
    try cells.objects.flush()
    let membership = try membership(of: list)
    let members = try cells.places.shownMembers(of: list.owner, list.bit, isInverse: list.isInverse)
    var places: [RowNumber: PlaceKey] = [:]
    places.reserveCapacity(members.count)
    for member in members
    where try membership.includes(member.entity, deleted: member.deleted, placed: member.cell.stamp) {
      places[member.row] = member.cell.key
    }
    return places
  }
}
