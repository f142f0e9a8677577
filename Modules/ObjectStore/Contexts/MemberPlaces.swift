/// Assigns the members of an ordered one-to-many relationship ascending places, changing as few as it can.
enum MemberPlaces {
  /// The distance that Core Data leaves between neighbours.
  static let distance: Int64 = 1_024

  /// Writes places into the members' own slots.
  static func assign(_ members: [ManagedObject], of relationship: RelationshipDescription) {
    var last: Int64 = 0
    for (position, member) in members.enumerated() {
      guard let toOne = member.entity.inverseIndex(of: relationship),
        let slot = member.entity.orderSlots[toOne]
      else {
        continue
      }
      if case .integer(let place) = member.value(at: slot), place > last {
        last = place
        continue
      }
      // The next place that is taken already bounds what is free.
      var following: Int64?
      for other in members[(position + 1)...] {
        if case .integer(let place) = other.value(at: slot), place > last + 1 {
          following = place
          break
        }
      }
      last = following.map { last + ($0 - last) / 2 } ?? last + distance
      member.setValue(.integer(last), at: slot)
    }
  }
}
