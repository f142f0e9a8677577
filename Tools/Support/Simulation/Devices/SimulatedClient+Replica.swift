import ChangeTracking
import ObjectStore

/// The calls of a replica that make sets. All go through here, so that every set that is made is looked at.
extension SimulatedClient {
  func freeze() throws { _ = try watched { try $0.freeze() } }

  func adoptAll() throws { _ = try watched { try $0.adoptExistingObjects() } }

  func apply(
    _ sets: [ReceivedSet], policy: ConflictPolicy, keepsInverse: Bool = false,
    progress: ((ApplyProgress) throws -> Void)? = nil
  ) throws -> ApplyOutcome {
    let outcome = try watched {
      try $0.apply(
        sets, policy: policy, keepsInverse: keepsInverse, progress: progress)
    }
    if case .applied(let report) = outcome {
      checkTold(in: report)
      if report.warnings.contains(where: { $0.kind == .contradictoryNames }) { toldOfContradiction = true }
      for set in sets { seen = max(seen, set.set.changes.map(\.time.bits).max() ?? 0) }
    }
    return outcome
  }

  func receive(_ values: FetchedLongValues) throws {
    _ = try watched { try $0.receive(values) }
  }

  func undo(_ inverse: MergeInverse) throws -> UndoReport {
    try watched { try $0.undo(inverse) }
  }

  /// Runs a call and checks the times in the sets that it made.
  ///
  /// What a device had merged before somebody wrote on it has a lesser time than what was written (the cause before its effect,
  /// Lamport 1978). Every merge makes sets of what was written before it, so what comes later was written later. Left out are the
  /// first sets of an author, which may say again what a former self had said, the time of what was there before everything, and what a
  /// delete rule has cleared, which is said to have happened right after what it cleared was written.
  private func watched<Result>(_ body: (Replica) throws -> Result) throws -> Result {
    let floor = seen
    let before = try replica.position()
    let result = try body(replica)
    let after = try replica.position()
    guard before.author == after.author, before.sequence > 0, after.sequence > before.sequence else {
      return result
    }
    for file in try replica.outbox() where file.sequence > before.sequence {
      let set = try CompactCodec.decode(file.bytes)
      if let early = set.changes.first(where: {
        1 < $0.time.bits && $0.time.bits <= floor && !Self.clears($0)
      }) {
        findings.append(
          "\(name): set \(file.sequence) says of \(early.object) at \(early.time.bits), after having merged \(floor): \(early.action)"
        )
      }
    }
    return result
  }

  private static func clears(_ change: Change) -> Bool {
    if case .clear = change.action { true } else { false }
  }
}
