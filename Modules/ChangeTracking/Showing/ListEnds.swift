import TICDSSQLite

/// How far the members of lists reach that rows show, kept between the slices of one merge.
///
/// Places of members may have come long before their rows. Without this each slice would pass all of them to find that nothing is shown behind
/// its own members.
final class ListEnds {
  /// Behind these places nothing is shown. What is shown may end before.
  private var places: [MemberListID: PlaceKey] = [:]
  /// The version of the database in which that is so.
  private var version: UInt32 = 0

  /// Begins with a slice: what others have committed since the last one may be anywhere.
  func begin(on connection: Connection) {
    if connection.dataVersion != version { places = [:] }
  }

  /// Ends with a slice, whose commit is the next change of the database.
  func end(on connection: Connection) {
    version = connection.dataVersion &+ 1
  }

  /// Whether nothing is shown behind a place.
  func isEnd(of list: MemberListID, _ place: PlaceKey) -> Bool { places[list].map { $0 < place } ?? false }

  /// Notes the last member that a slice has put into a list.
  ///
  /// - Parameter isLast: whether nothing is shown behind it.
  func note(_ place: PlaceKey, in list: MemberListID, isLast: Bool) {
    if isLast { places[list] = max(places[list] ?? place, place) }
  }

  /// Forgets a list of which the rows have been arranged by other means.
  func forget(_ list: MemberListID) { places[list] = nil }
}
