import SyncProtocol

/// A client that lists folders by putting their pages together, so that laws of listings are tried on pages.
struct PageReader: ForwardingBackend {
  /// Far more than any folder of the suite has.
  private static let pageLimit = 100_000
  let backend: any SyncBackend

  init(_ backend: any SyncBackend) { self.backend = backend }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    var all = RemoteListing()
    var token: ListingPage.Token?
    for _ in 0..<Self.pageLimit {
      let page = try await backend.list(folder, after: token)
      all.entries += page.listing.entries
      all.foreign += page.listing.foreign
      guard let next = page.next else { return all }
      token = next
    }
    throw BackendError(.failed, path: folder, detail: "the pages do not end")
  }

  func list(
    _ folder: RemotePath, after page: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage { try await backend.list(folder, after: page) }

  func changes(below folder: RemotePath) -> AsyncStream<Void>? { backend.changes(below: folder) }
}

extension LawContext {
  /// The same storage, whose folders are read page by page.
  var readingPages: LawContext {
    LawContext(
      backend: PageReader(backend), storage: storage.connecting { PageReader($0) }, sizes: sizes,
      patience: patience, activity: activity)
  }
}

extension ConformanceStorage {
  /// The same storage through other clients.
  package func connecting(
    through change: @escaping @Sendable (any SyncBackend) -> any SyncBackend
  ) -> ConformanceStorage {
    typealias Connect = @Sendable () async throws -> any SyncBackend
    func changed(_ connect: @escaping Connect) -> Connect { { change(try await connect()) } }
    return ConformanceStorage(
      connect: changed(connect), reopen: reopen, absentRoot: absentRoot.map(changed),
      takeRootAway: takeRootAway, bringRootBack: bringRootBack, addForeign: addForeign,
      connectToClassic: connectToClassic.map(changed),
      keepsContentInMemory: keepsContentInMemory, lag: lag)
  }
}
