import ChangeTracking

/// Authors whose sets lie there, and to whom no head leads.
extension DocumentSyncManager {
  /// Authors without a head whose sets are looked for at once.
  private static let headlessLimit = 256

  /// Authors with a folder of sets and without a head. That somebody has mentioned a set of theirs does not tell how many there are.
  ///
  /// Whom names of a document speak of that was deleted is no author of what has come in its place.
  func authorsWithoutHead(
    _ listing: HeadListing, _ protection: DocumentProtection
  ) async throws -> Set<AuthorID> {
    let own = try replica.author
    let folders = try await backend.listIfPresent(hierarchy.syncChanges)?.entries ?? []
    let authors = folders.filter { $0.kind == .folder }.compactMap { AuthorID($0.name.description) }
      .filter { $0 != own && listing.newest(of: $0) == nil && !listing.authorsOfDeleted.contains($0) }
    let headless = Set(authors.sorted().prefix(Self.headlessLimit))
    return try await headless.subtracting(foreigners(among: headless, protection))
  }

  /// Those of some authors whose sets are of another document: their folders came here by a mistake, or are left of a deleted one of the same
  /// name, and would be waited for. Whose sets this device has merged, or seeks, is none.
  private func foreigners(
    among authors: Set<AuthorID>, _ protection: DocumentProtection
  ) async throws -> Set<AuthorID> {
    let known = try replica.vector()
    let sought = try pins.headless
    let sets = SetTransfer(backend: backend, hierarchy: hierarchy, protection: protection)
    let unknown = authors.filter { known[$0] == 0 && sought[$0] == nil }.sorted()
    let answers = try await concurrently(unknown, limit: SetTransfer.parallelism) {
      (author: $0, isOfDocument: try await sets.areOfDocument($0))
    }
    return Set(answers.filter { $0.isOfDocument == false }.map(\.author))
  }
}
