import ChangeTracking

/// Long values that storage has lost are sent again by whoever has them.
extension DocumentSyncManager {
  /// Uploads what this device has sent and storage does not list any more.
  func resendLongValues(_ values: LongValueTransfer, _ report: inout SyncReport) async throws {
    var present: [LongValueName: Int64?] = [:]
    guard try await tolerating(&report, { present = try await values.sizes() }) else { return }
    for hash in try replica.sentLongValues() {
      try Task.checkCancellation()
      let name = try values.name(of: hash)
      guard present[name] == nil, let bytes = try replica.ownLongValue(hash) else { continue }
      do {
        try await values.upload(bytes, hash)
      } catch let error as BackendError where error.isAboutOneFile {
        if error.isObstruction { try await noteObstruction(error, &report) }
      }
    }
  }

  /// Uploads long values that somebody asks for and that are here.
  ///
  /// What this device has sent goes at once, in place of what lies there. Whatever else its store holds, whoever wrote it, goes where
  /// somebody has asked so often that the writer seems to be gone, or to have lost it.
  ///
  /// - Returns: the requests that were answered.
  func answerValues(
    _ listing: HeadListing, _ values: LongValueTransfer, _ report: inout SyncReport
  ) async throws -> Set<ResendRequest> {
    var asked: [ContentHash: [ResendRequest]] = [:]
    for request in try requestsOfOthers(listing) {
      if case .value(let digits) = request.subject, try !pins.isAnswered(request) {
        asked[digits, default: []].append(request)
      }
    }
    guard !asked.isEmpty else { return [] }
    var answered: Set<ResendRequest> = []
    for hash in try replica.sentLongValues() where answered.count < Self.answerLimit {
      // Who asks may seal with another key, and so know the value by another name.
      let names = try LongValueName.candidates(hash, keys: values.protection.keys)
      let requests = names.flatMap { asked[$0.digits] ?? [] }
      guard !requests.isEmpty, let bytes = try replica.ownLongValue(hash) else { continue }
      try Task.checkCancellation()
      if try await send({ try await values.upload(bytes, hash) }, &report) { answered.formUnion(requests) }
      for name in names { asked[name.digits] = nil }
    }
    let late = asked.mapValues { $0.filter { $0.count >= Self.retirementCount } }.filter { !$0.value.isEmpty }
    let sent = try await answerForOthers(late, values, &report)
    if !answered.isEmpty || !sent.isEmpty {
      report.findings.append(.resentValues(count: Set((answered.union(sent)).map(\.subject)).count))
    }
    // Who has nothing of it looks again when somebody asks again.
    try pins.answered(Array(answered.union(late.values.joined())))
    return answered.union(sent)
  }

  /// - Parameter asked: requests by the names of what they ask for.
  private func answerForOthers(
    _ asked: [ContentHash: [ResendRequest]], _ values: LongValueTransfer, _ report: inout SyncReport
  ) async throws -> Set<ResendRequest> {
    guard !asked.isEmpty else { return [] }
    let keys = values.protection.keys
    let held = try replica.heldLongValues(limit: Self.answerLimit) { hash in
      try LongValueName.candidates(hash, keys: keys).contains { asked[$0.digits] != nil }
    }
    var answered: Set<ResendRequest> = []
    for value in held {
      try Task.checkCancellation()
      guard let bytes = try replica.bytes(of: value) else { continue }
      // Another device may have sent it meanwhile.
      guard try await send({ try await values.push(bytes, value.hash) }, &report) else { continue }
      for name in try LongValueName.candidates(value.hash, keys: keys) {
        answered.formUnion(asked[name.digits] ?? [])
      }
    }
    return answered
  }

  /// - Returns: `false` if something lies in its place that cannot be replaced. The value waits for somebody to remove that, who is told each time.
  private func send(
    _ upload: () async throws -> Void, _ report: inout SyncReport
  ) async throws -> Bool {
    do {
      try await upload()
      return true
    } catch let error as BackendError where error.isAboutOneFile {
      if error.isObstruction { try await noteObstruction(error, &report) }
      return false
    }
  }
}
