import ChangeTracking

/// Sets that have been waited for too long: their author's store was restored and storage has lost them, so that perhaps nobody has them.
extension DocumentSyncManager {
  /// Goes on after sets that have been missing for 30 days, so that one lost file does not hide for ever what came after it.
  ///
  /// Each has the whole time, from when this device first heard of it: a device that is there again after a month may write what is late.
  /// They are still asked for (``SyncPlan/PendingFork``): a device that has merged them and comes back says them again.
  ///
  /// What was removed because whole stores contain it is not given up, for it is there to be had. So floors that could
  /// not be read are read again first, and one that still cannot be is waited for as long again. Who was away for all that time looks
  /// once more: what tells of a removal may be delivered after it. If it is delivered later still, what was given up is taken from a
  /// whole store then (``givenUpSets()``), and until then this device tells nobody that it holds it (`Replica.held()`).
  func passingGaps(
    _ fetches: [SyncPlan.Fetch], _ listing: HeadListing, _ heads: HeadTransfer, _ transfer: SetTransfer,
    _ report: inout SyncReport
  ) async throws -> [SyncPlan.Fetch] {
    let waiting = try Waiting(pins, at: configuration.now())
    let candidates = Set(fetches.filter(waiting.mayPass).map(\.author))
    guard !candidates.isEmpty else { return fetches }
    try await learnFloors(listing, heads, again: true)
    // What whole stores contain is there to be had.
    let floor = try floor()
    let lifetimes: UInt64 = try pins.floors.contains { !$0.isReadable && $0.name.phase == .inForce } ? 2 : 1
    var rest: [SyncPlan.Fetch] = []
    for var fetch in fetches {
      guard candidates.contains(fetch.author), fetch.after + 1 > floor[fetch.author],
        let (gap, hasNext) = try await gap(fetch, listing, transfer)
      else {
        rest.append(fetch)
        continue
      }
      let missing = SyncPlan.ForkedSet(author: fetch.author, set: gap)
      // It is looked for again now and then, and told of once.
      if !waiting.givenUp.contains(missing) {
        guard waiting.isExpired(missing, after: lifetimes) else {
          rest.append(fetch)
          continue
        }
        try noteForks([missing], areGivenUp: true)
        let first = 1 + max(fetch.after, waiting.lastGivenUp(of: fetch.author, before: gap.sequence))
        report.findings.append(
          .givenUp(
            author: fetch.author, sequence: gap.sequence, first: first < gap.sequence ? first : nil))
      }
      guard hasNext else { continue }
      guard try replica.skip(fetch.author, through: gap.sequence, chain: gap.hash) else {
        rest.append(fetch)
        continue
      }
      fetch.after = gap.sequence
      rest.append(fetch)
    }
    return rest
  }

  /// What was given up and has not come since: of each author the first set, as if it were waited for.
  func givenUpSets() throws -> [SyncFinding] {
    var first = try replica.gaps().mapValues(\.lowerBound)
    let vector = try replica.vector()
    // The last sets of an author are given up without anything to go on with.
    for pending in try pins.pendingForks where pending.isGivenUp {
      let (author, sequence) = (pending.fork.author, pending.fork.set.sequence)
      if first[author] == nil, sequence > vector[author] { first[author] = vector[author] + 1 }
    }
    return first.sorted { $0.key < $1.key }.map {
      .waiting(author: $0.key, sequence: $0.value, obstacle: .missing)
    }
  }

  /// The last set that is missing, and whether there are others after it; `nil` if none is missing any more.
  private func gap(
    _ fetch: SyncPlan.Fetch, _ listing: HeadListing, _ transfer: SetTransfer
  ) async throws -> (set: SetName, hasNext: Bool)? {
    guard case .success(let listed) = try await transfer.list(fetch.author) else { return nil }
    // What is whole and would not be merged does not fill the gap.
    let places = try await places(of: listed, fetch, listing, transfer)
    let candidates = places.values.joined().sorted().filter { $0.sequence <= fetch.last.sequence }
    for name in candidates.prefix(Self.answerLimit) {
      let reference = SetTransfer.Reference(author: fetch.author, set: name)
      guard case .received(let received)? = try await transfer.fetch([reference]).first else { continue }
      guard name.sequence > fetch.after + 1, let previous = received.set.previous else { return nil }
      return (SetName(sequence: name.sequence - 1, hash: previous), true)
    }
    return (fetch.last, false)
  }
}

/// What is waited for, and since when.
private struct Waiting {
  /// What was given up and has not come since.
  let givenUp: Set<SyncPlan.ForkedSet>
  private let blocked: [AuthorID: BlockedAuthor]
  private let ends: [AuthorID: MissingEnds]
  private let now: UInt64
  /// Who was away for all the time looks once more.
  private let lastSync: UInt64

  init(_ pins: RegistrationPins, at now: UInt64) throws {
    givenUp = Set(try pins.pendingForks.filter(\.isGivenUp).map(\.fork))
    blocked = Dictionary(try pins.blockedAuthors().map { ($0.author, $0) }) { first, _ in first }
    ends = try pins.awaitedEnds()
    self.now = now
    lastSync = try pins.lastSync ?? 0
  }

  /// Whether something of what is fetched was given up, or is to be.
  func mayPass(_ fetch: SyncPlan.Fetch) -> Bool {
    if givenUp.contains(where: { $0.author == fetch.author && $0.set.sequence > fetch.after }) { return true }
    guard let blocked = blocked[fetch.author], blocked.sequence > fetch.after,
      blocked.isExpired(at: now), blocked.isExpired(at: lastSync)
    else { return false }
    return ends[fetch.author]?.ends.contains { $0.isExpired(at: now) && $0.isExpired(at: lastSync) } ?? false
  }

  func isExpired(_ missing: SyncPlan.ForkedSet, after lifetimes: UInt64) -> Bool {
    guard let blocked = blocked[missing.author], blocked.isExpired(at: now, after: lifetimes),
      let end = ends[missing.author]?.end(provingThat: missing.set)
    else { return false }
    return end.isExpired(at: now, after: lifetimes) && end.isExpired(at: lastSync)
  }

  func lastGivenUp(of author: AuthorID, before sequence: UInt64) -> UInt64 {
    givenUp.filter { $0.author == author && $0.set.sequence < sequence }.map(\.set.sequence).max() ?? 0
  }
}
