import ChangeTracking
import Foundation

/// What a device lacks and whole stores may contain.
private struct LackedSets {
  /// Of each author the first set that is lacked of his chain.
  var firsts: [AuthorID: UInt64] = [:]
  /// Beside the chains of their authors.
  var forks: Set<SyncPlan.ForkedSet> = []
  /// Whether it is said that whole stores contain what is lacked of chains. Of branches nothing is: a number does not tell which one.
  var areContained = false

  var isEmpty: Bool { firsts.isEmpty && forks.isEmpty }

  func isAny(in snapshot: StoreSnapshot) throws -> Bool {
    if firsts.contains(where: { author, first in snapshot.contents[author] >= first }) { return true }
    guard !forks.isEmpty else { return false }
    let settled = try snapshot.settledSets()
    return forks.contains { fork in
      settled[fork.author]?.contains { $0.sequence == fork.set.sequence && $0.hash == fork.set.hash } == true
    }
  }
}

/// The return of a device that lacks sets which were removed, because whole stores contain them.
///
/// Its store is not exchanged: what a whole store contains is merged into it, as the sets would have been. So contexts may stay open,
/// other programs may go on saving, what was not pushed is kept, and there is one durable transaction before which nothing has happened.
extension DocumentSyncManager {
  /// How many whole stores are tried at most.
  private static let returnTries = 4

  /// Synchronises, then merges the newest whole store that opens and goes on as a new author, whether or not sets are missing: for a
  /// device that does not come right by itself. What was made here and not pushed is kept. A device that was removed from the document comes
  /// back by it, and takes over a whole store if it lacks what others have removed meanwhile.
  ///
  /// - Parameter options: of the synchronisation. Nobody is asked whether to return (``SyncOptions/returning``).
  /// - Throws: ``SyncError`` with `noWholeStore` if none can be used, or as ``synchronize(_:)``. Repeating it is harmless.
  @discardableResult
  public func rejoin(_ options: SyncOptions = SyncOptions()) async throws(SyncError) -> SyncReport {
    try await reporting { report in
      var options = options
      options.returning = .automatic
      if let former = try await comeBackIfRemoved() {
        try await synchronize(options, &report)
        await retireHeads(of: former, try await protection())
        report.findings.insert(.readmitted(former: former), at: 0)
        return
      }
      try await synchronize(options, &report)
      guard report.takenStore == nil else { return }
      guard try await takeWholeStore(try await protection(), options, &report, if: { _ in true }) else {
        // Those that are there may be sealed with it.
        if let missing = report.findings.first(where: \.isKeyMissing) {
          throw SyncError(
            .keyMissing, "No whole store on the remote can be read here. \(missing)",
            recovery: "Synchronise with that password, then rejoin.")
        }
        throw SyncError(
          .noWholeStore, "There is no whole store on the remote that this device can take over.",
          recovery: report.refusals ?? "Upload one from another device.")
      }
      options.returning = .never
      try await synchronize(options, &report)
    }
  }

  /// Takes over a whole store if what this device waits for was removed, unless that was declined.
  ///
  /// What was given up is looked for in whole stores too, whether or not a floor tells that it was removed: the floor may be late or lost,
  /// and the whole store be there. Of these, each is fetched once.
  ///
  /// One that is of no use, or is declined, is looked at again after growing pauses only. Synchronisations that are not to return do not
  /// count: the first one that may return looks at once.
  /// - Returns: whether one was taken over, so that everything is to be decided anew.
  func comeBack(
    _ protection: DocumentProtection, _ options: SyncOptions, _ report: inout SyncReport
  ) async throws -> Bool {
    let lacking = try lackedSets(report)
    if lacking.isEmpty {
      try pins.setReturnPause(ReturnPause())
      return false
    }
    if case .never = options.returning { return false }
    var pause = try pins.returnPause
    let isDue = pause.isLookDue
    pause.count()
    try pins.setReturnPause(pause)
    guard isDue else { return false }
    let fruitless =
      lacking.areContained ? [] : try pins.fruitlessStores.union(pins.ownWholeStores.map(\.name))
    do {
      return try await takeWholeStore(protection, options, &report, but: fruitless) { snapshot in
        try lacking.isAny(in: snapshot)
      }
    } catch let error as BackendError where error.isAboutOneFile && !lacking.areContained {
      // Nothing tells that a whole store contains it, so what is wrong with their folder stops nobody.
      return false
    }
  }

  private func lackedSets(_ report: SyncReport) throws -> LackedSets {
    let pending = try pins.pendingForks
    var lacked = LackedSets()
    lacked.areContained = report.belowFloor.contains { finding in
      guard case .waiting(let author, let sequence, _) = finding else { return false }
      return !pending.contains { $0.fork.author == author && $0.fork.set.sequence == sequence }
    }
    for finding in try report.belowFloor + (lacked.areContained ? [] : givenUpSets()) {
      guard case .waiting(let author, let sequence, _) = finding else { continue }
      let forks = pending.map(\.fork).filter { $0.author == author && $0.set.sequence == sequence }
      if forks.isEmpty { lacked.firsts[author] = min(sequence, lacked.firsts[author] ?? .max) }
      lacked.forks.formUnion(forks)
    }
    if !lacked.areContained { lacked.forks.formUnion(pending.filter(\.isGivenUp).map(\.fork)) }
    return lacked
  }

  private func isAgreed(
    _ store: WholeStoreName, _ options: SyncOptions, _ report: inout SyncReport
  ) async throws -> Bool {
    switch options.returning {
    case .automatic: return true
    case .never: return false
    case .ask(let ask):
      let question = ReturnQuestion(wholeStore: store, unpushed: try unpushedChanges())
      guard try await !ask(question) else { return true }
      report.findings.append(.returnDeclined)
      return false
    }
  }

  private func unpushedChanges() throws -> Int {
    let status = try replica.status()
    return status.frozenChanges + status.pendingObjects
  }

  private func takeWholeStore(
    _ protection: DocumentProtection, _ options: SyncOptions, _ report: inout SyncReport,
    but fruitless: Set<WholeStoreName> = [], if isUseful: (StoreSnapshot) throws -> Bool
  ) async throws -> Bool {
    let transfer = WholeStoreTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    let stores = try await transfer.list().stores.filter {
      $0.hasSizeOfName && !fruitless.contains($0.name)
    }
    guard let newest = stores.last, try await isAgreed(newest.name, options, &report) else { return false }
    let order = Self.order(stores, last: try pins.fruitlessStores)
    for listed in order.prefix(Self.returnTries) {
      let scratch = try ScratchFolder(beside: replica.storePath, named: "returning")
      // Under its own name, for the files beside a store are found by it.
      let path = scratch.file(URL(filePath: replica.storePath).lastPathComponent)
      do {
        let snapshot = try await transfer.fetch(listed, through: scratch, to: path, progress: nil)
        guard try isUseful(snapshot) else {
          try pins.noteFruitless(listed.name)
          continue
        }
        guard try !replica.isBehind(snapshot.horizon) else {
          throw WholeStoreTransfer.Refusal(
            "its maker has forgotten deletions that this device has not merged")
        }
        let former = try replica.author
        try await merge(copyAt: path, options, &report)
        report.takenStore = listed.name
        report.findings.append(.returned(former: former, store: listed.name.author))
        await retireHeads(of: former, protection)
        return true
      } catch let refusal as WholeStoreTransfer.Refusal {
        report.findings.append(
          .wholeStoreRefused(listed.name, why: refusal.description))
      } catch let failure as BackendError where failure.code.isTransient {
        let refusal = try await transfer.refusal(ofUndelivered: failure)
        report.findings.append(
          .wholeStoreRefused(listed.name, why: refusal.description))
      }
    }
    return false
  }

  /// In which order whole stores are tried: the newest first, of each author one before another of anybody, for what a device lacks that all its
  /// copies lack; those that were of no use come last. So wherever there is one that is of use, it is reached.
  private static func order(
    _ stores: [WholeStoreTransfer.Listed], last fruitless: Set<WholeStoreName>
  ) -> [WholeStoreTransfer.Listed] {
    let newestFirst = Array(stores.reversed())
    let useful = newestFirst.filter { !fruitless.contains($0.name) }
    var authors: Set<AuthorID> = []
    let first = Set(useful.map(\.name).filter { authors.insert($0.author).inserted })
    return useful.filter { first.contains($0.name) } + useful.filter { !first.contains($0.name) }
      + newestFirst.filter { fruitless.contains($0.name) }
  }

  private func merge(
    copyAt path: String, _ options: SyncOptions, _ report: inout SyncReport
  ) async throws {
    var answers: [Conflict.ID: ConflictAnswer] = [:]
    while true {
      try Task.checkCancellation()
      let policy = options.conflicts.policy(answers)
      let outcome = try replica.mergeCopy(at: path, policy: policy) { copied, own, ends in
        try RegistrationPins.adopt(copied, own, ends)
      }
      switch outcome {
      case .merged(let merge): return report.add(merge)
      case .unusable(let why): throw WholeStoreTransfer.Refusal(why)
      case .undecided(let conflicts):
        answers.merge(try await options.conflicts.answers(to: conflicts)) { $1 }
      }
    }
  }

  /// Takes away the heads of the author that this device has been, for they would hold back every vacuum to come; his last set is named
  /// without them, and it is written down that nobody need wait for him. Heads of sets that are unknown here belong to a copy of this store and
  /// stay. If it fails, they hold back a vacuum for as long as is agreed.
  private func retireHeads(of former: AuthorID, _ protection: DocumentProtection) async {
    do {
      let heads = heads(protection)
      let all = try await heads.genuine().heads[former] ?? []
      let known = try all.filter { head in
        guard let set = head.set else { return true }
        return try replica.knows(set.hash, of: former, sequence: set.sequence)
      }
      if let chain = try replica.chain(of: former) {
        let last = SetName(sequence: try replica.vector()[former], hash: chain)
        try await heads.publish(protection.mention(author: former, set: last))
      }
      await heads.remove(known)
      if known.count == all.count { try await writeDown([former], protection) }
    } catch {
      return
    }
  }
}
