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
    _ plan: SyncPlan, _ transfer: SetTransfer, _ options: SyncOptions, _ report: inout SyncReport
  ) async throws {
    let steps = try await steps(plan.fetches, transfer, &report)
    var blocked: Set<AuthorID> = []
    var forked: Set<AuthorID> = []
    var start = 0
    while start < steps.count {
      let batch = steps[start..<min(start + Self.batchSize, steps.count)].filter {
        !blocked.contains($0.author)
      }
      start += Self.batchSize
      let received = try await receive(batch, transfer, &blocked, &forked, &report)
      try await merge(received, transfer, options, &report)
    }
    for fork in plan.forks where !forked.contains(fork.author) {
      if try replica.vector()[fork.author] >= fork.set.sequence { forked.insert(fork.author) }
    }
    for author in forked.sorted() {
      try await mergeWholeHistory(
        of: author, plan.forks.filter { $0.author == author }, transfer, options, &report)
    }
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
    _ steps: [Step], _ transfer: SetTransfer, _ blocked: inout Set<AuthorID>, _ forked: inout Set<AuthorID>,
    _ report: inout SyncReport
  ) async throws -> [ReceivedSet] {
    let references = steps.flatMap { step in
      step.sets.map { SetTransfer.Reference(author: step.author, set: $0) }
    }
    let outcomes = Dictionary(uniqueKeysWithValues: zip(references, try await transfer.fetch(references)))
    var chains: [AuthorID: ContentHash] = [:]
    var all: [ReceivedSet] = []
    for step in steps where !blocked.contains(step.author) {
      let chain = chains[step.author] ?? replica.chain(of: step.author)
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
      if first.set.previous != chain || received.count > 1 { forked.insert(step.author) }
      chains[step.author] = first.hash
      all += received
    }
    return all
  }

  /// Merges everything that an author's folder holds up to what was applied: merging again what was merged has no effect.
  private func mergeWholeHistory(
    of author: AuthorID, _ forks: [SyncPlan.ForkedSet], _ transfer: SetTransfer, _ options: SyncOptions,
    _ report: inout SyncReport
  ) async throws {
    let applied = try replica.vector()[author]
    let chain = replica.chain(of: author)
    let listed = try await transfer.list(author) + forks.map(\.set)
    let names = Set(listed).filter { $0.sequence <= applied && $0.hash != chain }.sorted()
    var missing: Set<SetName> = []
    var start = 0
    while start < names.count {
      let batch = names[start..<min(start + Self.batchSize, names.count)]
      start += Self.batchSize
      let outcomes = try await transfer.fetch(batch.map { SetTransfer.Reference(author: author, set: $0) })
      var received: [ReceivedSet] = []
      for (name, outcome) in zip(batch, outcomes) {
        switch outcome {
        case .received(let set): received.append(set)
        case .obstacle(let obstacle):
          missing.insert(name)
          report.findings.append(.waiting(author: author, sequence: name.sequence, obstacle: obstacle))
        }
      }
      try await merge(received, transfer, options, &report)
    }
    let merged = forks.filter { !missing.contains($0.set) && $0.set.sequence <= applied }
    try pins.merged(merged)
    report.findings.append(.forked(author: author, sequence: merged.map(\.set.sequence).max() ?? applied))
  }

  /// Merges sets in one durable transaction, after asking about conflicts if somebody wants to be asked.
  private func merge(
    _ sets: [ReceivedSet], _ transfer: SetTransfer, _ options: SyncOptions, _ report: inout SyncReport
  ) async throws {
    guard !sets.isEmpty else { return }
    var answers: [Conflict.ID: ConflictAnswer] = [:]
    while true {
      try Task.checkCancellation()
      let policy: ConflictPolicy =
        switch options.conflicts {
        case .always(let answer): .always(answer)
        case .ask: .answers(answers)
        }
      switch try replica.apply(sets, policy: policy, sealing: transfer.seal) {
      case .applied(let merge):
        report.add(merge)
        return
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
