import ChangeTracking
import Crypto

extension DocumentSyncManager {
  /// Fetches and merges what others wrote, and uploads what was changed here.
  ///
  /// A synchronisation without anything to do makes one request, whatever the length of the history, and changes nothing
  /// on the remote.
  ///
  /// - Returns: what was done, overridden, and is waiting.
  /// - Throws: ``SyncError``; what was done before the failure is durable, and the next synchronisation continues.
  @discardableResult
  public func synchronize(_ options: SyncOptions = SyncOptions()) async throws(SyncError) -> SyncReport {
    try await reporting { report in try await synchronize(options, &report) }
  }

  /// Runs an operation and measures it.
  func reporting(
    _ operation: (inout SyncReport) async throws -> Void
  ) async throws(SyncError) -> SyncReport {
    try await exclusively {
      let before = counting.count
      let clock = ContinuousClock()
      let start = clock.now
      var report = SyncReport()
      do {
        try await operation(&report)
      } catch {
        noteFailure(SyncError(wrapping: error))
        throw error
      }
      let transferred = counting.count - before
      report.requests = transferred.requests
      report.bytes = transferred.bytes
      report.duration = clock.now - start
      return report
    }
  }

  /// Keeps why nothing goes on, for ``status()``: not what a person has just decided, nor what passes by itself, unless it does not, or
  /// something else is told there that may not be so any more.
  private func noteFailure(_ error: SyncError) {
    switch error.code {
    case .cancelled, .storeBusy, .storeFull, .store, .conflictsUnresolved: return
    default:
      if error.isTransient, (try? pins.failure) == nil, (try? pins.persists()) != true { return }
      // The failure itself is thrown; that it cannot be noted as well adds nothing.
      try? pins.setFailure(error, at: configuration.now())
    }
  }

  func synchronize(_ options: SyncOptions, _ report: inout SyncReport) async throws {
    try requireRegistration()
    var options = options
    let joining = try pins.joining
    if let conflicts = joining.conflicts { options.conflicts = conflicts }
    var protection = try await protection()
    if protection.keys != nil {
      do {
        try await requireMembership(heads(protection))
      } catch let removal {
        // Of a document that was deleted as well nobody can be a member again.
        try await requireDocument(protection, isAskingDue: true)
        throw removal
      }
    }
    let isUpkeepDue = try pins.isUpkeepDue(at: configuration.now(), protection.keys)
    do {
      try await requireDocument(protection, isAskingDue: isUpkeepDue)
    } catch let error as BackendError where error.isObstruction {
      try await noteObstruction(error, &report)
    }
    let raw = try await list(protection)
    var listing = protection.heads(raw.listing, isCut: raw.isCut)
    let sought = Set(try pins.headless.keys)
    let fetches = try await lookCloser(raw.listing, &listing, &protection, &report)
    let isKeyMissing = report.isKeyMissing
    // The heads of those who write with it are there, and say nothing here.
    if isKeyMissing { report.findings.removeAll(where: \.isAboutMissingHead) }
    let heads = heads(protection)
    let sets = SetTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    replica.sealing = sets.seal
    _ = try replica.sealOutbox(sets.mayPush)

    try await learnRemovals(listing, heads, again: isUpkeepDue)
    try await requireMembership(heads)
    try await putBackRemovals(listing, &report)
    try await learnFloors(listing, heads)
    try noteAnswers(listing)
    var plan = try plan(listing, &report)
    plan.add(fetches)
    plan.headless.formUnion(sought)
    report.findings += plan.findings.filter { finding in
      if isKeyMissing && finding.isAboutMissingHead { return false }
      // Heads of those whose key or acceptance is missing are theirs, and nobody should remove them.
      guard case .unverifiedHeads = finding else { return true }
      return !report.findings.contains(where: \.isAboutFoundings)
    }
    let values = LongValueTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    var failure: BackendError?
    var hasReturned = false
    do {
      try await pull(plan, listing, heads, sets, options, &report)
      try await pullAwaitedLongValues(values, &report)
      try noteSealingKeys(report.findings)
      try noteHeadless(fetches, &report)
      try await passOverFloor(listing, heads, again: isUpkeepDue, &report)
      hasReturned = try await comeBack(protection, options, &report)
    } catch let error as BackendError where error.code != .cancelled {
      // What is made here goes out all the same.
      failure = error
    }
    // Of what was sent nobody is asked any more, nor would the side win that was chosen.
    if let failure, joining != .merge { throw failure }
    try Task.checkCancellation()
    if hasReturned {
      // With another author, and other sets that are settled, everything is decided anew.
      var options = options
      options.returning = .never
      report.findings.removeAll { !$0.isAboutReturn }
      report.belowFloor = []
      return try await synchronize(options, &report)
    }
    if joining != .merge, report.findings.contains(where: { $0.waitsFor != nil }), try pins.waitsToJoin() {
      // What is late comes with the next one, as a rule.
      return try addNames(to: &report)
    }
    try await follow(listing.supersessions, heads, &report)
    try await learnNames(plan, listing, heads, report)
    try await learnRenamings(listing, heads, again: isUpkeepDue)
    try await learnHeadlessNames(report)
    try await learnVectors(listing, heads, again: isUpkeepDue)
    if !fetches.isEmpty { plan.unnamed = SyncPlan.unnamed(try position(listing), listing) }
    try await heal(plan, &listing, heads, sets, values, &report)
    let hasLostHead = try await push(
      sets, values, heads, isUpkeepDue ? raw.listing : nil, &listing, &report)
    // What cannot be said is found out when sets are made.
    try reportWhatIsLeft(&report)
    try await refillClearedFolder(sets, &report)
    try await publishName(heads, listing, &report)
    try await announceSupersessions(heads, &listing, &report)
    try await askForLost(&listing, values, &report)
    if let failure { throw failure }
    let hasMoved = try await lookAtObstructions(&report)
    if isUpkeepDue || hasMoved || hasLostHead { try await lookAfterFiles(protection, &report) }
    try pins.beginUpkeep(at: configuration.now(), protection.keys)
    // Whether one file cannot be read or the storage has gone, only another request tells.
    if report.findings.contains(where: \.isUnreadable) { _ = try await heads.list() }
    try pins.synchronized(
      at: configuration.now(), heads: listing, findings: report.findings + report.belowFloor,
      asked: try requestsToTellOf(listing))
    StoreReplacement(path: replica.storePath).finish()
    try await lookForValuesInStores(protection, &report)
    report.blocked = try pins.awaitedAuthors()
    report.awaited = try pins.awaitedChanges(at: configuration.now())
    try await lookForWholeStore(protection, &report)
    try await uploadStoreIfDue(options.wholeStores, isUpkeepDue: isUpkeepDue, listing, &report)
    try addNames(to: &report)
  }

  private func addNames(to report: inout SyncReport) throws {
    report.names = try pins.deviceNames()
    report.names[try replica.author] = configuration.clientDescription
    let own = configuration.client.description
    var clients = [try replica.author: own]
    for applied in try replica.status().applied where !applied.client.isEmpty {
      clients[applied.author] = applied.client
      if let name = report.names[applied.author] { report.clients[applied.client] = name }
    }
    report.clients[own] = configuration.clientDescription
    // What a device was called before its store was restored, too, is no other's name.
    var bearers: [String: Set<String>] = [:]
    for (author, name) in report.names { bearers[name, default: []].insert(clients[author] ?? "\(author)") }
    report.sharedNames = Set(bearers.filter { $0.value.count > 1 }.keys)
  }

  func requireRegistration() throws {
    guard try pins.document == hierarchy.root.description else {
      throw notRegistered()
    }
  }

  private func list(_ protection: DocumentProtection) async throws -> HeadTransfer.Listing {
    let found = try await heads(protection).list()
    // The folder alone may be lost, or not be there because it is empty.
    if found == nil, try await !backend.exists(hierarchy.information) {
      try await requireOwnCase()
      throw try await gone()
    }
    return found ?? HeadTransfer.Listing()
  }

  func removed() -> SyncError {
    SyncError(
      .documentNotFound, "The document “\(hierarchy.document)” does not exist on the remote any more.",
      recovery:
        "Check that the remote is the right one, and mounted. Wait if the storage is still delivering it. If it was lost for good, refill the remote from this device."
    )
  }

  /// Decides what to do, and goes on as a new author first if this store is not the only one of its author.
  private func plan(_ listing: HeadListing, _ report: inout SyncReport) throws -> SyncPlan {
    while true {
      let plan = SyncPlan(position: try position(listing), listing: listing)
      if plan.isRestored {
        report.findings.append(.newIncarnation(former: try replica.author))
        try replica.beginNewIncarnation()
        continue
      }
      if let acknowledged = plan.acknowledged { try replica.acknowledge(through: acknowledged) }
      return plan
    }
  }

  private func position(_ listing: HeadListing) throws -> SyncPlan.Position {
    let author = try replica.author
    var position = SyncPlan.Position(author: author)
    if let hash = try replica.pushedHash {
      position.pushed = SetName(sequence: try replica.pushedSequence, hash: hash)
    }
    position.ownHeads = Set(try pins.ownHeads)
    position.vector = try replica.vector()
    for other in Set(listing.authors).union(position.vector.sequences.keys) where other != author {
      position.chains[other] = try replica.chain(of: other)
    }
    for other in listing.authors {
      for set in listing.sets(of: other) where other == author || set.hash != position.chains[other] {
        guard try replica.knows(set.hash, of: other, sequence: set.sequence) else { continue }
        position.known.insert(SyncPlan.ForkedSet(author: other, set: set))
      }
    }
    position.superseded = try pins.supersededAuthors()
    let said = try pins.saidSupersessions()
    for statement in listing.supersessions where !said.contains(statement) {
      guard try pins.wasFollowed(statement) == nil else { continue }
      position.unreadStatements[statement.former] = max(
        position.unreadStatements[statement.former] ?? 0, statement.through)
    }
    position.tips = try pins.tips
    for blocked in try pins.blockedAuthors() { position.blocked[blocked.author] = blocked.syncs }
    position.pendingForks = try pins.pendingForks
    return position
  }

  /// Uploads long values first, then the sets that mention them, and the head that names these last. Only then they count as pushed.
  ///
  /// - Parameter listed: what lies among the heads, if the own head is to be looked at: where it has another size than it was written
  ///   with, it was cut off, and is written again.
  /// - Returns: whether the storage has lost the head that was there, and other things with it, as likely as not.
  private func push(
    _ sets: SetTransfer, _ values: LongValueTransfer, _ heads: HeadTransfer, _ listed: RemoteListing?,
    _ listing: inout HeadListing, _ report: inout SyncReport
  ) async throws -> Bool {
    try replica.freeze()
    if try !replica.sealOutbox(sets.mayPush) {
      // Made by another program meanwhile, and fixed since. They are said again.
      try replica.beginNewIncarnation()
      try replica.freeze()
    }
    let outbox = try replica.outbox()
    let author = try replica.author
    try await pushLongValues(values, &report)
    try await writingOwn(&report) { try await sets.push(outbox) }

    let sequence = try outbox.last?.sequence ?? replica.pushedSequence
    let hash = try outbox.last?.hash ?? replica.pushedHash
    let vector = try replica.held()
    let name = sets.protection.head(author: author, sequence: sequence, seen: vector.total, hash: hash)
    let isPublished = listing.newest(of: author) == name
    let size = listed?.entries.first { $0.name == name.name }?.size
    if isPublished {
      guard let size, let written = try pins.size(of: name), size != written else { return false }
    }
    let hasLostHead = try !isPublished && pins.size(of: name) != nil
    let bytes = try heads.bytes(of: try head(name, vector: vector))
    if isPublished {
      // It may have been written again meanwhile, with what is said of this device now.
      guard size != Int64(bytes.count) else { return false }
      report.findings.append(.putBack(paths: [hierarchy.file(of: name).description]))
    }
    try pins.willPublish(name, size: bytes.count)
    try await writingOwn(&report) { try await heads.publish(bytes, as: name) }
    if !outbox.isEmpty { try replica.acknowledge(through: sequence) }
    report.pushedSets += outbox.count
    report.pushed += outbox.reduce(0) { $0 + $1.changeCount }
    report.setBytes += outbox.reduce(0) { $0 + Int64($1.bytes.count) }

    let older = (listing.heads[author] ?? []).filter { $0 != name }
    if await heads.remove(older), older.count >= Self.remainingHeads {
      report.findings.append(.notRemoved(hierarchy.recentSyncs, count: older.count))
    }
    listing.replace(older, with: name)
    await heads.remove(listing.mentions[author] ?? [], &listing)
    return hasLostHead
  }

  /// So many former heads of this device stay behind before it is said that the storage removes none.
  private static let remainingHeads = 8
}
