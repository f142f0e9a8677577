import ChangeTracking

extension DocumentSyncManager {
  /// Uploads the long values that own sets mention, before those sets. One in whose place something else lies is sent when the others
  /// ask for it.
  func pushLongValues(_ transfer: LongValueTransfer, _ report: inout SyncReport) async throws {
    var hashes = try replica.unsentLongValues()[...]
    let now = configuration.now()
    if !hashes.isEmpty, try pins.isUpkeepDue(at: now, transfer.protection.keys) {
      await transfer.look()
    }
    while !hashes.isEmpty {
      var batch: [(hash: ContentHash, bytes: [UInt8])] = []
      for hash in hashes.prefix(SetTransfer.parallelism) {
        if let bytes = try replica.unsentLongValue(hash) { batch.append((hash, bytes)) }
      }
      hashes = hashes.dropFirst(SetTransfer.parallelism)
      let obstructions = try await concurrently(batch, limit: SetTransfer.parallelism) { one in
        do {
          try await transfer.push(one.bytes, one.hash)
          return nil as BackendError?
        } catch let error as BackendError where error.isObstruction {
          return error
        }
      }
      for case let obstruction? in obstructions { try await noteObstruction(obstruction, &report) }
    }
  }

  /// Fills in long values, as far as they can be had and fit into memory together. The others are fetched once the sets are
  /// merged.
  func fill(
    _ sets: [ReceivedSet], _ transfer: LongValueTransfer, _ report: inout SyncReport
  ) async throws -> [ReceivedSet] {
    var seen: Set<LongValue> = []
    var missing = sets.flatMap(\.set.missingLongValues).filter { seen.insert($0).inserted }
    guard !missing.isEmpty else { return sets }
    let fetched = try await fetch(missing.takeBatch(), transfer, &report)
    var filled = sets
    for index in filled.indices { filled[index].set.fill(with: fetched) }
    return filled
  }

  /// Fetches the long values that registers wait for, but for those that were asked for in vain just now.
  func pullAwaitedLongValues(
    _ transfer: LongValueTransfer, _ report: inout SyncReport
  ) async throws {
    let inVain = Set(
      report.findings.compactMap { if case .valueWaiting(let value, _) = $0 { value } else { nil } })
    var awaited = try replica.awaitedLongValues().filter { !inVain.contains($0) }
    while !awaited.isEmpty {
      try Task.checkCancellation()
      try replica.receive(try await fetch(awaited.takeBatch(), transfer, &report))
    }
  }

  private func fetch(
    _ values: [LongValue], _ transfer: LongValueTransfer, _ report: inout SyncReport
  ) async throws -> FetchedLongValues {
    var fetched = FetchedLongValues()
    for (value, outcome) in zip(values, try await transfer.fetch(values)) {
      switch outcome {
      case .received(let bytes): _ = fetched.add(bytes, as: value)
      case .obstacle(let obstacle):
        let finding = SyncFinding.valueWaiting(value, obstacle: obstacle)
        if !report.findings.contains(finding) { report.findings.append(finding) }
      }
    }
    return fetched
  }
}
