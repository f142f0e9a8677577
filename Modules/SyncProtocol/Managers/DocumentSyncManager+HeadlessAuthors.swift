import ChangeTracking
import Crypto

/// Authors whose sets lie there, and to whom no head leads.
extension DocumentSyncManager {
  /// Authors without a head whose sets are looked for at once.
  private static let headlessLimit = 256
  /// Documents of the application whose heads are looked at.
  private static let documentLimit = 256

  /// Authors with a folder of sets and without a head. That somebody has mentioned a set of theirs does not tell how many there are.
  ///
  /// Whom names of a document speak of that was deleted is no author of what has come in its place. Without encryption sets do not tell for which
  /// founding they were written, and heads do: whose heads lie in another document is an author of that one.
  func authorsWithoutHead(_ listing: HeadListing, isEncrypted: Bool) async throws -> Set<AuthorID> {
    let own = try replica.author
    let folders = try await backend.listIfPresent(hierarchy.syncChanges)?.entries ?? []
    let authors = folders.filter { $0.kind == .folder }.compactMap { AuthorID($0.name.description) }
      .filter { $0 != own && listing.newest(of: $0) == nil && !listing.authorsOfDeleted.contains($0) }
    let headless = Set(authors.sorted().prefix(Self.headlessLimit))
    return isEncrypted ? headless : try await headless.subtracting(strays(among: headless))
  }

  /// Those of some authors who are authors of another document of the application: their folders came here by a mistake, and their sets, which
  /// nobody can read here, would be waited for.
  ///
  /// A head counts where its document has come to lie, not in a copy of the folder under another name. Whose sets this device has merged, or
  /// seeks, is no stray.
  private func strays(among authors: Set<AuthorID>) async throws -> Set<AuthorID> {
    let known = try replica.vector()
    let sought = try pins.headless
    let unknown = authors.filter { known[$0] == 0 && sought[$0] == nil }
    guard !unknown.isEmpty else { return [] }
    let folders = try await backend.listIfPresent(application.hierarchy.documents)?.entries ?? []
    let others = folders.filter { $0.kind == .folder && $0.name != hierarchy.document }
      .map { DocumentHierarchy(application: application.hierarchy, document: $0.name) }
    let found = try await concurrently(
      Array(others.prefix(Self.documentLimit)), limit: SetTransfer.parallelism
    ) { try await self.authors(of: $0, among: unknown) }
    return found.reduce(into: []) { $0.formUnion($1) }
  }

  /// Those of some authors who have written a head of another document without encryption.
  private func authors(of other: DocumentHierarchy, among authors: Set<AuthorID>) async throws -> Set<
    AuthorID
  > {
    do throws(BackendError) {
      let heads = try await backend.listIfPresent(other.recentSyncs)?.names.compactMap { HeadName($0) } ?? []
      let named = heads.filter { authors.contains($0.author) }
      guard !named.isEmpty else { return [] }
      let records = try await backend.listIfPresent(other.integrityKey)?.names ?? []
      let foundings = records.compactMap { FoundingName($0)?.integrityKey }.sorted()
        .prefix(DocumentFounding.limit)
      guard let authenticator = try? NameAuthenticator(keys: nil) else { return [] }
      return Set(
        named.filter { head in
          foundings.contains { authenticator.verifies(head.code, other.statement(head, of: $0)) }
        }.map(\.author))
    } catch {
      guard error.isAboutOneFile else { throw error }
      return []
    }
  }
}
