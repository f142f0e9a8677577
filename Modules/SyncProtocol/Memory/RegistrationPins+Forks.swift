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
    let vector = try replica.vector()
    let gaps = try replica.gaps()
    var given: [GivenUpSet] = []
    for (author, forks) in Dictionary(grouping: forks, by: \.author).sorted(by: { $0.key < $1.key }) {
      let settled = try replica.settledSets(of: author).map(\.sequence)
      let ends = Set(forks.map(\.set.sequence))
      for last in ends.sorted() {
        let before =
          if last > vector[author] { vector[author] } else if let gap = gaps[author], gap.contains(last) {
            gap.lowerBound - 1
          } else { last - 1 }
        let first = (settled + ends).filter { $0 < last }.max().map { max($0, before) } ?? before
        given.append(GivenUpSet(author: author, name: names[author], first: first + 1, sequence: last))
      }
    }
    return given
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
