import ChangeTracking

extension DocumentSyncManager {
  /// One position in an author's history, with every set that was found there: more than one only if two copies of a
  /// store went on under one author.
  private struct Step {
    var author: AuthorID
    var sequence: UInt64
    var sets: [SetName]
  }

  /// What lies beside the chains of authors of whose store there are copies.
  private struct Branches {
    /// Sets that are known to exist.
    var forks: Set<SyncPlan.ForkedSet>
    /// Sets that are merged here and that the chain does not go on from.
    var ends: Set<SyncPlan.ForkedSet> = []
  }

  func pull(
    _ plan: SyncPlan, _ listing: HeadListing, _ heads: HeadTransfer, _ transfer: SetTransfer,
    _ options: SyncOptions, _ report: inout SyncReport
  ) async throws {
    let fetches = try await passingGaps(plan.fetches, listing, heads, transfer, &report)
    let steps = try await steps(fetches, listing, transfer, &report)
    var blocked: Set<AuthorID> = []
    // Sets of which only their presence tells may be nobody's by now: nobody waits for them.
    let unnamed = Set(plan.fetches.filter { !$0.isNamed }.map(\.author))
    var branches = Branches(forks: Set(plan.forks))
    var start = 0
    var size = BatchSize()
    while start < steps.count {
      let batch = steps[start..<min(start + size.count, steps.count)].filter {
        !blocked.contains($0.author)
      }
      start += size.count
      let received = try await receive(batch, unnamed, transfer, &blocked, &branches, &report)
      size.follow(received)
      // Noted before the merge: afterwards the chain would not show any more that something is missing beside it.
      try noteForks(branches.forks.subtracting(plan.forks))
      try pins.setTips(adding: branches.ends, removing: [])
      blocked.formUnion(try await merge(received, transfer, options, &report))
      try passEnds(received)
    }
    try await mergeForks(branches.forks, listing, transfer, options, &report)
    try replica.closeGaps()
    try reportWhatIsLeft(&report)
    // What a batch missed may have come with a later one.
    (report.warnings, report.parked) = try replica.unresolved(report.warnings, report.parked)
  }

  /// Adds what no merge has told, because there was none, or because it happened since.
  func reportWhatIsLeft(_ report: inout SyncReport) throws {
    guard try replica.hasUnreported,
      case .applied(let rest) = try replica.apply([], policy: .always(.latest))
    else { return }
    report.add(rest)
  }

  /// What to fetch, in order. A single new set is fetched straight by the name in the head, and so is each of several in its place.
  private func steps(
    _ fetches: [SyncPlan.Fetch], _ listing: HeadListing, _ transfer: SetTransfer, _ report: inout SyncReport
  ) async throws -> [Step] {
    let found = try await concurrently(fetches, limit: SetTransfer.parallelism) { fetch in
      fetch.after + 1 == fetch.last.sequence
        ? .success(Array(fetch.beside)) : try await transfer.list(fetch.author)
    }
    let givenUp = try pins.pendingForks.filter(\.isGivenUp).map(\.fork)
    var steps: [Step] = []
    for (fetch, found) in zip(fetches, found) {
      // What was given up is not what is waited for.
      let passed = givenUp.filter { $0.author == fetch.author && $0.set.sequence < fetch.last.sequence }
        .map(\.set.sequence).max()
      let names: [SetName]
      switch found {
      case .success(let listed): names = listed
      case .failure(let failure):
        if fetch.isNamed {
          report.wait(for: fetch.author, max(fetch.after, passed ?? 0) + 1, failure.obstacle)
        }
        continue
      }
      let bySequence = try await places(of: names, fetch, listing, transfer)
      var sequence = fetch.after
      while sequence < fetch.last.sequence {
        sequence += 1
        guard let sets = bySequence[sequence] else {
          if fetch.isNamed {
            report.wait(for: fetch.author, max(sequence, (passed ?? 0) + 1), .missing)
          }
          break
        }
        steps.append(Step(author: fetch.author, sequence: sequence, sets: sets))
      }
    }
    return steps
  }

  /// The sets that count among those that were found and the last one, by their sequences.
  func places(
    of found: [SetName], _ fetch: SyncPlan.Fetch, _ listing: HeadListing, _ transfer: SetTransfer
  ) async throws -> [UInt64: [SetName]] {
    var bySequence = Dictionary(
      grouping: found.filter { $0.sequence > fetch.after }.sorted(), by: \.sequence)
    if !(bySequence[fetch.last.sequence] ?? []).contains(fetch.last) {
      bySequence[fetch.last.sequence, default: []].append(fetch.last)
    }
    let named = listing.sets(of: fetch.author)
    return try await published(
      bySequence, of: fetch.author, named, by: named.intersection(bySequence.values.joined()), transfer)
  }

  /// Of several sets under one sequence, those that exist for everybody: a head names them, or a set that a head names goes on from
  /// them. A set that was uploaded before its author's store was restored, and that no head came to name, is none of these: its author
  /// does not know of it, so nobody must merge it. What cannot be told yet is left as it is.
  ///
  /// - Parameter tips: the sets to look back from.
  private func published(
    _ sets: [UInt64: [SetName]], of author: AuthorID, _ named: Set<SetName>, by tips: Set<SetName>,
    _ transfer: SetTransfer
  ) async throws -> [UInt64: [SetName]] {
    let doubled = sets.filter { $0.value.count > 1 }
    guard let lowest = doubled.keys.min() else { return sets }
    let merged = try tips.union(doubled.values.joined()).filter {
      try replica.knows($0.hash, of: author, sequence: $0.sequence)
    }
    var known = named.union(tips).union(merged)
    var next = tips.subtracting(merged).filter { $0.sequence > lowest }.sorted()
    while !next.isEmpty {
      let outcomes = try await transfer.fetch(next.map { SetTransfer.Reference(author: author, set: $0) })
      var before: Set<SetName> = []
      for (name, outcome) in zip(next, outcomes) {
        guard case .received(let found) = outcome, let previous = found.set.previous else { continue }
        before.insert(SetName(sequence: name.sequence - 1, hash: previous))
      }
      next = before.subtracting(known).filter { $0.sequence > lowest }.sorted()
      known.formUnion(before)
    }
    return sets.mapValues { names in
      let published = names.filter { known.contains($0) }
      return published.isEmpty ? names : published
    }
  }

  /// Fetches the sets of some steps. An author's sets after one that cannot be had are left for the next time.
  private func receive(
    _ steps: [Step], _ unnamed: Set<AuthorID>, _ transfer: SetTransfer, _ blocked: inout Set<AuthorID>,
    _ branches: inout Branches, _ report: inout SyncReport
  ) async throws -> [ReceivedSet] {
    let references = steps.flatMap { step in
      step.sets.map { SetTransfer.Reference(author: step.author, set: $0) }
    }
    let before = counting.count.downloadedBytes
    let outcomes = Dictionary(zip(references, try await transfer.fetch(references))) { first, _ in first }
    report.setBytes += counting.count.downloadedBytes - before
    var chains: [AuthorID: ContentHash] = [:]
    /// What was received at the place before.
    var arrived: [AuthorID: Set<ContentHash>] = [:]
    var all: [ReceivedSet] = []
    for step in steps where !blocked.contains(step.author) {
      let chain = try chains[step.author] ?? replica.chain(of: step.author)
      var received: [ReceivedSet] = []
      for set in step.sets {
        switch outcomes[SetTransfer.Reference(author: step.author, set: set)] {
        case .received(let found):
          // The one that follows what was applied goes first: it carries the chain on.
          if found.set.previous == chain { received.insert(found, at: 0) } else { received.append(found) }
        case .obstacle(let obstacle):
          guard !unnamed.contains(step.author) else { continue }
          report.wait(for: step.author, step.sequence, obstacle)
        case nil: continue
        }
      }
      guard let first = received.first else {
        blocked.insert(step.author)
        continue
      }
      func before(_ hash: ContentHash) -> SyncPlan.ForkedSet {
        SyncPlan.ForkedSet(author: step.author, set: SetName(sequence: step.sequence - 1, hash: hash))
      }
      if first.set.previous != chain, let previous = first.set.previous, step.sequence > 1 {
        branches.forks.insert(before(previous))
        if let chain { branches.ends.insert(before(chain)) }
      }
      for set in received.dropFirst() {
        let name = SetName(sequence: step.sequence, hash: set.hash)
        report.findings.append(.forked(author: step.author, sequence: step.sequence))
        branches.ends.insert(SyncPlan.ForkedSet(author: step.author, set: name))
        // What it goes on from may not have arrived when the chain passed that place.
        if let previous = set.set.previous, previous != chain, step.sequence > 1,
          arrived[step.author]?.contains(previous) != true,
          try !replica.knows(previous, of: step.author, sequence: step.sequence - 1)
        {
          branches.forks.insert(before(previous))
        }
      }
      chains[step.author] = first.hash
      arrived[step.author] = Set(received.map(\.hash))
      all += received
    }
    return all
  }

  /// Merges sets in durable transactions, after asking about conflicts if somebody wants to be asked.
  ///
  /// - Returns: the authors of whom a set is invalid; what they wrote from there on is left for the next time.
  func merge(
    _ sets: [ReceivedSet], _ transfer: SetTransfer, _ options: SyncOptions, _ report: inout SyncReport
  ) async throws -> Set<AuthorID> {
    var refused: Set<AuthorID> = []
    guard !sets.isEmpty else { return refused }
    let values = LongValueTransfer(
      backend: transfer.backend, hierarchy: transfer.hierarchy, protection: transfer.protection)
    var sets = try await fill(sets, values, &report)
    var answers: [Conflict.ID: ConflictAnswer] = [:]
    while true {
      try Task.checkCancellation()
      let policy = options.conflicts.policy(answers)
      let outcome: ApplyOutcome
      do {
        outcome = try replica.apply(
          sets, policy: policy, keepsInverse: options.keepsInverses && !report.isTooMuchToUndo,
          progress: options.progress)
      } catch let error as ReplicaError where error.code == .invalidSet {
        // Nothing of any set is merged then.
        guard let author = error.author, let sequence = error.sequence else { throw error }
        report.wait(for: author, sequence, .unreadable(error.description))
        refused.insert(author)
        sets.removeAll { $0.set.author == author && $0.set.sequence >= sequence }
        if sets.isEmpty { return refused }
        continue
      }
      switch outcome {
      case .applied(let merge):
        report.add(merge)
        report.limitInverses(to: options.inverseLimit)
        return refused
      case .undecided(let conflicts):
        answers.merge(try await options.conflicts.answers(to: conflicts)) { $1 }
      }
    }
  }
}
