import ByteFixtures
import ObjectStore
import Synchronization

@testable import ChangeTracking

extension Replica.Configuration {
  /// A configuration whose clock and chance are a test's.
  init(client: String, clock: TestClock, seed: UInt64, setLimit: Int) {
    let random = Mutex(SeededGenerator(seed: seed))
    self.init(
      client: client, now: { clock.milliseconds }, random: { random.withLock { $0.next() } },
      setLimit: setLimit)
  }
}

extension Replica {
  /// Makes sets of the edits so far, which count as pushed, and hands over the long values that they mention.
  func push(_ longValue: (ContentHash, [UInt8]?) throws -> Void = { _, _ in }) throws -> [ReceivedSet] {
    try freeze()
    for hash in try unsentLongValues() { try longValue(hash, try unsentLongValue(hash)) }
    return try outbox().map { frozen in
      try acknowledge(through: frozen.sequence)
      return ReceivedSet(set: try CompactCodec.decode(frozen.bytes), hash: frozen.hash)
    }
  }

  /// Merges sets under a policy that answers every conflict.
  func receive(_ sets: [ReceivedSet], policy: ConflictPolicy) throws -> ApplyReport {
    switch try apply(sets, policy: policy) {
    case .applied(let report): return report
    case .undecided(let conflicts): throw Undecided(conflicts: conflicts)
    }
  }

  /// Conflicts that the policy left open: a test that wants them asks ``apply(_:policy:sealing:)`` itself.
  struct Undecided: Error { var conflicts: [Conflict] }
}
