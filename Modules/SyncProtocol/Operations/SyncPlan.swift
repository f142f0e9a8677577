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
    /// The heads that this store has published, or was about to.
    var ownHeads: Set<HeadName> = []
    /// What has been applied of others.
    var vector = VersionVector()
    /// Hash of the last applied set of each other author.
    var chains: [AuthorID: ContentHash] = [:]
    /// Sets beside a chain that need no further look.
    var settledForks: Set<ForkedSet> = []
    /// Sets beside a chain that are known to exist and have not arrived yet.
    var pendingForks: Set<ForkedSet> = []
  }

  /// A set beside the chain of its author.
  struct ForkedSet: Hashable, Comparable {
    var author: AuthorID
    var set: SetName

    static func < (left: ForkedSet, right: ForkedSet) -> Bool {
      (left.author, left.set) < (right.author, right.set)
    }
  }

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
  /// What a person should know.
  var findings: [SyncFinding] = []

  init(position: Position, listing: HeadListing) {
    let own = listing.heads[position.author] ?? []
    // What this store publishes it notes before. Any other head comes from a copy of it, or from its own future.
    unknownSelf = own.last { !position.ownHeads.contains($0) }
    if let newest = own.last, unknownSelf == nil, newest.sequence > (position.pushed?.sequence ?? 0) {
      acknowledged = newest.sequence
    }
    forks = position.pendingForks.sorted()
    if let pushed = position.pushed, unknownSelf == nil, (own.last?.sequence ?? 0) < pushed.sequence {
      findings.append(
        .regressed(author: position.author, applied: pushed.sequence, listed: own.last?.sequence))
    }
    for author in listing.authors where author != position.author {
      plan(author, position, listing)
    }
    for (author, sequence) in position.vector.sequences.sorted(by: { $0.key < $1.key })
    where listing.newest(of: author) == nil {
      findings.append(.regressed(author: author, applied: sequence, listed: nil))
    }
    if !listing.foreign.isEmpty { findings.append(.foreign(names: listing.foreign.sorted())) }
  }

  private mutating func plan(_ author: AuthorID, _ position: Position, _ listing: HeadListing) {
    guard let newest = listing.newest(of: author) else { return }
    let applied = position.vector[author]
    if newest.sequence < applied {
      findings.append(.regressed(author: author, applied: applied, listed: newest.sequence))
    } else if newest.sequence > applied, let last = newest.set {
      fetches.append(Fetch(author: author, after: applied, last: last))
    }
    for set in Set((listing.heads[author] ?? []).compactMap(\.set)).sorted() {
      // The newest set carries the chain on. Any other may be an older one that was not tidied up yet, or belong to a copy
      // of the store; only a closer look tells.
      let isOnChain =
        set.sequence == applied ? set.hash == position.chains[author] : set == newest.set
      let fork = ForkedSet(author: author, set: set)
      if !isOnChain && !position.settledForks.contains(fork) && !forks.contains(fork) { forks.append(fork) }
    }
  }
}
