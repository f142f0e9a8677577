import ChangeTracking

/// Who has everything: as a rule the names of heads tell it.
extension DocumentSyncManager {
  /// How the heads of a listing are to be understood.
  func reckoning(_ listing: HeadListing) throws -> SeenReckoning {
    SeenReckoning(
      listing, own: (try replica.author, try replica.held()), passed: try replica.vector(),
      pushed: try replica.pushedSequence,
      known: try pins.knownVectors().compactMapValues(\.vector))
  }

  /// Reads the heads of those of whom the names do not tell whether they have everything, each once: that happens after sets were said
  /// again, or while storage is late. What fails is left to the next time.
  ///
  /// - Parameter again: whether to try again what could not be read before.
  func learnVectors(_ listing: HeadListing, _ heads: HeadTransfer, again: Bool) async throws {
    let own = try replica.author
    let known = try pins.knownVectors()
    let reckoning = try reckoning(listing)
    let open = listing.authors.compactMap { listing.newest(of: $0) }.filter { head in
      head.author != own && (again || known[head.author]?.seen != head.seen)
        && reckoning.verdict(head) == .unknown
    }
    var read: [AuthorID: RegistrationPins.KnownVector] = [:]
    for head in open.prefix(Self.answerLimit) {
      do {
        let vector = try await heads.read(head).vector
        // A vector that the name contradicts tells nothing.
        read[head.author] = .init(
          seen: head.seen, vector: vector.total == head.seen ? vector : known[head.author]?.vector)
      } catch let error as BackendError {
        try Task.checkCancellation()
        guard error.isAboutOneFile, error.code != .notFound else { continue }
        read[head.author] = .init(seen: head.seen, vector: known[head.author]?.vector)
      } catch {
        read[head.author] = .init(seen: head.seen, vector: known[head.author]?.vector)
      }
    }
    try pins.setVectors(read)
  }
}
