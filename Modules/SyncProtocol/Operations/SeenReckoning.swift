import ChangeTracking

/// Who has everything that is listed, told from the names of heads as far as these prove it.
///
/// A head's `seen` is a sum over all authors that its device has applied, also over those that are not listed any more because others have
/// said their sets again. So a sum that is large enough proves nothing by itself: it may count sets that nobody lacks. What such authors
/// add to it is known within bounds; where these leave both possible, the vector in the head decides, once somebody has read it.
struct SeenReckoning {
  /// What the names say of one device.
  enum Verdict: Hashable, Sendable {
    /// It has everything that is listed.
    case everything
    /// It lacks something of that.
    case less
    /// The sum may be either; its head would tell.
    case unknown
  }

  /// The last set of each author that is listed.
  private let listed: VersionVector
  /// How far anybody is known to have got with each author, listed or not.
  private let reached: VersionVector
  private let listedTotal: UInt64
  private let reachedTotal: UInt64
  /// What devices had applied at least, as their heads said when they were last read.
  private let known: [AuthorID: VersionVector]

  /// - Parameters:
  ///   - listing: the heads.
  ///   - own: this device, with all that it holds of others.
  ///   - passed: how far it has got with others, though it may lack some of it; `nil` if it lacks nothing.
  ///   - pushed: its last set.
  ///   - known: what devices had applied when their heads were last read.
  init(
    _ listing: HeadListing, own: (author: AuthorID, applied: VersionVector),
    passed: VersionVector? = nil, pushed: UInt64,
    known: [AuthorID: VersionVector]
  ) {
    let listed = listing.lastSets
    var reached = known.values.reduce(listed.union(passed ?? own.applied)) { $0.union($1) }
    for statement in listing.supersessions {
      reached[statement.former] = max(reached[statement.former], statement.through)
    }
    reached[own.author] = max(reached[own.author], pushed)
    self.listed = listed
    self.reached = reached
    listedTotal = listed.total
    reachedTotal = reached.total
    self.known = known.merging([own.author: own.applied]) { $1 }
  }

  /// Whether the device of a head has everything.
  ///
  /// Takes time with what is known of that device, and not with the number of heads, of which whoever can write there makes thousands.
  func verdict(_ head: HeadName) -> Verdict {
    let author = head.author
    let before = known[author]?.without(author) ?? VersionVector()
    let needed = listed.sequences.count - (listed[author] > 0 ? 1 : 0)
    if before.sequences.count >= needed, before.covers(listed.without(author)) { return .everything }
    // Nobody has more than this, so whoever has as much lacks nothing. More than this is of authors that are not known here.
    if head.seen == reachedTotal &- reached[author] { return .everything }
    // What counts for sets that are not needed cannot count for those that are.
    let beside = before.total - before.intersection(listed).total
    return head.seen < (listedTotal &- listed[author]) &+ beside ? .less : .unknown
  }
}

extension VersionVector {
  fileprivate func without(_ author: AuthorID) -> VersionVector {
    var rest = self
    rest[author] = 0
    return rest
  }
}
