import SyncProtocol

/// A client that lists folders by putting their pages together, so that laws of listings are tried on pages.
struct PageReader: SyncBackend {
  /// Far more than any folder of the suite has.
  private static let pageLimit = 100_000
  private let base: any SyncBackend

  init(_ base: any SyncBackend) { self.base = base }

  var capabilities: BackendCapabilities { base.capabilities }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    var all = RemoteListing()
    var token: ListingPage.Token?
    for _ in 0..<Self.pageLimit {
      let page = try await base.list(folder, after: token)
      all.entries += page.listing.entries
      all.foreign += page.listing.foreign
      guard let next = page.next else { return all }
      token = next
    }
    throw BackendError(.failed, path: folder, detail: "the pages do not end")
  }

  func list(
    _ folder: RemotePath, after page: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage { try await base.list(folder, after: page) }

  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry { try await base.stat(path) }

  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await base.download(path, limit: limit)
  }

  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) { try await base.download(path, toFile: localPath, progress: progress) }

  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await base.upload(bytes, to: path)
  }

  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) { try await base.upload(file: localPath, to: path, progress: progress) }

  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await base.createIfAbsent(bytes, at: path)
  }

  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await base.createIfAbsent(file: localPath, at: path, progress: progress)
  }

  func makeDirectory(_ path: RemotePath) async throws(BackendError) { try await base.makeDirectory(path) }

  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await base.move(source, to: destination)
  }

  func remove(_ path: RemotePath) async throws(BackendError) { try await base.remove(path) }

  func changes(below folder: RemotePath) -> AsyncStream<Void>? { base.changes(below: folder) }
}

extension LawContext {
  /// The same storage, whose folders are read page by page.
  var readingPages: LawContext {
    LawContext(
      backend: PageReader(backend), storage: storage.connecting { PageReader($0) }, sizes: sizes,
      patience: patience)
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
      connect: changed(connect), reopen: reopen, absentRoot: absentRoot.map(changed), addForeign: addForeign,
      connectToClassic: connectToClassic.map(changed), keepsContentInMemory: keepsContentInMemory, lag: lag)
  }
}
