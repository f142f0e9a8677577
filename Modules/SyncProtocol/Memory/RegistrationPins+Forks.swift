import ChangeTracking

/// Sets that are known to exist and have not arrived, beside the chain of their author or given up.
extension RegistrationPins {
  static let pendingKind = "pendingFork"
  /// Sets that are remembered. A fork takes two copies of one store, so there are few.
  private static let forkLimit = 256

  /// The sets, the first missed first.
  var pendingForks: [SyncPlan.PendingFork] {
    get throws {
      try replica.remoteNotes.all(Self.pendingKind).compactMap {
        SyncPlan.PendingFork("\($0.key) \(String(decoding: $0.value, as: UTF8.self))")
      }
    }
  }

  /// What was given up and has not come since, in order.
  func givenUpSets() throws -> [GivenUpSet] {
    let forks = try pendingForks.filter(\.isGivenUp).map(\.fork)
    guard !forks.isEmpty else { return [] }
    let names = try deviceNames()
    return forks.sorted().map {
      GivenUpSet(author: $0.author, name: names[$0.author], sequence: $0.set.sequence)
    }
  }

  func setForks(_ pending: [SyncPlan.PendingFork]) throws {
    let known = try pendingForks
    guard pending != known else { return }
    try replica.changeRemoteNotes { notes in
      for fork in known { try notes.remove(Self.pendingKind, fork.fork.text) }
      for (number, fork) in pending.suffix(Self.forkLimit).enumerated() {
        try notes.set(
          Self.pendingKind,
          RemoteNotes.Note(
            key: fork.fork.text, number: Int64(number),
            value: Array("\(fork.since) \(fork.age) \(fork.answers)".utf8)))
      }
    }
  }
}
