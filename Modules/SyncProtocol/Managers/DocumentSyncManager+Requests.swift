import ChangeTracking

/// What this device does about what others have lost: it asks, learns whom to name, and follows who says things again.
extension DocumentSyncManager {
  /// Passes over sets that another author has said again, once what that author says is merged.
  func follow(
    _ supersessions: [Supersession], _ heads: HeadTransfer, _ report: inout SyncReport
  ) async throws {
    guard !supersessions.isEmpty else { return }
    let own = try replica.author
    let vector = try replica.vector()
    var looked = 0
    for supersession in supersessions
    where supersession.author != own && supersession.former != own
      && vector[supersession.author] >= supersession.restated
    {
      guard looked < Self.answerLimit, try !pins.isSettled(supersession) else { continue }
      looked += 1
      guard let chain = try await heads.read(supersession) else {
        try pins.settle(supersession, isGenuine: false)
        continue
      }
      try replica.passOver(supersession.former, through: supersession.through, chain: chain)
      try pins.settle(supersession, isGenuine: true)
      report.findings.removeAll { finding in
        switch finding {
        case .waiting(supersession.former, let sequence, _): sequence <= supersession.through
        case .regressed(supersession.former, _, _): true
        default: false
        }
      }
      report.findings.append(.superseded(author: supersession.former, by: supersession.author))
    }
  }

  /// Publishes whose sets the present author has restated, once these sets are there.
  func announceSupersessions(_ heads: HeadTransfer, _ listing: inout HeadListing) async throws {
    let (author, sequence) = (try replica.author, try replica.pushedSequence)
    for open in try pins.openSupersessions() where sequence > 0 {
      let supersession = heads.protection.supersession(
        author: author, restated: sequence, former: open.former, through: open.through)
      try await heads.publish(supersession, chain: open.chain)
      try pins.didSupersede(open.former)
      // Nobody needs to look for those sets any more.
      let former = listing.heads[open.former]?.filter { $0.sequence <= open.through } ?? []
      await heads.remove(former)
      listing = listing.removing(Set(former))
    }
  }

  /// Asks for sets and long values that stay away, and takes back what was asked for and has come.
  func askForLost(
    _ listing: inout HeadListing, _ values: LongValueTransfer, _ report: SyncReport
  ) async throws {
    let own = try replica.author
    let before = listing.requests.filter { $0.asker == own }
    var subjects: [ResendRequest.Subject: Int] = [:]
    let awaited = try pins.countAwaited(
      Set(
        report.findings.compactMap { finding in
          if case .valueWaiting(let value, _) = finding { value.hash } else { nil as ContentHash? }
        }.map { try values.name(of: $0).digits }))
    let known = Dictionary(
      try pins.blockedAuthors().map { ($0.author, $0) }, uniquingKeysWith: { first, _ in first })
    for finding in report.findings {
      switch finding {
      case .waiting(let author, let sequence, _):
        let syncs = known[author].flatMap { $0.sequence == sequence ? $0.syncs : nil } ?? 0
        // The storage may be late: it is asked from the second time on, and then ever more rarely.
        if syncs > 0 {
          subjects[.set(author: author, sequence: sequence)] =
            Int.bitWidth - syncs.leadingZeroBitCount
        }
      case .valueWaiting(let value, let obstacle):
        let digits = try values.name(of: value.hash).digits
        let syncs = awaited[digits] ?? 1
        // What lies there and cannot be used is asked for at once.
        if obstacle != .missing || syncs > 1 {
          subjects[.value(digits)] = max(1, Int.bitWidth - (syncs - 1).leadingZeroBitCount)
        }
      default: continue
      }
      if subjects.count >= Self.answerLimit { break }
    }
    let now = Set(
      subjects.map { values.protection.request(asker: own, subject: $0.key, count: $0.value) })
    for request in now.subtracting(before) {
      try await backend.upload([], to: hierarchy.file(of: request))
    }
    for request in before where !now.contains(request) {
      try? await backend.remove(hierarchy.file(of: request))
    }
  }

  /// Learns what people call the devices whose sets were fetched or are waited for. An author whose folder was not listed leaves
  /// room for that request.
  func learnNames(
    _ plan: SyncPlan, _ listing: HeadListing, _ heads: HeadTransfer, _ report: inout SyncReport
  ) async throws {
    let known = try pins.deviceNames()
    let waiting = Set(
      report.findings.compactMap { if case .waiting(let author, _, _) = $0 { author } else { nil } })
    let authors = plan.fetches.filter { fetch in
      known[fetch.author] == nil
        && (fetch.after + 1 == fetch.last.sequence || waiting.contains(fetch.author))
    }.map(\.author)
    // Who asks for a set of this device is told of by name as well.
    let asking = try requestsToOwn(listing).map(\.asker).filter { known[$0] == nil }
    var names: [AuthorID: String] = [:]
    for author in Set(authors + asking).sorted().prefix(Self.answerLimit) {
      guard let name = listing.newest(of: author) else { continue }
      do {
        names[author] = try await heads.read(name).clientDescription
      } catch is BackendError {
        // A head that cannot be had now is asked again with the next set.
        try Task.checkCancellation()
      } catch {
        names[author] = ""
      }
    }
    try pins.setDeviceNames(names)
  }
}
