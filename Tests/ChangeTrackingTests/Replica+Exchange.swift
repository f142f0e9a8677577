import ObjectStore

@testable import ChangeTracking

extension Replica {
  /// Makes sets of the edits so far, which count as pushed, and hands over the long values that they mention.
  func push(_ longValue: (ContentHash, [UInt8]?) -> Void = { _, _ in }) throws -> [ReceivedSet] {
    _ = try freeze { plain, _, _ in plain }
    for hash in try unsentLongValues() { longValue(hash, try unsentLongValue(hash)) }
    return try outbox().map { frozen in
      try acknowledge(through: frozen.sequence)
      return ReceivedSet(set: try CompactCodec.decode(frozen.bytes), hash: frozen.hash)
    }
  }

  /// Merges sets under a policy that answers every conflict.
  func receive(_ sets: [ReceivedSet], policy: ConflictPolicy) throws -> ApplyReport {
    switch try apply(sets, policy: policy, sealing: { plain, _, _ in plain }) {
    case .applied(let report): return report
    case .undecided(let conflicts): throw Undecided(conflicts: conflicts)
    }
  }

  struct Undecided: Error { var conflicts: [Conflict] }
}
