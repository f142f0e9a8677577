import ChangeTracking

/// Sets that have been waited for too long: their author's store was restored and storage has lost them, so that perhaps nobody has them.
extension DocumentSyncManager {
  /// Goes on after sets that have been missing for 30 days, so that one lost file does not hide for ever what came after it.
  ///
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
    let (now, lastSync) = (configuration.now(), try pins.lastSync ?? 0)
    var expired = try pins.blockedAuthors().filter { $0.isExpired(at: now) && $0.isExpired(at: lastSync) }
    guard !expired.isEmpty else { return fetches }
    try await learnFloors(listing, heads, again: true)
    // What whole stores contain is there to be had.
    let floor = try floor()
    let lifetimes: UInt64 = try pins.floors.contains { !$0.isReadable && $0.name.phase == .inForce } ? 2 : 1
    expired.removeAll { !$0.isExpired(at: now, after: lifetimes) || $0.sequence <= floor[$0.author] }
    guard !expired.isEmpty else { return fetches }
    var rest: [SyncPlan.Fetch] = []
    for var fetch in fetches {
      guard expired.contains(where: { $0.author == fetch.author && $0.sequence == fetch.after + 1 }) else {
        rest.append(fetch)
        continue
      }
      guard let (gap, hasNext) = try await gap(fetch, listing, transfer) else {
        rest.append(fetch)
        continue
      }
      let missing = SyncPlan.ForkedSet(author: fetch.author, set: gap)
      // It is looked for again now and then, and told of once.
      let isNew = try !pins.pendingForks.contains { $0.fork == missing && $0.isGivenUp }
      try noteForks([missing], areGivenUp: true)
      if isNew {
        try pins.forgetFruitlessStores()
        report.findings.append(.givenUp(author: fetch.author, sequence: gap.sequence))
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
