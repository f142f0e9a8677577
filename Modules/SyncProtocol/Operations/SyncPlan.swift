import ChangeTracking

/// What one synchronisation has to do, decided from this device's position and one listing of heads.
///
/// A value without I/O: a shell carries it out.
struct SyncPlan: Equatable {
  /// Where this device stands.
  struct Position: Equatable {
    var author: AuthorID
    /// The last own set that the remote is known to have.
    var pushed: SetName?
    /// The heads that this store has published, or was about to, as far as it remembers.
    var ownHeads: Set<HeadName> = []
    /// Sets that heads of the listing name and that this store has made or applied.
    var known: Set<ForkedSet> = []
    /// What has been applied of others.
    var vector = VersionVector()
    /// Hash of the last applied set of each other author.
    var chains: [AuthorID: ContentHash] = [:]
    /// Sets beside a chain that need no further look.
    var settledForks: Set<ForkedSet> = []
    /// Sets beside a chain that are known to exist and have not arrived yet.
    var pendingForks: [PendingFork] = []
    /// Up to which set another author has said again what an author wrote: what the remote shows of that is of no interest.
    var superseded: [AuthorID: UInt64] = [:]
    /// Authors of whom sets could not be had before, with how often that was tried.
    var blocked: [AuthorID: Int] = [:]
  }

  /// How many authors are tried again in one sync of whom sets could not be had before, and how many sets beside a chain are
  /// looked for: whoever invents heads makes no more requests than that.
  static let retryLimit = 16
  /// How many authors of whom nothing was read yet are begun with in one sync.
  static let newLimit = 256

  /// An author of whom there is news.
  struct Fetch: Equatable {
    var author: AuthorID
    /// The last applied set.
    var after: UInt64
    /// The last set there is.
    var last: SetName
  }

  /// An own head that this store knows nothing of: it was restored or copied, and must go on as a new author.
  var unknownSelf: HeadName?
  /// The sequence up to which a head proves that own sets have arrived, although that was not noted.
  var acknowledged: UInt64?
  /// Whose sets to fetch.
  var fetches: [Fetch] = []
  /// Sets that may lie beside the chain of their author and were not merged yet.
  var forks: [ForkedSet] = []
  /// Whether the remote shows less of this device than it had.
  var hasLostOwn = false
  /// What a person should know.
  var findings: [SyncFinding] = []

  init(position: Position, listing: HeadListing) {
    let own = listing.heads[position.author] ?? []
    // What this store publishes it notes before. Any other head comes from a copy of it, or from its own future, unless it is
    // one from its past that somebody has put back: heads only grow, and the set that it names was made here.
    unknownSelf = own.last { !position.ownHeads.contains($0) && !position.isPast($0) }
    if let newest = own.last, unknownSelf == nil, newest.sequence > (position.pushed?.sequence ?? 0) {
      acknowledged = newest.sequence
    }
    forks = position.pendingForks.filter(\.isDue).map(\.fork).sorted()
    if let pushed = position.pushed, unknownSelf == nil, (own.last?.sequence ?? 0) < pushed.sequence {
      findings.append(
        .regressed(author: position.author, applied: pushed.sequence, listed: own.last?.sequence))
      hasLostOwn = true
    }
    for author in listing.authors
    where author != position.author {
      plan(author, position, listing)
    }
    fetches = Self.permitted(fetches, position)
    forks = Array(forks.prefix(Self.retryLimit))
    for (author, sequence) in position.vector.sequences.sorted(by: { $0.key < $1.key })
    where listing.newest(of: author) == nil && sequence > position.superseded[author] ?? 0 {
      findings.append(.regressed(author: author, applied: sequence, listed: nil))
    }
    if let first = listing.unverified.first {
      findings.append(.unverifiedHeads(count: listing.unverified.count, first: first.description))
    }
    if !listing.foreign.isEmpty { findings.append(.foreign(names: listing.foreign.sorted())) }
  }

  /// Leaves out, if there are many, those of whom nothing was ever read: authors can be invented.
  private static func permitted(_ fetches: [Fetch], _ position: Position) -> [Fetch] {
    let blocked = fetches.filter { position.blocked[$0.author] != nil }.sorted {
      (position.blocked[$0.author] ?? 0, $0.author) < (position.blocked[$1.author] ?? 0, $1.author)
    }
    let new = fetches.filter { position.blocked[$0.author] == nil && $0.after == 0 }
    guard blocked.count > retryLimit || new.count > newLimit else { return fetches }
    let leftOut = Set((blocked.dropFirst(retryLimit) + new.dropFirst(newLimit)).map(\.author))
    return fetches.filter { !leftOut.contains($0.author) }
  }

  private mutating func plan(_ author: AuthorID, _ position: Position, _ listing: HeadListing) {
    guard let newest = listing.newest(of: author) else { return }
    let applied = position.vector[author]
    let superseded = position.superseded[author] ?? 0
    if newest.sequence < applied {
      guard applied > superseded else { return }
      findings.append(.regressed(author: author, applied: applied, listed: newest.sequence))
    } else if newest.sequence > applied, let last = newest.set {
      fetches.append(Fetch(author: author, after: applied, last: last))
    }
    for set in Set((listing.heads[author] ?? []).compactMap(\.set)).sorted() where set.sequence > superseded {
      // The newest set carries the chain on. Any other may be an older one that was not tidied up yet, or belong to a copy
      // of the store; only a closer look tells.
      let isOnChain =
        set.sequence == applied ? set.hash == position.chains[author] : set == newest.set
      let fork = ForkedSet(author: author, set: set)
      let needsLook =
        !isOnChain && !position.known.contains(fork) && !position.settledForks.contains(fork)
        && !position.pendingForks.contains { $0.fork == fork }
      if needsLook { forks.append(fork) }
    }
  }
}

extension SyncPlan.Position {
  /// Whether a head of this store's author says nothing that this store has not said before.
  fileprivate func isPast(_ head: HeadName) -> Bool {
    let isKnown = head.set.map { known.contains(SyncPlan.ForkedSet(author: author, set: $0)) } ?? true
    return isKnown && ownHeads.contains { ($0.sequence, $0.seen) >= (head.sequence, head.seen) }
  }
}
