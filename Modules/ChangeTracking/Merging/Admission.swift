/// Decides which received sets are merged, and notes them as applied.
struct Admission {
  let cells: Cells
  let options: MergeOptions

  /// The sets that are new here.
  ///
  /// - Throws: ``ReplicaError`` with `outOfOrder` if an author's sets have a gap, with `invalidSet` if a set contradicts itself
  ///   or exceeds ``SetLimits``.
  func admissible(_ received: [ReceivedSet], _ report: inout ApplyReport) throws -> [ChangeSet] {
    for received in received { try SetCheck(received.set).run() }
    var sets: [ChangeSet] = []
    var seen: Set<ContentHash> = []
    var last: [AuthorID: UInt64] = [:]
    for received in received {
      let set = received.set
      let applied = last[set.author] ?? cells.authors[set.author]?.sequence ?? 0
      guard set.sequence <= applied + 1 else { throw ReplicaError.outOfOrder(set, expected: applied + 1) }
      last[set.author] = max(applied, set.sequence)
      if try !seen.insert(received.hash).inserted
        || cells.authors.contains(received.hash, of: set.author, sequence: set.sequence)
      {
        continue
      }
      guard set.sequence > cells.authors[set.author]?.collected ?? 0 else {
        report.warnings.append(SyncWarning(.belowHorizon, client: set.client))
        continue
      }
      // A set with a number that was there before comes from another copy of one store: both are merged, in any order.
      sets.append(set)
      // Stamps are stored with the number of their author.
      _ = try cells.authors.number(of: set.author, client: set.client)
    }
    report.sets += sets.count
    return sets
  }

  /// Adds what waits for a report: it is told once, so not before the sets are applied.
  func tellWaiting(in report: inout ApplyReport) throws {
    if try cells.state.contains(.restamped) {
      report.warnings.append(SyncWarning(.restamped, client: options.client))
      try cells.state.remove(.restamped)
    }
    for entry in try UnsaidTable(cells.state).take() {
      report.warnings.append(
        SyncWarning(
          kind: entry.kind, entity: entry.entity, object: entry.object, key: entry.key,
          client: options.client))
    }
    for entry in try SettledConflicts(cells.state).take() {
      entry.add(to: &report, client: options.client)
    }
  }

  /// Lets the clock follow the sets' times, so that whatever the user does next is later, and reports those that are wrong.
  ///
  /// Once a time from the future is merged, all clocks go on from it. Whose clock follows is not to blame: only who is ahead of
  /// all that was known before is told of, the earliest first.
  func receiveTimes(of sets: [ChangeSet], _ report: inout ApplyReport) throws {
    var clock = HybridLogicalClock(last: try cells.state.time(.clock))
    var known = max(options.now(), clock.last.milliseconds)
    let latest = sets.compactMap { set in
      set.changes.lazy.map(\.time).max().map { (time: $0, set: set) }
    }
    for (time, set) in latest.sorted(by: { $0.time < $1.time }) {
      let lead = HybridLogicalClock.lead(of: time, over: options.now())
      if !LogicalTime.valid.contains(time) {
        report.warnings.append(SyncWarning(.timeInvalid, client: set.client, lead: lead))
      } else if HybridLogicalClock.lead(of: time, over: known) > options.clockTolerance {
        report.warnings.append(SyncWarning(.clockAhead, client: set.client, lead: lead))
        known = time.milliseconds
      }
    }
    for set in sets { clock.receive(set.changes.lazy.map(\.time)) }
    try cells.state.setTime(.clock, clock.last)
  }

  /// Reports names for which there is no room.
  func reportExcess(of sets: [ChangeSet], _ names: [SetNames], _ report: inout ApplyReport) {
    for (set, names) in zip(sets, names) {
      guard let excess = names.firstExcess else { continue }
      report.warnings.append(
        SyncWarning(kind: .exceedsLimit, entity: excess.entity, key: excess.key, client: set.client))
    }
  }

  /// Notes that the sets are applied.
  func admit(_ received: [ReceivedSet]) throws {
    for received in received {
      let set = received.set
      if set.sequence > cells.authors[set.author]?.collected ?? 0 {
        try cells.authors.insert(received.hash, set)
      }
      if set.sequence > cells.authors[set.author]?.sequence ?? 0 {
        try cells.authors.advance(set.author, to: set.sequence, chain: received.hash)
      }
    }
  }
}
