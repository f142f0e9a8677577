import ChangeTracking

/// Authors whose heads are missing: a person is told of them for as long as that may help.
extension DocumentSyncManager {
  /// Those who are to be given up: they are a reason to look once more.
  func overdueHeadless() throws -> [AuthorID] {
    let now = configuration.now()
    let lastSync = try pins.lastSync ?? 0
    // Who was away for all that time looks once more before.
    return try pins.headless.filter { $0.value.isExpired(at: now) && $0.value.isExpired(at: lastSync) }
      .keys.sorted()
  }

  /// Forgets authors without a head of whom everything was merged, and gives up those of whom something could not be for 30 days.
  ///
  /// A set that no head ever named may have been damaged after its author went on as another, who has said again what was in it: no head will
  /// come, and nobody can tell. The set is still looked for, with growing pauses.
  func noteHeadless(_ fetches: [SyncPlan.Fetch], _ report: inout SyncReport) throws {
    guard !fetches.isEmpty else { return }
    let vector = try replica.vector()
    let overdue = Set(try overdueHeadless())
    // The heads may be there, and be those of a founding or key that is not at hand.
    let mayBeUnknown = report.findings.contains(where: \.isAboutFoundings)
    let now = configuration.now()
    var headless = try pins.headless
    for fetch in fetches {
      guard vector[fetch.author] < fetch.last.sequence else {
        headless[fetch.author] = nil
        continue
      }
      var one = headless[fetch.author] ?? HeadlessAuthor()
      if one.last != fetch.last || mayBeUnknown { one = HeadlessAuthor(last: fetch.last, since: now) }
      // A clock that was ahead does not make anybody wait until it is right again.
      one.since = min(one.since, now)
      if overdue.contains(fetch.author), one.isExpired(at: now) {
        one.since = 0
        let first = vector[fetch.author] + 1
        report.findings.removeAll { $0 == .headMissing(author: fetch.author) }
        report.findings.append(
          .givenUp(
            author: fetch.author, sequence: fetch.last.sequence,
            first: first < fetch.last.sequence ? first : nil))
      }
      headless[fetch.author] = one
    }
    try pins.setHeadless(headless)
  }

  /// Authors of whom a person is told that their heads are missing, because sets of theirs that lie there could not be merged.
  package func authorsMissingHeads() throws -> Set<AuthorID> {
    Set(try pins.headless.filter { $0.value.last != nil && !$0.value.isGivenUp }.keys)
  }

  /// The devices that take part, those that are known here and have no head among them: nobody could remove such a one otherwise that is gone
  /// for good.
  ///
  /// Not those who came back as another author, who have said their sets again, nor former selves of this store.
  func devices(of document: RemoteDocument) async throws -> [RemoteDocument.Device] {
    let listed = try await document.devices()
    let present = Set(listed.map(\.author))
    let names = try pins.deviceNames()
    let superseded = try pins.supersededAuthors()
    let own = try replica.author
    let former = try replica.formerAuthors()
    let headless = try replica.status().applied.filter { one in
      one.author != own && one.sequence > 0 && names[one.author] != nil && !present.contains(one.author)
        && superseded[one.author] == nil && !former.contains(one.author)
    }
    return listed
      + headless.map { one in
        RemoteDocument.Device(
          author: one.author, client: one.client.isEmpty ? nil : one.client, name: names[one.author],
          pushed: one.sequence, seen: 0)
      }.sorted { $0.author < $1.author }
  }
}
