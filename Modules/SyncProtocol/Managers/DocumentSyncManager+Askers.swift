import ChangeTracking

/// Who asks for what, and when a request has done its work.
///
/// Whoever has answered a request takes it away. So nobody is told of one that was answered, the asker learns from the listing alone that
/// it is worth looking, and one whose device is gone leaves nothing behind. The asker who was not helped asks again.
extension DocumentSyncManager {
  /// Requests that are taken away in one synchronisation, at most: whoever can write to the storage makes any number of them for one value.
  private static let removalLimit = 256

  /// The requests of others that are to be listened to: not those of devices that were removed, nor those of authors whose sets others
  /// have said again and who have no head any more.
  func requestsOfOthers(_ listing: HeadListing) throws -> [ResendRequest] {
    guard !listing.requests.isEmpty else { return [] }
    let own = try replica.author
    let superseded = try pins.supersededAuthors()
    let askers = Set(try membersAmong(listing.requests.map(\.asker))).filter {
      $0 != own && (superseded[$0] == nil || listing.newest(of: $0) != nil)
    }
    return listing.requests.filter { askers.contains($0.asker) }
  }

  /// Those who ask for sets that this store has written, under its present author or a former one.
  func requestsToOwn(_ listing: HeadListing) throws -> [ResendRequest] {
    let requests = try requestsOfOthers(listing)
    guard !requests.isEmpty else { return [] }
    let floor = try floor()
    let own = Set(try replica.sentAuthors() + [replica.author])
    return requests.filter {
      if case .set(let author, let sequence) = $0.subject {
        // Another copy of this store may still write as one of its former authors.
        own.contains(author) && sequence > floor[author]
      } else {
        false
      }
    }
  }

  /// What the status tells of requests that nobody has answered: those for own sets, and those for long values that were not looked for here.
  func requestsToTellOf(_ listing: HeadListing) throws -> [ResendRequest] {
    let values = try requestsOfOthers(listing).filter { request in
      guard case .value = request.subject else { return false }
      return try !pins.isAnswered(request)
    }
    return try requestsToOwn(listing) + values.prefix(Self.answerLimit)
  }

  /// Takes away requests that were answered.
  func takeAway(_ requests: some Collection<ResendRequest>, _ listing: inout HeadListing) async throws {
    guard !requests.isEmpty else { return }
    // One that stays does no harm: it is answered once.
    for request in requests.sorted().prefix(Self.removalLimit) {
      try Task.checkCancellation()
      try? await backend.remove(hierarchy.file(of: request))
    }
    listing.remove(Set(requests))
  }

  /// Takes away what this store asked for before it went on as another author, once: a copy of it may still be that author and ask again.
  func takeAwayFormerRequests(_ listing: inout HeadListing) async throws {
    guard !listing.requests.isEmpty else { return }
    let former = try replica.formerAuthors()
    let requests = try listing.requests.filter { try former.contains($0.asker) && !pins.isAnswered($0) }
      .prefix(Self.answerLimit)
    try await takeAway(requests, &listing)
    try pins.answered(Array(requests))
  }

  /// Notes that somebody has taken away what this device asked for, so that sets which are looked for now and then only are looked for at once.
  func noteAnswers(_ listing: HeadListing) throws {
    guard !listing.isCut else { return }
    let asked = try pins.ownRequests()
    let gone = asked.subtracting(listing.requests)
    guard !gone.isEmpty else { return }
    try pins.setOwnRequests(asked.subtracting(gone))
    let subjects = Set(gone.map(\.subject))
    let pending = try pins.pendingForks
    try pins.setForks(
      pending.map { pending in
        let (author, set) = (pending.fork.author, pending.fork.set)
        return subjects.contains(.set(author: author, sequence: set.sequence)) ? pending.answered() : pending
      })
  }
}
