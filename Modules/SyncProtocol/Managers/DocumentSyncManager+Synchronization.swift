import ChangeTracking

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
    try await exclusively {
      let before = backend.count
      let clock = ContinuousClock()
      let start = clock.now
      var report = SyncReport()
      try await synchronize(options, &report)
      let transferred = backend.count - before
      report.requests = transferred.requests
      report.bytes = transferred.bytes
      report.duration = clock.now - start
      return report
    }
  }

  private func synchronize(_ options: SyncOptions, _ report: inout SyncReport) async throws {
    guard try pins.document == hierarchy.root.description else {
      throw SyncError(
        .notRegistered, "The document “\(hierarchy.document)” was not registered from this store.",
        recovery: "Register the document first.")
    }
    let protection = try await protection()
    let heads = HeadTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    let sets = SetTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    replica.sealing = sets.seal

    var listing = try await list(heads)
    let plan = try await plan(&listing, heads, &report)
    report.findings += plan.findings
    let values = LongValueTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    try await pull(plan, listing, sets, options, &report)
    try await pullAwaitedLongValues(values, &report)
    try Task.checkCancellation()
    try await push(sets, values, heads, &listing, &report)
    try pins.synchronized(at: configuration.now(), heads: listing)
  }

  private func list(_ heads: HeadTransfer) async throws -> HeadListing {
    guard let listing = try await heads.list() else {
      throw SyncError(
        .documentNotFound, "The document “\(hierarchy.document)” does not exist on the remote any more.",
        recovery: "Wait if the storage is still delivering it; otherwise register it again.")
    }
    if try replica.pushedSequence > 0, listing.newest(of: try replica.author) == nil {
      // The storage may be late. But if the document was created anew, it must not get this store's changes.
      guard let pinned = try pins.integrityKey, try await integrityKeys().contains(pinned) else {
        throw replaced()
      }
    }
    return listing
  }

  /// Decides what to do, and goes on as a new author first if this store is not the only one of its author.
  private func plan(
    _ listing: inout HeadListing, _ heads: HeadTransfer, _ report: inout SyncReport
  ) async throws -> SyncPlan {
    while true {
      let plan = SyncPlan(position: try position(listing), listing: listing)
      if let unknown = plan.unknownSelf {
        if try await isGenuine(unknown, heads) {
          report.findings.append(.newIncarnation(former: unknown.author))
          try replica.beginNewIncarnation()
        } else {
          report.findings.append(.forgedHead(unknown.name.description))
          listing = listing.removing([unknown])
        }
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
    for other in listing.authors where other != author {
      position.chains[other] = try replica.chain(of: other)
    }
    position.settledForks = try pins.settledForks
    position.pendingForks = try pins.pendingForks
    return position
  }

  /// Whether a head has content that fits its name. Otherwise anybody who can write there could make this device take a
  /// new author again and again.
  private func isGenuine(_ name: HeadName, _ heads: HeadTransfer) async throws -> Bool {
    do {
      _ = try await heads.read(name)
      return true
    } catch let error as BackendError where error.code != .notFound && error.code != .tooLarge {
      throw error
    } catch {
      return false
    }
  }

  /// Uploads long values first, then the sets that mention them, and the head that names these last. Only then they count as pushed.
  private func push(
    _ sets: SetTransfer, _ values: LongValueTransfer, _ heads: HeadTransfer, _ listing: inout HeadListing,
    _ report: inout SyncReport
  ) async throws {
    try replica.freeze()
    let author = try replica.author
    let outbox = try replica.outbox()
    try await pushLongValues(values)
    try await sets.push(outbox)

    let sequence = try outbox.last?.sequence ?? replica.pushedSequence
    let hash = try outbox.last?.hash ?? replica.pushedHash
    let vector = try replica.vector()
    let name = HeadName(author: author, sequence: sequence, seen: vector.total, hash: hash)
    guard listing.newest(of: author) != name else { return }
    try pins.willPublish(name)
    try await heads.publish(try head(name, vector: vector))
    if !outbox.isEmpty { try replica.acknowledge(through: sequence) }
    report.pushedSets = outbox.count
    report.pushed = outbox.reduce(0) { $0 + $1.changeCount }

    let older = listing.heads[author] ?? []
    await heads.remove(older)
    listing = HeadListing(listing.removing(Set(older)).all + [name])
  }
}
