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
    /// Sets that heads of the listing name and that are settled here: made, applied, or said again by somebody who was applied.
    var known: Set<ForkedSet> = []
    /// What has been applied of others.
    var vector = VersionVector()
    /// Hash of the last applied set of each other author.
    var chains: [AuthorID: ContentHash] = [:]
    /// Sets that are known to exist and have not arrived, beside a chain or given up.
    var pendingForks: [PendingFork] = []
    /// Where an author's chain ended when another said again what he wrote: no head needs to name that.
    var superseded: [AuthorID: SetName] = [:]
    /// Whom others have said again in statements of the listing that were not read yet, and up to which set.
    var unreadStatements: [AuthorID: UInt64] = [:]
    /// The ends of branches beside the chains of their authors.
    var tips: Set<ForkedSet> = []
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
    /// Whether a head names the last set. Only then it must be there.
    var isNamed = true
    /// Other sets in the place of the last one that are named: one of them may be there though the last one is not.
    var beside: Set<SetName> = []
  }

  /// An own head that this store knows nothing of: it was restored or copied, and must go on as a new author.
  var unknownSelf: HeadName?
  /// Whether somebody has merged an own set of which this store knows nothing: it was restored or copied.
  var isRestored: Bool { unknownSelf != nil || hasUnknownMention }
  private var hasUnknownMention = false
  /// The sequence up to which a head proves that own sets have arrived, although that was not noted.
  var acknowledged: UInt64?
  /// Whose sets to fetch.
  var fetches: [Fetch] = []
  /// Sets that may lie beside the chain of their author and were not merged yet.
  var forks: [ForkedSet] = []
  /// Ends of branches that are merged here and that nothing names: nobody else may know of them.
  var unnamed: Set<ForkedSet> = []
  /// Authors whose sets were looked for without a head. No head that is late will name what was merged of them.
  var headless: Set<AuthorID> = []
  /// Whether the remote shows less of this device than it had.
  var hasLostOwn = false
  /// What a person should know.
  var findings: [SyncFinding] = []

  init(position: Position, listing: HeadListing) {
    let own = listing.heads[position.author] ?? []
    // What this store publishes it notes before. Any other head comes from a copy of it, or from its own future, unless it is
    // one from its past that somebody has put back: heads only grow, and the set that it names was made here.
    unknownSelf = own.last { !position.ownHeads.contains($0) && !position.isPast($0) }
    hasUnknownMention = (listing.mentions[position.author] ?? []).contains {
      !position.known.contains(ForkedSet(author: position.author, set: $0.set))
    }
    if let newest = own.last, !isRestored, newest.sequence > (position.pushed?.sequence ?? 0) {
      acknowledged = newest.sequence
    }
    forks = position.pendingForks.filter(\.isDue).map(\.fork).sorted()
    if let pushed = position.pushed, !isRestored, (own.last?.sequence ?? 0) < pushed.sequence {
      findings.append(
        .ownRegressed(sent: pushed.sequence, listed: own.last?.sequence))
      hasLostOwn = true
    }
    for author in listing.authors
    where author != position.author {
      plan(author, position, listing)
    }
    fetches = Self.permitted(fetches, position)
    forks = Array(forks.prefix(Self.retryLimit))
    for (author, sequence) in position.vector.sequences.sorted(by: { $0.key < $1.key })
    where listing.lastSet(of: author)?.sequence ?? 0 < sequence && !position.isSuperseded(author) {
      let listed = listing.tells(of: author) ? listing.lastSet(of: author)?.sequence ?? 0 : nil
      findings.append(.regressed(author: author, applied: sequence, listed: listed))
    }
    unnamed = Self.unnamed(position, listing)
    if let first = listing.unverified.first {
      findings.append(.unverifiedHeads(count: listing.unverified.count, first: first.description))
    }
    if let first = listing.ofDeleted.first {
      findings.append(.headsOfDeleted(count: listing.ofDeleted.count, first: first.description))
    }
    if let first = listing.covered.first {
      findings.append(.covered(count: listing.covered.count, first: first.description))
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
    let applied = position.vector[author]
    let fetch = Self.fetch(of: author, position, listing)
    if let fetch { fetches.append(fetch) }
    for set in listing.sets(of: author).sorted() {
      // Of what is fetched, the newest set carries the chain on. Any other that is not settled here belongs to a copy of the store.
      guard set != fetch?.last, set.sequence != applied || set.hash != position.chains[author]
      else { continue }
      let fork = ForkedSet(author: author, set: set)
      let needsLook =
        !position.known.contains(fork) && !position.pendingForks.contains { $0.fork == fork }
      if needsLook { forks.append(fork) }
    }
  }

  /// What to fetch of an author: up to the last set that is named and not given up. What is given up is looked for now and then, if
  /// there is nothing else.
  private static func fetch(of author: AuthorID, _ position: Position, _ listing: HeadListing) -> Fetch? {
    let applied = position.vector[author]
    let news = listing.sets(of: author).filter { $0.sequence > applied }
    let awaited = news.filter { !position.hasGivenUp(ForkedSet(author: author, set: $0)) }
    let due = news.subtracting(awaited).filter { position.isDue(ForkedSet(author: author, set: $0)) }
    let candidates = awaited.isEmpty ? due : awaited
    guard let newest = listing.lastSet(of: author),
      let last = candidates.contains(newest) ? newest : candidates.max()
    else { return nil }
    let beside = awaited.union(due).filter { $0.sequence == last.sequence && $0 != last }
    return Fetch(
      author: author, after: applied, last: last, isNamed: !awaited.isEmpty,
      beside: Set(beside.sorted().prefix(retryLimit)))
  }

  /// The ends of branches that are merged here, that nobody has said again, and that no head names.
  static func unnamed(_ position: Position, _ listing: HeadListing) -> Set<ForkedSet> {
    guard !listing.isCut else { return [] }
    var ends = position.tips
    for (author, sequence) in position.vector.sequences {
      guard let chain = position.chains[author], !position.isSuperseded(author) else { continue }
      // While there is more to fetch, it may go on from here. What is given up tells nobody what it went on from.
      let isFetched = listing.sets(of: author).contains {
        $0.sequence > sequence && !position.hasGivenUp(ForkedSet(author: author, set: $0))
      }
      if isFetched { continue }
      ends.insert(ForkedSet(author: author, set: SetName(sequence: sequence, hash: chain)))
    }
    // Who says an author's sets again takes away the heads of that author. What is said shows once it is read.
    return ends.filter { end in
      end.set.sequence > position.unreadStatements[end.author] ?? 0
        && !listing.sets(of: end.author).contains(end.set)
    }
  }
}

extension SyncPlan {
  /// Adds what was found of authors without a head. One whom somebody has mentioned may be among the others already: each is fetched from once.
  mutating func add(_ found: [Fetch]) {
    headless.formUnion(found.map(\.author))
    for fetch in found {
      guard let index = fetches.firstIndex(where: { $0.author == fetch.author }) else {
        fetches.append(fetch)
        continue
      }
      if fetches[index].last.sequence < fetch.last.sequence { fetches[index].last = fetch.last }
    }
  }
}

extension SyncPlan.Position {
  fileprivate func hasGivenUp(_ set: SyncPlan.ForkedSet) -> Bool {
    pendingForks.contains { $0.fork == set && $0.isGivenUp }
  }

  fileprivate func isDue(_ set: SyncPlan.ForkedSet) -> Bool {
    pendingForks.contains { $0.fork == set && $0.isDue }
  }

  /// Whether all that was applied of an author was said again by others.
  fileprivate func isSuperseded(_ author: AuthorID) -> Bool {
    guard let last = superseded[author] else { return false }
    return last.sequence == vector[author] && last.hash == chains[author]
  }

  /// Whether a head of this store's author says nothing that this store has not said before.
  fileprivate func isPast(_ head: HeadName) -> Bool {
    let isKnown = head.set.map { known.contains(SyncPlan.ForkedSet(author: author, set: $0)) } ?? true
    return isKnown && ownHeads.contains { ($0.sequence, $0.seen) >= (head.sequence, head.seen) }
  }
}
