import ChangeTracking

/// What this device does about what others have lost: it asks, learns whom to name, and follows who says things again.
extension DocumentSyncManager {
  /// Passes over sets that another author has said again, once what that author says is merged.
  ///
  /// A statement about this device's own author that names a set which was not made here tells that the store was restored: somebody
  /// has merged more of it. One that passes over sets which this device has, and does not say them, was made by somebody who never had
  /// them: whoever follows it looks for them no more, so they are said again here.
  func follow(
    _ supersessions: [Supersession], _ heads: HeadTransfer, _ report: inout SyncReport
  ) async throws {
    guard !supersessions.isEmpty else { return }
    let vector = try replica.held()
    let waiting = Set(report.findings.compactMap(\.waitsFor))
    let said = try pins.saidSupersessions()
    var looked = 0
    for statement in supersessions where !said.contains(statement) {
      guard try replica.vector().holds(statement) else {
        report.findings.append(.statementRefused(statement))
        continue
      }
      guard try statement.author != replica.author, vector[statement.author] >= statement.restated,
        looked < Self.answerLimit
      else { continue }
      // One that could not be read is read again while something is waited for that it may say.
      let wasFollowed = try pins.wasFollowed(statement)
      guard wasFollowed == nil || wasFollowed == false && waiting.contains(statement.former) else { continue }
      looked += 1
      let content = try await heads.read(statement)
      if let content, try statement.former == replica.author {
        let isOwn = try content.sets.allSatisfy {
          try replica.knows($0.hash, of: statement.former, sequence: $0.sequence)
        }
        if !isOwn {
          report.findings.append(.newIncarnation(former: statement.former))
          try replica.beginNewIncarnation()
        } else if case let unsaid = try countUnsaid(statement, content), unsaid > 0 {
          try restateOwn(through: try replica.pushedSequence, lost: unsaid, &report)
        }
      }
      if let content, try statement.former != replica.author { try follow(statement, content, &report) }
      try pins.follow(statement, content)
    }
  }

  /// How many of the sets that are settled here a statement passes over without saying them.
  private func countUnsaid(_ statement: Supersession, _ content: Supersession.Content) throws -> Int {
    let said = Set(content.sets)
    // Of very many sets the newest alone are named; what lies below the floor whole stores contain.
    let isCut = content.sets.count >= Supersession.Content.setLimit
    let first = max(try floor()[statement.former], isCut ? content.sets.first?.sequence ?? 0 : 0)
    return try settledSets(of: statement.former, through: statement.through)
      .count { $0.sequence > first && !said.contains($0) }
  }

  private func follow(
    _ statement: Supersession, _ content: Supersession.Content, _ report: inout SyncReport
  ) throws {
    let former = statement.former
    // What was lost before somebody joined, and never waited for, is no matter of his.
    let isMissed = try replica.vector()[former] > 0 || report.findings.contains { $0.waitsFor == former }
    let isNewcomer = try pins.lastSync == nil
    // Where the chain goes on elsewhere, what is merged here may be a branch that the statement does not know.
    if let chain = try replica.chain(of: former) {
      let end = SetName(sequence: try replica.vector()[former], hash: chain)
      if end.sequence <= statement.through, !content.sets.contains(end) {
        try pins.setTips(adding: [SyncPlan.ForkedSet(author: former, set: end)], removing: [])
      }
    }
    try replica.passOver(
      former, through: statement.through, chain: content.chain,
      content.sets.map { ($0.sequence, $0.hash) })
    report.findings.removeAll { finding in
      switch finding {
      case .waiting(former, let sequence, _): sequence <= statement.through
      case .regressed(former, _, _): true
      default: false
      }
    }
    if isMissed, !isNewcomer { report.findings.append(.superseded(author: former, by: statement.author)) }
  }

  /// Publishes whose sets the present author has restated, once these sets are there, and puts back what this device has published
  /// before.
  func announceSupersessions(
    _ heads: HeadTransfer, _ listing: inout HeadListing, _ report: inout SyncReport
  ) async throws {
    let lost = listing.isCut ? [] : try pins.saidSupersessions().subtracting(listing.supersessions)
    for statement in lost.sorted() {
      guard let content = try pins.content(of: statement) else { continue }
      try await writingOwn(&report) { try await heads.publish(statement, content) }
    }
    let (author, sequence) = (try replica.author, try replica.pushedSequence)
    for open in try pins.openSupersessions() where open.former != author {
      let statement = heads.protection.supersession(
        author: author, restated: sequence, former: open.former, through: open.through)
      try await writingOwn(&report) { try await heads.publish(statement, open.content) }
      try pins.didSupersede(open, by: statement)
      // Nobody needs to look for those sets any more.
      let sets = Set((try? Supersession.Content(open.content))?.sets ?? [])
      let former =
        listing.heads[open.former]?.filter { head in
          head.sequence <= open.through && head.set.map { sets.contains($0) } ?? true
        } ?? []
      await heads.remove(former)
      listing = listing.removing(Set(former))
      let mentions = listing.mentions[open.former]?.filter { sets.contains($0.set) } ?? []
      await heads.remove(mentions, &listing)
    }
  }

  /// Asks for sets and long values that stay away, and takes back what was asked for and has come.
  func askForLost(
    _ listing: inout HeadListing, _ values: LongValueTransfer, _ report: inout SyncReport
  ) async throws {
    let own = try replica.author
    let before = listing.requests.filter { $0.asker == own }
    let subjects = try subjects(toAskFor: report, values)
    let now = Set(
      subjects.map { values.protection.request(asker: own, subject: $0.key, count: $0.value) })
    for request in now.subtracting(before).sorted(by: { $0.name < $1.name }) {
      try await writingOwn(&report) { try await backend.upload([], to: hierarchy.file(of: request)) }
    }
    for request in before where !now.contains(request) {
      try? await backend.remove(hierarchy.file(of: request))
    }
    try pins.setOwnRequests(now)
    try await takeAwayFormerRequests(&listing)
  }

  /// What to ask for, and how many times the number of synchronisations in which it was missing has doubled.
  private func subjects(
    toAskFor report: SyncReport, _ values: LongValueTransfer
  ) throws -> [ResendRequest.Subject: Int] {
    var subjects: [ResendRequest.Subject: Int] = [:]
    let known = Dictionary(
      try pins.blockedAuthors().map { ($0.author, $0) }, uniquingKeysWith: { first, _ in first })
    // The storage may be late: it is asked from the second time on, and then ever more rarely.
    // Who answers takes a request away and answers it once, so the next one has another count.
    func ask(for author: AuthorID, _ sequence: UInt64, after syncs: Int, answers: Int = 0) {
      guard syncs > 0 else { return }
      let subject = ResendRequest.Subject.set(author: author, sequence: sequence)
      let count = Int.bitWidth - syncs.leadingZeroBitCount + min(answers, ResendRequest.countLimit)
      subjects[subject] = max(subjects[subject] ?? 0, count)
    }
    var obstacles: [ContentHash: SyncFinding.Obstacle] = [:]
    for case .valueWaiting(let value, let obstacle) in report.findings { obstacles[value.hash] = obstacle }
    let awaited = try pins.countAwaited(obstacles, at: configuration.now())
    for finding in report.findings {
      switch finding {
      case .waiting(let author, let sequence, _):
        ask(
          for: author, sequence,
          after: known[author].flatMap { $0.sequence == sequence ? $0.syncs : nil } ?? 0)
      case .valueWaiting(let value, let obstacle):
        let digits = try values.name(of: value.hash).digits
        let syncs = awaited[value.hash] ?? 1
        // What lies there and cannot be used is asked for at once.
        if obstacle != .missing || syncs > 1 {
          subjects[.value(digits)] = max(1, Int.bitWidth - (syncs - 1).leadingZeroBitCount)
        }
      default: continue
      }
      if subjects.count >= Self.answerLimit { break }
    }
    // Nobody sends what lies below the floor.
    let floor = try floor()
    for pending in try pins.pendingForks
    where subjects.count < Self.answerLimit && pending.isToBeAskedFor
      && pending.fork.set.sequence > floor[pending.fork.author]
    {
      // Its age is that of the next synchronisation. What is given up was asked for long enough to be answered by anybody.
      let age = pending.isGivenUp ? 1 << Self.retirementCount : Int(clamping: pending.age) - 1
      ask(
        for: pending.fork.author, pending.fork.set.sequence, after: age,
        answers: Int(clamping: pending.answers))
    }
    return subjects
  }

  /// Learns what people call the devices that take part: a request for each author, once. A head that cannot be read teaches no name, and
  /// the author's next one is asked for.
  ///
  /// At once only of those whose folder was not listed, which leaves room for that request, or whom a message is about; the others by turns,
  /// one in each synchronisation, but for the first one after beginning with a whole store, which has asked for enough.
  func learnNames(
    _ plan: SyncPlan, _ listing: HeadListing, _ heads: HeadTransfer, _ report: SyncReport
  ) async throws {
    let (own, known, tried) = (try replica.author, try pins.deviceNames(), try pins.unnamedHeads())
    let asking = try requestsToOwn(listing).map(\.asker)
    let named = Set(report.findings.compactMap(\.waitsFor) + asking)
    let single = plan.fetches.filter { $0.after + 1 == $0.last.sequence }.map(\.author)
    // Who was asked before has his place already.
    var room = max(0, RegistrationPins.deviceLimit - Set(known.keys).union(tried.keys).count)
    let unknown = listing.authors.filter { author in
      guard author != own, known[author] == nil, let newest = listing.newest(of: author) else { return false }
      guard let before = tried[author] else { return room > 0 }
      return before != newest.name.description
    }
    let first = named.union(single).intersection(unknown).sorted()
    let hasBegunWithSets = try replica.vector().total == UInt64(report.pulledSets)
    let rest = try pins.lastSync != nil || hasBegunWithSets ? unknown.filter { !first.contains($0) } : []
    var (names, unnamed): ([AuthorID: String], [AuthorID: HeadName]) = ([:], [:])
    for author in first.prefix(Self.answerLimit) + rest.prefix(1) {
      guard let name = listing.newest(of: author) else { continue }
      if tried[author] == nil {
        guard room > 0 else { continue }
        room -= 1
      }
      do {
        let found = try await heads.read(name).clientDescription
        if found.isEmpty { unnamed[author] = name } else { names[author] = found }
      } catch let error as BackendError {
        try Task.checkCancellation()
        // One that was replaced meanwhile, or cannot be had now, is asked for again.
        if error.isAboutOneFile, error.code != .notFound { unnamed[author] = name }
      } catch {
        unnamed[author] = name
      }
    }
    try pins.setDeviceNames(names)
    try pins.setUnnamed(unnamed, named: names.keys)
  }
}
