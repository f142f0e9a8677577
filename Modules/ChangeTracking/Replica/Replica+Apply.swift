import ObjectStore
import TICDSSQLite

extension Replica {
  /// Merges sets of other authors and notes that they are applied.
  ///
  /// Changes logged but not yet in a set are made into sets first, so that every local change has its stamp. Sets of one
  /// author must come in their order and without gap; a set that was applied before has no effect.
  ///
  /// Goes in slices, each one durable transaction, so that others may save meanwhile; the sets count as applied with the last. A
  /// merge that ends before is done again from the start, which changes nothing that was merged. A merge that may ask, or that
  /// keeps its inverse, is one transaction.
  ///
  /// - Parameters:
  ///   - sets: decoded sets, with the hashes of their files.
  ///   - policy: how conflicts with changes not yet pushed are decided.
  ///   - keepsInverse: whether the report says how to take the merge back, which costs reading what objects showed before.
  ///   - progress: called after each slice, on the caller's thread and inside its transaction, so it must not use the replica.
  ///     What it throws ends the merge and takes the slice back.
  /// - Throws: ``ReplicaError`` with `outOfOrder` or `invalidSet`, `SQLiteError`, `CancellationError` if the task is
  ///   cancelled, or what `progress` throws; the sets do not count as applied then.
  public func apply(
    _ sets: [ReceivedSet], policy: ConflictPolicy, keepsInverse: Bool = false,
    progress: ((ApplyProgress) throws -> Void)? = nil
  ) throws -> ApplyOutcome {
    // An object that is here and that nobody knows of may be one that arrives. The rest is made into sets in slices of its own.
    try freeze()
    try learnNames(of: sets)
    do {
      return try merge(sets, policy, keepsInverse, areNamesLearnt: false, progress)
    } catch is UnknownNames {
      try learnNames(of: sets, all: true)
      return try merge(sets, policy, keepsInverse, areNamesLearnt: true, progress)
    }
  }

  private func merge(
    _ sets: [ReceivedSet], _ policy: ConflictPolicy, _ keepsInverse: Bool, areNamesLearnt: Bool,
    _ progress: ((ApplyProgress) throws -> Void)?
  ) throws -> ApplyOutcome {
    let run = MergeRun(
      sets, policy: policy, keepsInverse: keepsInverse, options: mergeOptions, log: log,
      areNamesLearnt: areNamesLearnt, progress: progress)
    // It goes on where it was if somebody adds rows between the slices.
    return try withIdentifiedRows { identified in
      var writing = SharedWriting(connection)
      do {
        while try !begin({ transaction in
          try freezeLog(in: transaction, identified)
          let isAtEnd = try run.mergeSlice(in: transaction)
          if !run.hidden.isEmpty { try freezeLog(in: transaction, identified, hidden: run.hidden) }
          return isAtEnd
        }) {
          run.confirm(on: connection)
          writing.pauseIfDue()
        }
      } catch let undecided as MergeRun.Undecided {
        return .undecided(undecided.conflicts)
      }
      return .applied(run.report)
    }
  }

  /// Whether there is something that the next report tells, whatever it merges: what could not be said, that the author is a new
  /// one, or what became of unsaved edits that met a merge. A merge of no sets reports it.
  package var hasUnreported: Bool {
    get throws {
      try state.contains(.restamped) || !UnsaidTable(state).isEmpty || !SettledConflicts(state).isEmpty
    }
  }

  var mergeOptions: MergeOptions {
    MergeOptions(
      client: client, now: configuration.now, sliceLimit: configuration.sliceLimit,
      clockTolerance: configuration.clockTolerance)
  }
}
