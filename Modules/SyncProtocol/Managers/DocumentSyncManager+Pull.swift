import ChangeTracking

extension DocumentSyncManager {
  /// Sets of this many sequence numbers are fetched and merged together: that bounds the memory.
  private static let batchSize = 16

  /// One position in an author's history, with every set that was found there: more than one only if two copies of a
  /// store went on under one author.
  private struct Step {
    var author: AuthorID
    var sequence: UInt64
    var sets: [SetName]
  }

  func pull(
    _ plan: SyncPlan, _ listing: HeadListing, _ transfer: SetTransfer, _ options: SyncOptions,
    _ report: inout SyncReport
  ) async throws {
    let steps = try await steps(plan.fetches, transfer, &report)
    var blocked: Set<AuthorID> = []
    var forks = Set(plan.forks)
    var start = 0
    while start < steps.count {
      let batch = steps[start..<min(start + Self.batchSize, steps.count)].filter {
        !blocked.contains($0.author)
      }
      start += Self.batchSize
      let received = try await receive(batch, transfer, &blocked, &forks, &report)
      // Noted before the merge: afterwards the chain would not show any more that something is missing beside it.
      try pins.setForks(
        settled: pins.settledForks, pending: pins.pendingForks.union(forks.subtracting(plan.forks)))
      blocked.formUnion(try await merge(received, transfer, options, &report))
    }
    try await mergeForks(forks, listing, transfer, options, &report)
    try reportWhatIsLeft(&report)
    // What a batch missed may have come with a later one.
    (report.warnings, report.parked) = try replica.unresolved(report.warnings, report.parked)
  }

  /// Adds what no merge has told, because there was none, or because it happened since.
  private func reportWhatIsLeft(_ report: inout SyncReport) throws {
    guard try replica.hasUnreported,
      case .applied(let rest) = try replica.apply([], policy: .always(.latest))
    else { return }
    report.add(rest)
  }

  /// What to fetch, in order. A single new set is fetched straight by the name in the head.
  private func steps(
    _ fetches: [SyncPlan.Fetch], _ transfer: SetTransfer, _ report: inout SyncReport
  ) async throws -> [Step] {
    let names = try await concurrently(fetches, limit: SetTransfer.parallelism) { fetch in
      fetch.after + 1 == fetch.last.sequence ? [] : try await transfer.list(fetch.author)
    }
    var steps: [Step] = []
    for (fetch, names) in zip(fetches, names) {
      var bySequence = Dictionary(grouping: names.filter { $0.sequence > fetch.after }, by: \.sequence)
      if !(bySequence[fetch.last.sequence] ?? []).contains(fetch.last) {
        bySequence[fetch.last.sequence, default: []].append(fetch.last)
      }
      var sequence = fetch.after
      while sequence < fetch.last.sequence {
        sequence += 1
        guard let sets = bySequence[sequence] else {
          report.findings.append(.waiting(author: fetch.author, sequence: sequence, obstacle: .missing))
          break
        }
        steps.append(Step(author: fetch.author, sequence: sequence, sets: sets))
      }
    }
    return steps
  }

  /// Fetches the sets of some steps. An author's sets after one that cannot be had are left for the next time.
  private func receive(
    _ steps: [Step], _ transfer: SetTransfer, _ blocked: inout Set<AuthorID>,
    _ forks: inout Set<SyncPlan.ForkedSet>, _ report: inout SyncReport
  ) async throws -> [ReceivedSet] {
    let references = steps.flatMap { step in
      step.sets.map { SetTransfer.Reference(author: step.author, set: $0) }
    }
    let outcomes = Dictionary(uniqueKeysWithValues: zip(references, try await transfer.fetch(references)))
    var chains: [AuthorID: ContentHash] = [:]
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
          report.findings.append(
            .waiting(author: step.author, sequence: step.sequence, obstacle: obstacle))
        case nil: continue
        }
      }
      guard let first = received.first else {
        blocked.insert(step.author)
        continue
      }
      if first.set.previous != chain, let previous = first.set.previous, step.sequence > 1 {
        let beside = SetName(sequence: step.sequence - 1, hash: previous)
        forks.insert(SyncPlan.ForkedSet(author: step.author, set: beside))
      }
      chains[step.author] = first.hash
      all += received
    }
    return all
  }

  /// Merges what lies beside the chains of authors of whose store there are copies. Merging again what was merged has no
  /// effect, so a set that turns out to be on the chain does no harm.
  private func mergeForks(
    _ forks: Set<SyncPlan.ForkedSet>, _ listing: HeadListing, _ transfer: SetTransfer, _ options: SyncOptions,
    _ report: inout SyncReport
  ) async throws {
    guard try !forks.isEmpty || !pins.settledForks.isEmpty else { return }
    let named = listing.all.compactMap { head in
      head.set.map { SyncPlan.ForkedSet(author: head.author, set: $0) }
    }
    // Only what a head still names would be looked at again.
    var settled = try pins.settledForks.intersection(named)
    var pending = forks
    for (author, forks) in Dictionary(grouping: forks, by: \.author).sorted(by: { $0.key < $1.key }) {
      let merged = try await mergeForks(of: author, Set(forks.map(\.set)), transfer, options, &report)
      let done = Set(forks.filter { merged.contains($0.set) })
      settled.formUnion(done)
      pending.subtract(done)
    }
    try pins.setForks(settled: settled, pending: pending)
  }

  /// - Returns: the sets that were merged.
  private func mergeForks(
    of author: AuthorID, _ forks: Set<SetName>, _ transfer: SetTransfer, _ options: SyncOptions,
    _ report: inout SyncReport
  ) async throws -> Set<SetName> {
    let applied = try replica.vector()[author]
    let bySequence = Dictionary(grouping: Set(try await transfer.list(author)).union(forks), by: \.sequence)
    let beside = bySequence.values.filter { $0.count > 1 }.joined()
    let names = forks.union(beside).filter { $0.sequence <= applied }.sorted()
    var merged: Set<SetName> = []
    var start = 0
    while start < names.count {
      let batch = Array(names[start..<min(start + Self.batchSize, names.count)])
      start += Self.batchSize
      let outcomes = try await transfer.fetch(batch.map { SetTransfer.Reference(author: author, set: $0) })
      var received: [ReceivedSet] = []
      for (name, outcome) in zip(batch, outcomes) {
        switch outcome {
        case .received(let set):
          received.append(set)
          merged.insert(name)
        case .obstacle(let obstacle):
          report.findings.append(.waiting(author: author, sequence: name.sequence, obstacle: obstacle))
        }
      }
      let refused = try await merge(received, transfer, options, &report)
      if !refused.isEmpty { break }
    }
    if let last = beside.map(\.sequence).max() {
      report.findings.append(.forked(author: author, sequence: last))
    }
    return merged
  }

  /// Merges sets in durable transactions, after asking about conflicts if somebody wants to be asked.
  ///
  /// - Returns: the authors of whom a set is invalid; what they wrote from there on is left for the next time.
  private func merge(
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
      let policy: ConflictPolicy =
        switch options.conflicts {
        case .always(let answer): .always(answer)
        case .ask: .answers(answers)
        }
      let outcome: ApplyOutcome
      do {
        outcome = try replica.apply(
          sets, policy: policy, keepsInverse: options.keepsInverses, progress: options.progress)
      } catch let error as ReplicaError where error.code == .invalidSet {
        // Nothing of any set is merged then.
        guard let author = error.author, let sequence = error.sequence else { throw error }
        report.findings.append(
          .waiting(author: author, sequence: sequence, obstacle: .unreadable(error.description)))
        refused.insert(author)
        sets.removeAll { $0.set.author == author && $0.set.sequence >= sequence }
        if sets.isEmpty { return refused }
        continue
      }
      switch outcome {
      case .applied(let merge):
        report.add(merge)
        return refused
      case .undecided(let conflicts):
        guard case .ask(let ask) = options.conflicts else { throw Self.unresolved(conflicts) }
        let given = try await ask(conflicts)
        let open = conflicts.filter { given[$0.id] == nil }
        guard open.isEmpty else { throw Self.unresolved(open) }
        answers.merge(given) { $1 }
      }
    }
  }

  private static func unresolved(_ conflicts: [Conflict]) -> SyncError {
    SyncError(
      .conflictsUnresolved, "\(conflicts.count) conflict(s) were left without an answer.",
      recovery: "Answer them in the next synchronisation, or let the later change win.",
      underlying: UnresolvedConflicts(conflicts: conflicts))
  }
}
