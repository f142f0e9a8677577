import ChangeTracking
import Foundation
import ObjectStore

extension SimulatedClient {
  /// How one synchronisation goes.
  struct SyncPlan {
    var policy = ConflictPolicy.always(.latest)
    /// Steps after which the process ends; `nil` if it goes on.
    var stepsUntilCrash: Int?
    /// Whether conflicts are answered one by one, as a person would.
    var answersEach = false
    /// Whether a merge is ended halfway, and done again.
    var isInterrupted = false
    /// Whether the process ends within a merge, and goes on from what the files were then.
    var endsInMerge = false
    /// Whether each merge is taken back at once.
    var isTakenBack = false
    /// Whether merges may be taken back later.
    var keepsInverses = false

    var needsInverse: Bool { isTakenBack || keepsInverses }
  }

  private struct Interrupted: Error {}

  /// The process ended; its files are as the copy.
  struct Ended: Error { var copy: URL }

  /// One synchronisation, which stops after a number of steps as if the process had ended there.
  ///
  /// - Returns: whether it came to its end.
  func synchronize(with remote: SimulatedRemote, _ plan: SyncPlan = SyncPlan()) throws -> Bool {
    usesOtherProcess.toggle()
    var steps = plan.stepsUntilCrash
    func mayGoOn() -> Bool {
      guard let left = steps else { return true }
      steps = left - 1
      return left > 0
    }
    if try remote.holdsUnknownWork(of: replica, seenBy: name) { try replica.beginNewIncarnation() }
    try freeze()
    guard mayGoOn() else { return false }
    for batch in try remote.news(for: replica, seenBy: name) {
      let before = plan.isTakenBack ? try restorableContents() : []
      let inverse = try merge(batch, plan)
      if plan.keepsInverses, let inverse { inverses.append(inverse) }
      if plan.isTakenBack, let inverse { try takeBack(inverse, to: before) }
      guard mayGoOn() else { return false }
    }
    let awaited = try replica.awaitedLongValues()
    if !awaited.isEmpty { try receive(remote.longValues(awaited, seenBy: name)) }
    try freeze()
    guard mayGoOn() else { return false }
    for hash in try replica.unsentLongValues() {
      if let bytes = try replica.unsentLongValue(hash) { remote.upload(bytes, as: hash) }
    }
    for set in try replica.outbox() {
      try remote.upload(set)
      guard mayGoOn() else { return false }
      try replica.acknowledge(through: set.sequence)
      guard mayGoOn() else { return false }
    }
    return true
  }

  private func merge(_ sets: [ReceivedSet], _ plan: SyncPlan) throws -> MergeInverse? {
    if plan.endsInMerge {
      let copy = folder.deletingLastPathComponent().appending(path: "crashed-\(name)")
      _ = try apply(sets, policy: plan.policy) { _ in
        try self.backUp(to: copy)
        throw Ended(copy: copy)
      }
    }
    if plan.isInterrupted {
      do {
        _ = try apply(sets, policy: plan.policy) { _ in throw Interrupted() }
      } catch is Interrupted {}
    }
    if plan.answersEach {
      switch try apply(sets, policy: .answers([:]), keepsInverse: plan.needsInverse) {
      case .applied(let report): return report.inverse
      case .undecided(let conflicts):
        let chosen = conflicts.enumerated().map { number, conflict in
          let answers = [.local, .remote, .latest, Self.answer(to: conflict)]
          return (conflict.id, answers[number % answers.count])
        }
        let policy = ConflictPolicy.answers(Dictionary(chosen, uniquingKeysWith: { first, _ in first }))
        if case .applied(let report) = try apply(sets, policy: policy, keepsInverse: plan.needsInverse) {
          return report.inverse
        }
      }
    }
    guard case .applied(let report) = try apply(sets, policy: plan.policy, keepsInverse: plan.needsInverse)
    else {
      findings.append("\(name): a merge asks although its policy has an answer to everything")
      return nil
    }
    return report.inverse
  }

  /// A value that neither side has and the property can hold.
  private static func answer(to conflict: Conflict) -> ConflictAnswer {
    if case .value(.string) = conflict.localContent { .value(.string("answer")) } else { .value(.null) }
  }
}
