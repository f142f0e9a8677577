import ChangeTracking

/// Sets beside the chain of their author.
extension RegistrationPins {
  private static let settled = "settledFork"
  private static let pending = "pendingFork"
  /// Sets of each kind that are remembered. A fork takes two copies of one store, so there are few.
  private static let forkLimit = 256

  /// Sets beside the chain of their author that were merged, or turned out to be on it.
  var settledForks: Set<SyncPlan.ForkedSet> {
    get throws { Set(try replica.remoteNotes.all(Self.settled).compactMap { SyncPlan.ForkedSet($0.key) }) }
  }

  /// Sets beside the chain of their author that are known to exist and have not arrived yet, the first missed first.
  var pendingForks: [SyncPlan.PendingFork] {
    get throws {
      try replica.remoteNotes.all(Self.pending).compactMap {
        SyncPlan.PendingFork("\($0.key) \(String(decoding: $0.value, as: UTF8.self))")
      }
    }
  }

  func setForks(settled: Set<SyncPlan.ForkedSet>, pending: [SyncPlan.PendingFork]) throws {
    let known = (settled: try settledForks, pending: try pendingForks)
    guard settled != known.settled || pending != known.pending else { return }
    try replica.changeRemoteNotes { notes in
      for fork in known.settled.subtracting(settled) { try notes.remove(Self.settled, fork.text) }
      let last = try notes.all(Self.settled).last?.number ?? 0
      for (offset, fork) in settled.subtracting(known.settled).sorted().enumerated() {
        try notes.set(Self.settled, RemoteNotes.Note(key: fork.text, number: last + 1 + Int64(offset)))
      }
      try notes.keepGreatest(Self.forkLimit, of: Self.settled)
      for fork in known.pending { try notes.remove(Self.pending, fork.fork.text) }
      for (number, fork) in pending.suffix(Self.forkLimit).enumerated() {
        try notes.set(
          Self.pending,
          RemoteNotes.Note(
            key: fork.fork.text, number: Int64(number), value: Array("\(fork.since) \(fork.age)".utf8)))
      }
    }
  }
}
