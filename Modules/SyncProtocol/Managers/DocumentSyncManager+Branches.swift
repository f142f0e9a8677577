import ChangeTracking

/// Branches of an author's history: two copies of one store went on under one name.
extension DocumentSyncManager {
  /// Merges what lies beside the chains of authors of whose store there are copies: each set, and those before it back to one that
  /// is settled here.
  func mergeForks(
    _ forks: Set<SyncPlan.ForkedSet>, _ listing: HeadListing, _ transfer: SetTransfer, _ options: SyncOptions,
    _ report: inout SyncReport
  ) async throws {
    guard try !forks.isEmpty || !pins.pendingForks.isEmpty else { return }
    let givenUp = Set(try pins.pendingForks.filter(\.isGivenUp).map(\.fork))
    var obstacles: [SyncPlan.ForkedSet: SyncFinding.Obstacle] = [:]
    for fork in forks.sorted() {
      guard try fork.set.sequence <= replica.vector()[fork.author] else { continue }
      // An older head beside the newest one names a set that the chain has passed through.
      if try replica.knows(fork.set.hash, of: fork.author, sequence: fork.set.sequence) { continue }
      try await mergeBranch(
        endingIn: fork, isEnd: listing.sets(of: fork.author).contains(fork.set), transfer, options,
        &obstacles, &report)
      // What was given up may lie on the chain.
      let isThere = try replica.knows(fork.set.hash, of: fork.author, sequence: fork.set.sequence)
      if isThere, !givenUp.contains(fork) {
        report.findings.append(.forked(author: fork.author, sequence: fork.set.sequence))
      }
    }
    try agePendingForks(obstacles, &report)
  }

  /// Merges a branch from its end back, noting before each set that the one before it is to be merged too.
  private func mergeBranch(
    endingIn end: SyncPlan.ForkedSet, isEnd: Bool, _ transfer: SetTransfer, _ options: SyncOptions,
    _ obstacles: inout [SyncPlan.ForkedSet: SyncFinding.Obstacle], _ report: inout SyncReport
  ) async throws {
    var next: SyncPlan.ForkedSet? = end
    while let fork = next {
      next = nil
      if try replica.knows(fork.set.hash, of: fork.author, sequence: fork.set.sequence) { break }
      // Noted before it is there: by then storage may have lost the head that names it.
      if isEnd, fork == end { try pins.setTips(adding: [fork], removing: []) }
      let reference = SetTransfer.Reference(author: fork.author, set: fork.set)
      let outcome = try await transfer.fetch([reference]).first
      guard case .received(let received)? = outcome else {
        if case .obstacle(let obstacle)? = outcome { obstacles[fork] = obstacle }
        try noteForks([fork])
        break
      }
      if let previous = received.set.previous, fork.set.sequence > 1 {
        let before = SetName(sequence: fork.set.sequence - 1, hash: previous)
        let candidate = SyncPlan.ForkedSet(author: fork.author, set: before)
        if try !replica.knows(previous, of: fork.author, sequence: before.sequence) {
          next = candidate
          try noteForks([candidate])
        }
      }
      guard try await merge([received], transfer, options, &report).isEmpty else { break }
      try passEnds([received])
    }
  }

  /// Forgets ends of branches that sets go on from.
  func passEnds(_ received: [ReceivedSet]) throws {
    let passed = received.compactMap { received in
      received.set.previous.map {
        SyncPlan.ForkedSet(
          author: received.set.author, set: SetName(sequence: received.set.sequence - 1, hash: $0))
      }
    }
    try pins.setTips(adding: [], removing: Set(passed))
  }

  /// Notes that another synchronisation has gone by without the sets that are waited for, and gives up the oldest.
  private func agePendingForks(
    _ obstacles: [SyncPlan.ForkedSet: SyncFinding.Obstacle], _ report: inout SyncReport
  ) throws {
    let now = configuration.now()
    var pending: [SyncPlan.PendingFork] = []
    for var fork in try pins.pendingForks {
      let (author, set) = (fork.fork.author, fork.fork.set)
      if try replica.knows(set.hash, of: author, sequence: set.sequence) { continue }
      // A clock that was ahead does not make anybody wait until it is right again.
      fork.since = min(fork.since, now)
      if fork.isExpired(at: now) {
        fork.since = 0
        try pins.forgetFruitlessStores()
        report.findings.append(.givenUp(author: author, sequence: set.sequence))
      } else if !fork.isGivenUp {
        report.wait(for: author, set.sequence, obstacles[fork.fork] ?? .missing)
      }
      fork.age &+= 1
      pending.append(fork)
    }
    try pins.setForks(pending)
  }

  /// Notes sets that are known to exist and have not arrived, beside those that were noted before.
  ///
  /// - Parameters:
  ///   - forks: the sets.
  ///   - areGivenUp: whether they have been waited for long enough.
  func noteForks(_ forks: Set<SyncPlan.ForkedSet>, areGivenUp: Bool = false) throws {
    let pending = try pins.pendingForks
    let new = forks.subtracting(pending.map(\.fork)).sorted()
    guard !new.isEmpty else { return }
    try pins.forgetFruitlessStores()
    let now = areGivenUp ? 0 : configuration.now()
    try pins.setForks(pending + new.map { SyncPlan.PendingFork($0, since: now) })
  }
}
