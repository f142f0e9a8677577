import ObjectStore

/// Ordered relationships: rows arranged by the places of all.
extension Showing {
  /// Notes that the lists at the ordered ends of a relationship may show another order.
  func orderMayChange(_ slot: Slot, _ bit: PropertyBit, target: Slot) throws {
    unarranged.formUnion(try lists.lists(slot, bit, target: target))
  }

  /// Notes all lists that an object has, and that it is in, for a deletion has ended places.
  func orderMayChange(of slot: Slot) throws {
    unarranged.formUnion(try lists.lists(with: slot))
  }

  /// Arranges the rows of the lists that were noted: by place, those without a place last, equal ones by sync ID.
  func arrangeLists() throws {
    let noted = unarranged
    unarranged = []
    for list in noted {
      guard let local = try lists.localList(list) else { continue }
      let places = try lists.places(in: list)
      let members = try store.members(of: local).compactMap { row in
        try lists.member(row).map { (row, place: lists.place(of: $0, in: places), id: cells[$0].syncID) }
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
      if let owner = reader.row(of: try cells.objects[list.owner]) { changes.update(owner) }
    }
  }
}
