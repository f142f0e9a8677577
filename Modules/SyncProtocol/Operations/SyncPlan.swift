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
    /// Own sets that the remote is not known to have.
    var outbox: [SetName] = []
    /// What has been applied of others.
    var vector = VersionVector()
    /// Hash of the last applied set of each other author.
    var chains: [AuthorID: ContentHash] = [:]
    /// Sets that were merged beside the chain, from copies that went on under one author.
    var mergedForks: Set<ForkedSet> = []
  }

  /// A set beside the chain of its author.
  struct ForkedSet: Hashable {
    var author: AuthorID
    var set: SetName
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
  /// Sets beside the chain that were not merged yet.
  var forks: [ForkedSet] = []
  /// What a person should know.
  var findings: [SyncFinding] = []

  init(position: Position, listing: HeadListing) {
    let own = listing.heads[position.author] ?? []
    unknownSelf = own.last { !Self.isKnown($0, to: position) }
    if let newest = own.last, unknownSelf == nil, newest.sequence > (position.pushed?.sequence ?? 0) {
      acknowledged = newest.sequence
    }
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
    for head in listing.siblings(of: author) + [newest] {
      guard let set = head.set, head.sequence >= applied else { continue }
      let isOnChain =
        head.sequence == applied ? set.hash == position.chains[author] : set.hash == newest.hash
      let fork = ForkedSet(author: author, set: set)
      if !isOnChain && !position.mergedForks.contains(fork) { forks.append(fork) }
    }
  }

  /// Whether this store can have published a head of its author. What it published it had applied and frozen before, so
  /// a head that claims more comes from a copy of the store, or from its future.
  private static func isKnown(_ head: HeadName, to position: Position) -> Bool {
    guard head.seen <= position.vector.total else { return false }
    guard let set = head.set else { return true }
    if let pushed = position.pushed {
      if set.sequence < pushed.sequence { return true }
      if set.sequence == pushed.sequence { return set.hash == pushed.hash }
    }
    return position.outbox.contains(set)
  }
}
