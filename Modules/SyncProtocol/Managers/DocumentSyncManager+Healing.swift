import ChangeTracking

/// What storage has lost is put back by whoever has it. Nothing of this makes a request while nothing is lost.
extension DocumentSyncManager {
  /// Requests of others that are answered in one synchronisation, and statements of others that are looked at.
  static let answerLimit = 16
  /// How often somebody must have asked for another author's set before that author counts as gone: the third request comes
  /// after four synchronisations.
  private static let retirementCount = 3
  /// Synchronisations, one after the other, in which sets must be missing before they count as lost for good.
  private static let lossPatience = 2

  // MARK: What this device has written

  /// Sends again what was lost, if the listing gives reason to look: it shows less than this device has pushed, or somebody
  /// asks.
  func heal(
    _ plan: SyncPlan, _ listing: HeadListing, _ sets: SetTransfer, _ values: LongValueTransfer,
    _ report: inout SyncReport
  ) async throws {
    if listing.isCut { report.findings.append(.crowded) }
    let requests = try requestsToOwn(listing).filter { try !pins.isAnswered($0) }.prefix(Self.answerLimit)
    if plan.hasLostOwn { try await putBackFiles(&report) }
    let own = try replica.author
    let looks = try plan.hasLostOwn || pins.isLossSuspected(of: own)
    var wanted: [AuthorID: Set<UInt64>] = looks ? [own: []] : [:]
    for request in requests {
      guard case .set(let author, let sequence) = request.subject else { continue }
      wanted[author, default: []].insert(sequence)
      report.findings.append(.asked(by: request.asker, sequence: sequence))
    }
    for (author, sequences) in wanted.sorted(by: { $0.key < $1.key }) {
      try await resend(sequences, of: author, sets, &report)
    }
    if plan.hasLostOwn { try await resendLongValues(values) }
    try await answerValues(listing, values)
    try await retire(listing, sets, &report)
    try pins.answered(Array(requests))
  }

  /// Those who ask for sets that this store has written, under its present author or a former one.
  func requestsToOwn(_ listing: HeadListing) throws -> [ResendRequest] {
    guard !listing.requests.isEmpty else { return [] }
    let own = Set(try replica.sentAuthors() + [try replica.author])
    return listing.requests.filter {
      if case .set(let author, _) = $0.subject {
        own.contains(author) && !own.contains($0.asker)
      } else {
        false
      }
    }
  }

  /// Looks by one request at an author's folder and uploads what is missing there, is of another size, or was asked for.
  private func resend(
    _ asked: Set<UInt64>, of author: AuthorID, _ sets: SetTransfer, _ report: inout SyncReport
  ) async throws {
    let sizes = try await sets.sizes(author)
    let kept = try replica.sentSets(of: author)
    let missing = kept.filter { set in
      guard let size = sizes[SetName(sequence: set.sequence, hash: set.hash)] else { return true }
      return asked.contains(set.sequence) || size.map { $0 != set.size } ?? false
    }
    var obstructed: Set<UInt64> = []
    for entry in missing {
      try Task.checkCancellation()
      guard let set = try replica.sentSet(entry.sequence, of: author) else { continue }
      do {
        try await sets.push([set])
      } catch let error as BackendError where SyncFinding.Obstacle(error) != nil && !error.code.isTransient {
        // Something lies in its place that cannot be replaced. Under a new author, it has another place.
        obstructed.insert(entry.sequence)
      }
    }
    let count = missing.count - obstructed.count
    if count > 0 { report.findings.append(.resent(author: author, count: count)) }
    guard try author == replica.author else { return }
    let there = Set(sizes.keys.map(\.sequence)).union(kept.map(\.sequence))
    let pushed = try replica.pushedSequence
    // A set that lies there but cannot be read, and is not kept, is lost as well.
    let unreadable = try await unreadable(asked.subtracting(kept.map(\.sequence)), of: author, sizes, sets)
    let absent = (1...max(pushed, 1)).filter { $0 <= pushed && !there.contains($0) }
    let lost = unreadable.union(obstructed).union(absent)
    let times = try pins.countLoss(of: author, !lost.isEmpty)
    if times >= Self.lossPatience || !unreadable.isEmpty {
      try restateOwn(through: pushed, lost: lost.count, &report)
    }
  }

  /// Those of an author's sets that storage cannot deliver: who asks for a set may be wrong about it, or lie.
  private func unreadable(
    _ sequences: Set<UInt64>, of author: AuthorID, _ listed: [SetName: Int64?], _ sets: SetTransfer
  ) async throws -> Set<UInt64> {
    let names = listed.keys.filter { sequences.contains($0.sequence) }.sorted()
    let outcomes = try await sets.fetch(names.map { SetTransfer.Reference(author: author, set: $0) })
    var unreadable: Set<UInt64> = []
    for (name, outcome) in zip(names, outcomes) {
      if case .obstacle = outcome { unreadable.insert(name.sequence) }
    }
    return unreadable
  }

  /// Goes on as a new author who says again what is in effect of what the former has written.
  private func restateOwn(through pushed: UInt64, lost: Int, _ report: inout SyncReport) throws {
    guard let chain = try replica.pushedHash else { return }
    let former = try replica.author
    try replica.restate(.own) { notes in
      try RegistrationPins.willSupersede(former, through: pushed, chain: chain, notes)
    }
    report.findings.append(.restated(former: former, lost: lost))
  }

  /// Restates what is in effect of authors who are asked for again and again and do not answer, for their devices may be gone:
  /// as far as they are merged here, and storage cannot deliver what is asked for.
  private func retire(
    _ listing: HeadListing, _ sets: SetTransfer, _ report: inout SyncReport
  ) async throws {
    let superseded = try pins.supersededAuthors()
    let own = Set(try replica.sentAuthors() + [try replica.author])
    let vector = try replica.vector()
    var checked: [ResendRequest] = []
    var gone: Set<AuthorID> = []
    for request in listing.requests where request.count >= Self.retirementCount {
      guard case .set(let author, let sequence) = request.subject, !own.contains(author),
        !own.contains(request.asker), sequence > superseded[author] ?? 0, !gone.contains(author),
        sequence <= vector[author], checked.count < Self.answerLimit, try !pins.isAnswered(request)
      else { continue }
      checked.append(request)
      let listed: [SetName]
      switch try await sets.list(author) {
      case .success(let names): listed = names.filter { $0.sequence == sequence }
      case .failure: listed = []
      }
      let references = listed.map { SetTransfer.Reference(author: author, set: $0) }
      let isThere = try await sets.fetch(references).contains { outcome in
        if case .received = outcome { true } else { false }
      }
      if !isThere { gone.insert(author) }
    }
    try pins.answered(checked)
    var chains: [(author: AuthorID, chain: ContentHash)] = []
    for author in gone.sorted() {
      if let chain = try replica.chain(of: author) { chains.append((author, chain)) }
    }
    guard !chains.isEmpty else { return }
    try replica.restate(.others(Set(chains.map(\.author)))) { notes in
      for (author, chain) in chains {
        try RegistrationPins.willSupersede(author, through: vector[author], chain: chain, notes)
      }
    }
    report.findings += chains.map { .retired(author: $0.author) }
  }

  // MARK: Long values

  private func resendLongValues(_ values: LongValueTransfer) async throws {
    let present = try await values.sizes()
    for hash in try replica.sentLongValues() {
      try Task.checkCancellation()
      let name = try values.name(of: hash)
      guard present[name] == nil, let bytes = try replica.ownLongValue(hash) else { continue }
      do {
        try await values.upload(bytes, hash)
      } catch let error as BackendError where error.isAboutOneFile {
        continue
      }
    }
  }

  /// Uploads long values that somebody asks for and that are kept here, in place of what lies there.
  private func answerValues(_ listing: HeadListing, _ values: LongValueTransfer) async throws {
    var asked: [ContentHash: [ResendRequest]] = [:]
    let own = try replica.author
    for request in listing.requests where request.asker != own {
      if case .value(let digits) = request.subject, try !pins.isAnswered(request) {
        asked[digits, default: []].append(request)
      }
    }
    guard !asked.isEmpty else { return }
    var answered: [ResendRequest] = []
    for hash in try replica.sentLongValues() where answered.count < Self.answerLimit {
      // Who asks may seal with another key, and so know the value by another name.
      let names = try LongValueName.candidates(hash, keys: values.protection.keys)
      let requests = names.flatMap { asked[$0.digits] ?? [] }
      guard !requests.isEmpty, let bytes = try replica.ownLongValue(hash) else { continue }
      try Task.checkCancellation()
      do {
        try await values.upload(bytes, hash)
      } catch let error as BackendError where error.isAboutOneFile {
        // Something lies in its place that cannot be replaced. The value waits for somebody to remove that.
      }
      answered += requests
    }
    try pins.answered(answered)
  }
}
