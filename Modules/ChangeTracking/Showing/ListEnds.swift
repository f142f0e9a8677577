/// How far the members of lists reach that rows show.
///
/// Places of members may have come long before their rows. Without this each slice of a merge would pass all of them to find that nothing is
/// shown behind its own members.
struct ListEnds {
  /// Behind these places nothing is shown. What is shown may end before.
  private var places: [MemberListID: PlaceKey] = [:]

  /// Whether nothing is shown behind a place.
  func isEnd(of list: MemberListID, _ place: PlaceKey) -> Bool { places[list].map { $0 < place } ?? false }

  /// Notes a place behind which nothing is shown, now that it is.
  mutating func note(_ place: PlaceKey, in list: MemberListID) {
    places[list] = max(places[list] ?? place, place)
  }

  /// Forgets a list of which the rows have been arranged by other means.
  mutating func forget(_ list: MemberListID) { places[list] = nil }
}
