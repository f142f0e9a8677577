import ChangeTracking

/// What all devices have merged nobody asks for, though storage has lost it and its author is gone: whoever joins later would wait for it in
/// vain. So devices that had to name an end themselves look whether its set is there, once a day, and count it as lost after a week.
extension DocumentSyncManager {
  /// Looks whether the sets of ends that this device has named are there.
  ///
  /// - Returns: the authors of those that count as lost and that nobody has said again.
  func authorsOfLostEnds(
    _ listing: HeadListing, _ heads: HeadTransfer, _ sets: SetTransfer
  ) async throws -> Set<AuthorID> {
    let known = try pins.namedEnds
    guard !known.isEmpty, !listing.isCut else { return [] }
    let (now, own) = (configuration.now(), try replica.author)
    let (superseded, floor) = (try pins.supersededAuthors(), try floor())
    let rank = WholeStoreNeed.rank(of: own, among: try membersAmong(listing.authors), turn: 0)
    var (left, lost): ([NamedEnd], Set<AuthorID>) = ([], [])
    for var named in known {
      let (author, set) = (named.end.author, named.end.set)
      // Who is back looks after his sets himself; what was said again or lies below the floor nobody needs.
      let isNamedByHead = (listing.newest(of: author)?.sequence ?? 0) >= set.sequence
      if isNamedByHead || author == own || superseded[author]?.sequence ?? 0 >= set.sequence
        || floor[author] >= set.sequence
      {
        continue
      }
      guard named.isLookDue(at: now), left.count < Self.answerLimit else {
        left.append(named)
        continue
      }
      guard case .obstacle? = try await sets.fetch([.init(author: author, set: set)]).first else { continue }
      named.looked = now
      left.append(named)
      if named.isLost(at: now, rank: rank), try await !isSaid([set], of: author, listing, heads) {
        lost.insert(author)
      }
    }
    try pins.setNamedEnds(left)
    return lost
  }
}
