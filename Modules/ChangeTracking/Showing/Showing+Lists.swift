import ObjectStore

/// Ordered relationships: rows arranged by the places of all.
extension Showing {
  /// Notes that the lists at the ordered ends of a relationship may show another order.
  func orderMayChange(_ slot: Slot, _ bit: PropertyBit, target: Slot) throws {
    for list in try lists.lists(slot, bit, target: target) {
      placed[list, default: []].insert(lists.member(of: list, slot, target))
    }
  }

  /// Notes all lists that an object has, and that it is in, for a deletion has ended places.
  ///
  /// Which ones is found out once, however many deletions of an object come.
  func orderMayChange(of slot: Slot) {
    unordered.insert(cells[slot].id)
  }

  /// Arranges the rows of the lists that were noted: by place, those without a place last, equal ones by sync ID.
  func arrangeLists() throws {
    for id in unordered { unarranged.formUnion(try lists.lists(with: cells.objects.slot(id))) }
    unordered = []
    let (noted, placed) = (unarranged, placed)
    (unarranged, self.placed) = ([], [:])
    for (list, members) in placed where !noted.contains(list) {
      guard let local = try lists.localList(list) else { continue }
      if try !append(members, to: list, local) { try arrange(list, local) }
    }
    for list in noted {
      if let local = try lists.localList(list) { try arrange(list, local) }
    }
  }

  /// Members of a list that are put behind all others beside those that came, at most.
  private static let tailLimit = 256

  /// Puts members behind all others, together with those few whose places are greater; so that some more cost the same however many there
  /// are.
  ///
  /// - Returns: `false` if all rows have to be arranged. The others are in their order already.
  private func append(_ members: Set<RecordID>, to list: MemberListID, _ local: OrderedList) throws -> Bool {
    let membership = try lists.membership(of: list)
    var appended: [(row: RowReference, place: PlaceKey)] = []
    for id in members {
      let record = try cells.objects[id]
      guard let row = reader.row(of: record) else { continue }
      guard let place = try lists.place(of: record, membership) else { return false }
      appended.append((row, place))
    }
    guard let least = appended.map(\.place).min() else { return true }
    guard let tail = try tail(of: list, membership, besides: members, from: least) else { return false }
    appended += tail.rows
    appended.sort { $0.place < $1.place }
    for (one, next) in zip(appended, appended.dropFirst()) where one.place == next.place { return false }
    let owner = reader.row(of: try cells.objects[list.owner])
    return try rows.append(appended.map(\.row), to: local, after: tail.last, owner: owner)
  }

  /// The members of a list from a place on, and the one before them; `nil` if they are many, or if places do not tell their order.
  private func tail(
    of list: MemberListID, _ membership: MemberLists.Membership, besides members: Set<RecordID>,
    from least: PlaceKey
  ) throws -> (
    rows: [(row: RowReference, place: PlaceKey)], last: RowReference?
  )? {
    var tail: [(row: RowReference, place: PlaceKey)] = []
    var (last, left, isDecided) = (RowReference?.none, Self.tailLimit, true)
    let limit = members.count + Self.tailLimit
    try cells.places.visit(list.owner, list.bit, isInverse: list.isInverse, limit: limit) { cell in
      let id = list.isInverse ? cell.pair.source : cell.pair.target
      if members.contains(id) { return true }
      left -= 1
      let record = try cells.objects[id]
      guard let row = reader.row(of: record) else { return left > 0 }
      guard try left > 0 && lists.place(of: record, membership) != nil else {
        isDecided = false
        return false
      }
      if cell.key < least {
        last = row
        return false
      }
      tail.append((row, cell.key))
      return true
    }
    return isDecided && left > 0 ? (tail, last) : nil
  }

  /// Arranges all lists that the local model knows: a migration gives rows an order of its own where they had none, and a relationship that
  /// was not ordered has no places.
  func arrangeAllLists() throws {
    try cells.objects.flush()
    for list in try lists.orders() {
      for id in try list.owners.flatMap(cells.objects.shown) {
        try cells.objects.spill()
        let list = MemberListID(
          declaration: list.property.declaration, bit: list.property.bit, isInverse: list.isInverse, owner: id
        )
        if let local = try lists.localList(list) { try arrange(list, local) }
      }
    }
  }

  private func arrange(_ list: MemberListID, _ local: OrderedList) throws {
    let members = try store.checkedMembers(of: local)
    if members.count < 2 { return }
    let places = try lists.places(in: list)
    var placed: [(row: RowReference, place: PlaceKey)] = []
    var others: [(row: RowReference, id: SyncID)] = []
    for row in members {
      if let place = places[row.row] {
        placed.append((row, place))
      } else if let id = try syncID(row) {
        others.append((row, id))
      }
    }
    try placed.sort { left, right in
      if left.place != right.place { return left.place < right.place }
      guard let id = try syncID(left.row), let other = try syncID(right.row) else { return false }
      return id < other
    }
    others.sort { $0.id < $1.id }
    let ordered = placed.map(\.row) + others.map(\.row)
    let owner = reader.row(of: try cells.objects[list.owner])
    _ = try rows.arrange(ordered, of: local, owner: owner)
  }

  private func syncID(_ member: RowReference) throws -> SyncID? {
    try lists.member(member).map { cells[$0].syncID }
  }
}
