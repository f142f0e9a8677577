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

  /// Puts members behind all others, if their places are greater; so that one more costs the same however many there are.
  ///
  /// - Returns: `false` if all rows have to be arranged. The others are in their order already.
  private func append(_ members: Set<RecordID>, to list: MemberListID, _ local: OrderedList) throws -> Bool {
    var appended: [(row: RowReference, place: PlaceKey)] = []
    for id in members {
      let record = try cells.objects[id]
      guard let row = reader.row(of: record) else { continue }
      guard let place = try lists.place(of: record, in: list) else { return false }
      appended.append((row, place))
    }
    guard !appended.isEmpty else { return true }
    appended.sort { $0.place < $1.place }
    for (one, next) in zip(appended, appended.dropFirst()) where one.place == next.place { return false }
    var last: RowReference?
    if let other = try cells.places.greatest(
      of: list.owner, list.bit, isInverse: list.isInverse, besides: members)
    {
      guard other.key < appended[0].place else { return false }
      let record = try cells.objects[list.isInverse ? other.pair.source : other.pair.target]
      guard try lists.place(of: record, in: list) != nil, let row = reader.row(of: record) else {
        return false
      }
      last = row
    }
    let owner = reader.row(of: try cells.objects[list.owner])
    return try rows.append(appended.map(\.row), to: local, after: last, owner: owner)
  }

  private func arrange(_ list: MemberListID, _ local: OrderedList) throws {
    let places = try lists.places(in: list)
    var placed: [(row: RowReference, place: PlaceKey)] = []
    var others: [(row: RowReference, id: SyncID)] = []
    for row in try store.checkedMembers(of: local) {
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
