/// Assigns the members of a list places that express its order, writing as few as can be.
enum PlaceAssignment {
  /// Keys that have grown longer than this, after many insertions into ever the same gap, make the list be placed anew. So do members
  /// between which there is no key, for others may say any bytes.
  static let lengthLimit = 160

  /// The members that need a new place.
  ///
  /// - Parameter present: The places of the members, in the order that the list is to have.
  static func changes(_ present: [PlaceKey?], tag: PlaceKey.Tag) -> [(index: Int, key: PlaceKey)] {
    let stays = AscendingSubsequence.members(of: present)
    var changes: [(index: Int, key: PlaceKey)] = []
    var last: PlaceKey?
    var index = 0
    while index < present.count {
      if stays[index] {
        last = present[index]
        index += 1
        continue
      }
      let end = present.indices[index...].first { stays[$0] } ?? present.count
      let next = end < present.count ? present[end] : nil
      let keys = PlaceKey.between(last, next, count: end - index, tag: tag)
      for (offset, key) in keys.enumerated() { changes.append((index + offset, key)) }
      index = end
    }
    var places = present
    for (index, key) in changes { places[index] = key }
    if changes.contains(where: { $0.key.bytes.count > lengthLimit }) || !isAscending(places) {
      let fresh = PlaceKey.between(nil, nil, count: present.count, tag: tag)
      return fresh.enumerated().map { (index: $0, key: $1) }
    }
    return changes
  }

  private static func isAscending(_ places: [PlaceKey?]) -> Bool {
    zip(places, places.dropFirst()).allSatisfy { left, right in
      guard let left, let right else { return false }
      return left < right
    }
  }
}
