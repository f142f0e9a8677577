import ObjectStore
import SQLite

extension Replica {
  /// Merges sets of other authors, in one durable transaction together with the note that they are applied.
  ///
  /// Changes logged but not yet in a set are made into sets first, so that every local change has its stamp. Sets of one
  /// author must come in their order and without gap; a set that was applied before has no effect.
  ///
  /// - Parameters:
  ///   - sets: decoded sets, with the hashes of their files.
  ///   - policy: how conflicts with changes not yet pushed are decided.
  ///   - keepsInverse: whether the report says how to take the merge back, which costs reading what objects showed before.
  ///   - progress: called now and then, and after the last change, on the caller's thread and inside the transaction, so it
  ///     must not use the replica. What it throws ends the merge.
  ///   - sealing: as in ``freeze(sealing:)``.
  /// - Throws: ``ReplicaError`` with `outOfOrder` or `invalidSet`, `SQLiteError`, `CancellationError` if the task is
  ///   cancelled, or what `progress` throws; nothing is merged then.
  public func apply(
    _ sets: [ReceivedSet], policy: ConflictPolicy, keepsInverse: Bool = false,
    progress: ((ApplyProgress) throws -> Void)? = nil, sealing: Sealing
  ) throws -> ApplyOutcome {
    try withIdentifiedRows {
      // An object that is here and that nobody knows of may be one that arrives.
      if try mayHaveUnknownRows { _ = try freeze(sealing: sealing) }
      return try merge(sets, policy: policy, keepsInverse: keepsInverse, progress: progress, sealing: sealing)
    }
  }

  private func merge(
    _ sets: [ReceivedSet], policy: ConflictPolicy, keepsInverse: Bool,
    progress: ((ApplyProgress) throws -> Void)?, sealing: Sealing
  ) throws -> ApplyOutcome {
    var undecided: [Conflict] = []
    var report = ApplyReport()
    do {
      try begin {
        report = ApplyReport()
        var shown = ChangedRows()
        if try hasUnfrozenChanges { _ = try freezeLog(sealing: sealing, changes: &shown) }
        // What is reported as kept aside is what this merge keeps aside.
        parked.beginNoting()
        let merge = try Merge(
          replica: self, policy: policy, own: author, pushed: pushedTime, progress: progress)
        merge.report.changedRows = shown
        if try state.value("restamped") != nil {
          merge.warnOfSet(.restamped, client: client)
          try state.remove("restamped")
        }
        if keepsInverse { merge.journal = MergeJournal() }
        var fresh: [ChangeSet] = []
        for received in sets where try admit(received, with: merge) { fresh.append(received.set) }
        try merge.apply(fresh)
        undecided = merge.undecided
        guard undecided.isEmpty else { throw Undecided() }
        try settle(changes: &merge.report.changedRows)
        try merge.logDecisions()
        try merge.reportParked()
        try moveFrontiers()
        merge.report.inverse = try merge.journal.map { try inverse(of: $0) }
        report = merge.report
      }
    } catch is Undecided {
      return .undecided(undecided)
    }
    store.announce(report.changedRows)
    return .applied(report)
  }

  private struct Undecided: Error {}

  /// Notes a set as applied; `false` if it was before.
  private func admit(_ received: ReceivedSet, with merge: Merge) throws -> Bool {
    let set = received.set
    let number = try authors.number(of: set.author, client: set.client)
    let applied = authors.authors[number]
    let isKnown = try authors.contains(received.hash, of: number, sequence: set.sequence)
    if set.sequence > applied.sequence {
      guard set.sequence == applied.sequence + 1 else {
        throw ReplicaError.outOfOrder(set, expected: applied.sequence + 1)
      }
      try authors.advance(number, to: set.sequence, chain: received.hash)
    }
    if isKnown { return false }
    guard set.sequence > applied.collected else {
      merge.warnOfSet(.belowHorizon, client: set.client)
      return false
    }
    // A set with a number that was there before comes from another copy of one store: both are merged, in any order.
    try authors.insert(received.hash, of: number, set)
    try receiveTimes(of: set, with: merge)
    return true
  }

  /// Whether a set has been applied, or, if the author is the replica's own, was made here.
  ///
  /// A set of the replica's own author that was not made here tells that another copy of the store goes on under the same
  /// author: see ``beginNewIncarnation()``.
  public func knows(_ hash: ContentHash, of author: AuthorID, sequence: UInt64) throws -> Bool {
    guard let number = authors.existingNumber(of: author) else { return false }
    return try authors.contains(hash, of: number, sequence: sequence)
  }

  private func receiveTimes(of set: ChangeSet, with merge: Merge) throws {
    guard let latest = set.changes.lazy.map(\.time).max() else { return }
    if latest.bits > (try state.integer("clock")) { try state.setInteger("clock", latest.bits) }
    if HybridLogicalClock.lead(of: latest, over: configuration.now()) > configuration.clockTolerance {
      merge.warnOfSet(.clockAhead, client: set.client)
    }
  }

  /// The time of the last own change that the remote is known to have.
  var pushedTime: LogicalTime {
    get throws { LogicalTime(bits: try state.integer("pushedTime")) }
  }
}
