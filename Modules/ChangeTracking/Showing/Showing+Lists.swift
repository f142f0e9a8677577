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
      var insertion = try MemberInsertion(
        members, into: list, local, lists: lists, rows: rows, ends: listEnds)
      let isDone = try insertion.run()
      listEnds = insertion.ends
      if !isDone { try arrange(list, local) }
    }
    for list in noted {
      if let local = try lists.localList(list) { try arrange(list, local) }
    }
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
    listEnds?.forget(list)
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
