/// Assigns the members of an ordered one-to-many relationship ascending places, changing as few as it can.
enum MemberPlaces {
  /// The distance that Core Data leaves between neighbours.
  static let distance: Int64 = 1_024

  /// Writes places into the members' own slots, in one pass.
  static func assign(_ members: [ManagedObject], of relationship: RelationshipDescription) {
    func slot(_ member: ManagedObject) -> Int? {
      member.entity.inverseIndex(of: relationship).flatMap { member.entity.orderSlots[$0] }
    }
    func place(_ member: ManagedObject) -> Int64? {
      if let slot = slot(member), case .integer(let place) = member.value(at: slot) { place } else { nil }
    }
    var last: Int64 = 0
    // Never goes back: a place that is too small for one member is too small for those behind it, too.
    var next = 0
    for (position, member) in members.enumerated() {
      guard let ownSlot = slot(member) else { continue }
      if let place = place(member), place > last {
        last = place
        continue
      }
      // A file may hold any number: where there is none above it, all places are assigned anew.
      guard last <= .max - distance else { return renumber(members, slot) }
      // The next place that is taken already bounds what is free.
      var following: Int64?
      while following == nil, next < members.count {
        if next > position, let place = place(members[next]), place > last + 1 {
          following = place
        } else {
          next += 1
        }
      }
      last = following.map { last + ($0 - last) / 2 } ?? last + distance
      member.setValue(.integer(last), at: ownSlot)
    }
  }

  private static func renumber(_ members: [ManagedObject], _ slot: (ManagedObject) -> Int?) {
    for (position, member) in members.enumerated() {
      if let slot = slot(member) { member.setValue(.integer(Int64(position + 1) * distance), at: slot) }
    }
  }
}
