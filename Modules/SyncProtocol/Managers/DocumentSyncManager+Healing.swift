import ChangeTracking

/// What storage has lost is put back by whoever has it. Nothing of this makes a request while nothing is lost.
extension DocumentSyncManager {
  /// Requests of others that are answered in one synchronisation, and statements of others that are looked at.
  static let answerLimit = 16
  /// How often somebody must have asked for another author's set before that author counts as gone: the third request comes
  /// after four synchronisations.
  package static let retirementCount = 3
  /// Synchronisations, one after the other, in which sets must be missing before they count as lost for good.
  private static let lossPatience = 2
  /// Synchronisations, one after the other, in which no head named an end of a branch, before another device names it.
  private static let namingPatience = 1

  // MARK: What this device has written

  /// Sends again what was lost, if the listing gives reason to look: it shows less than this device has pushed, or somebody
  /// asks.
  func heal(
    _ plan: SyncPlan, _ listing: inout HeadListing, _ heads: HeadTransfer, _ sets: SetTransfer,
    _ values: LongValueTransfer, _ report: inout SyncReport
  ) async throws {
    if listing.isCut { report.findings.append(.crowded) }
    let requests = try requestsToOwn(listing).filter { try !pins.isAnswered($0) }.prefix(Self.answerLimit)
    if plan.hasLostOwn { try await putBackFiles(&report) }
    let own = try replica.author
    let looks = try plan.hasLostOwn || pins.isLossSuspected(of: own)
    var wanted: [AuthorID: Set<UInt64>] = looks ? [own: []] : [:]
    for author in try await nameTips(plan, heads, &listing, &report) { wanted[author] = [] }
    for request in requests {
      guard case .set(let author, let sequence) = request.subject else { continue }
      wanted[author, default: []].insert(sequence)
      report.findings.append(.asked(by: request.asker, sequence: sequence))
    }
    var unanswered: Set<AuthorID> = []
    var sent: [AuthorID: Set<UInt64>] = [:]
    for (author, sequences) in wanted.sorted(by: { $0.key < $1.key }) {
      do {
        sent[author] = try await resend(sequences, of: author, sets, &report)
      } catch let error as BackendError where error.isAboutOneFile {
        // Whoever asks waits on; all else that is to be synchronised does not wait for that.
        if error.isObstruction { try await noteObstruction(error, &report) }
        unanswered.insert(author)
      }
    }
    if plan.hasLostOwn { try await resendLongValues(values, &report) }
    var answered = try await answerValues(listing, values, &report)
    answered.formUnion(try await retire(listing, heads, sets, &report))
    for request in requests {
      guard case .set(let author, let sequence) = request.subject else { continue }
      if sent[author]?.contains(sequence) == true { answered.insert(request) }
    }
    try pins.answered(
      requests.filter { request in
        guard case .set(let author, _) = request.subject else { return true }
        return !unanswered.contains(author)
      })
    try await takeAway(answered, &listing)
  }

  /// Sends again what lay in the own folder of sets, if something else was found in its place and removed.
  func refillClearedFolder(_ sets: SetTransfer, _ report: inout SyncReport) async throws {
    let own = try replica.author
    guard report.findings.contains(.cleared(hierarchy.changes(of: own))) else { return }
    do {
      _ = try await resend([], of: own, sets, &report)
    } catch let error as BackendError where error.isAboutOneFile {
      // It is looked for again when somebody asks for it.
      if error.isObstruction { try await noteObstruction(error, &report) }
    }
  }

  /// Looks by one request at an author's folder and uploads what is missing there, is of another size, or was asked for.
  ///
  /// - Returns: those of the sets that were asked for which lie there now, or are said again.
  private func resend(
    _ asked: Set<UInt64>, of author: AuthorID, _ sets: SetTransfer, _ report: inout SyncReport
  ) async throws -> Set<UInt64> {
    var sizes: [SetName: Int64?] = [:]
    try await writingOwn(&report) { sizes = try await sets.sizes(author) }
    let floor = try floor()[author]
    // What lies below the floor was removed because nobody needs it.
    let kept = try replica.sentSets(of: author).filter { $0.sequence > floor }
    let missing = kept.filter { set in
      guard let size = sizes[SetName(sequence: set.sequence, hash: set.hash)] else { return true }
      return asked.contains(set.sequence) || size.map { $0 != set.size } ?? false
    }
    var obstructed: Set<UInt64> = []
    for entry in missing {
      try Task.checkCancellation()
      guard let set = try replica.sentSet(entry.sequence, of: author) else { continue }
      do {
        try await writingOwn(&report) { try await sets.push([set]) }
      } catch let error as BackendError where SyncFinding.Obstacle(error) != nil && !error.code.isTransient {
        // Something lies in its place that cannot be replaced. Under a new author, it has another place.
        obstructed.insert(entry.sequence)
      }
    }
    let count = missing.count - obstructed.count
    if count > 0 { report.findings.append(.resent(author: author, count: count)) }
    let sent = asked.intersection(missing.map(\.sequence)).subtracting(obstructed)
    guard try author == replica.author else { return sent }
    let there = Set(sizes.keys.map(\.sequence)).union(kept.map(\.sequence))
    let pushed = try replica.pushedSequence
    // A set that lies there but cannot be read, and is not kept, is lost as well.
    let asked = asked.filter { $0 > floor }
    let unreadable = try await unreadable(asked.subtracting(kept.map(\.sequence)), of: author, sizes, sets)
    let absent = (1...max(pushed, 1)).filter { $0 <= pushed && $0 > floor && !there.contains($0) }
    let lost = unreadable.union(obstructed).union(absent)
    let times = try pins.countLoss(of: author, !lost.isEmpty)
    guard times >= Self.lossPatience || !unreadable.isEmpty else { return sent }
    try restateOwn(through: pushed, lost: lost.count, &report)
    return try asked.intersection(settledSets(of: author).map(\.sequence))
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
  func restateOwn(through pushed: UInt64, lost: Int, _ report: inout SyncReport) throws {
    guard let chain = try replica.pushedHash else { return }
    let former = try replica.author
    let content = Supersession.Content(chain: chain, sets: try settledSets(of: former, through: pushed))
    try replica.restate(.own) { notes in
      try RegistrationPins.willSupersede(former, through: pushed, content, notes)
    }
    report.findings.append(.restated(former: former, lost: lost))
  }

  /// The sets of an author that whoever has merged what this device says need not wait for.
  func settledSets(of author: AuthorID, through last: UInt64 = .max) throws -> [SetName] {
    try replica.settledSets(of: author).filter { $0.sequence <= last }
      .map { SetName(sequence: $0.sequence, hash: $0.hash) }
  }

  /// Restates what is in effect of authors who are asked for again and again and do not answer, for their devices may be gone, or whose ends
  /// were lost for long: if sets are merged here that storage cannot deliver, and nobody has said them again.
  ///
  /// - Returns: the requests that were answered so.
  private func retire(
    _ listing: HeadListing, _ heads: HeadTransfer, _ sets: SetTransfer, _ report: inout SyncReport
  ) async throws -> Set<ResendRequest> {
    let present = try replica.author
    let floor = try floor()
    var checked: [ResendRequest] = []
    var gone: Set<AuthorID> = []
    for request in try requestsOfOthers(listing) where request.count >= Self.retirementCount {
      guard case .set(let author, let sequence) = request.subject, author != present,
        sequence > floor[author], !gone.contains(author),
        checked.count < Self.answerLimit,
        try !pins.isAnswered(request)
      else { continue }
      let known = try settledSets(of: author).filter { $0.sequence == sequence }
      guard !known.isEmpty else { continue }
      checked.append(request)
      let outcomes = try await sets.fetch(known.map { SetTransfer.Reference(author: author, set: $0) })
      var lost: Set<SetName> = []
      for (set, outcome) in zip(known, outcomes) {
        if case .obstacle = outcome { lost.insert(set) }
      }
      if !lost.isEmpty, try await !isSaid(lost, of: author, listing, heads) { gone.insert(author) }
    }
    try pins.answered(checked)
    gone.formUnion(try await authorsOfLostEnds(listing, heads, sets))
    let vector = try replica.vector()
    var contents: [(author: AuthorID, content: Supersession.Content)] = []
    for author in gone.sorted() {
      guard let chain = try replica.chain(of: author) else { continue }
      contents.append((author, Supersession.Content(chain: chain, sets: try settledSets(of: author))))
    }
    guard !contents.isEmpty else { return [] }
    try replica.restate(.others(Set(contents.map(\.author)))) { notes in
      for (author, content) in contents {
        try RegistrationPins.willSupersede(author, through: vector[author], content, notes)
      }
    }
    report.findings += contents.map { .retired(author: $0.author) }
    let retired = Dictionary(
      contents.map { ($0.author, Set($0.content.sets.map(\.sequence))) },
      uniquingKeysWith: { first, _ in first })
    return Set(
      checked.filter { request in
        guard case .set(let author, let sequence) = request.subject else { return false }
        return retired[author]?.contains(sequence) == true
      })
  }

  /// Whether statements that lie there, and can be read, say sets again.
  func isSaid(
    _ sets: Set<SetName>, of author: AuthorID, _ listing: HeadListing, _ heads: HeadTransfer
  ) async throws -> Bool {
    var rest = sets
    for statement in listing.supersessions.filter({ $0.former == author }).suffix(Self.answerLimit) {
      if rest.isEmpty { break }
      if let content = try await heads.read(statement) { rest.subtract(content.sets) }
    }
    return rest.isEmpty
  }

  // MARK: What others have written

  /// Names the ends of branches which are merged here and which nothing named in two synchronisations, one after the other: what one
  /// device has merged all must come to know of. What was found without a head is named at once, before anything that builds on it is
  /// sent: this store may be restored to before it was found, and its author's to before it was made.
  ///
  /// - Returns: the authors among them that this device has written as.
  private func nameTips(
    _ plan: SyncPlan, _ heads: HeadTransfer, _ listing: inout HeadListing, _ report: inout SyncReport
  ) async throws -> Set<AuthorID> {
    let counts = try pins.countUnnamed(plan.unnamed)
    let due = try plan.unnamed.filter {
      try (plan.headless.contains($0.author) || counts[$0] ?? 0 >= Self.namingPatience)
        && replica.knows($0.set.hash, of: $0.author, sequence: $0.set.sequence)
    }.sorted().prefix(Self.answerLimit)
    for tip in due {
      let mention = heads.protection.mention(author: tip.author, set: tip.set)
      try await writingOwn(&report) { try await heads.publish(mention) }
      listing.mention(mention)
      try pins.didMention(tip)
      try pins.noteNamed(tip, at: configuration.now())
    }
    return Set(due.map(\.author)).intersection(try replica.sentAuthors())
  }
}
