import SyncProtocol

/// Passes requests on to storage that keeps all laws, except for those that are put in their place.
struct Variation: SyncBackend {
  var capabilities: BackendCapabilities
  var onList: @Sendable (RemotePath) async throws(BackendError) -> RemoteListing
  private let listHonestly: @Sendable (RemotePath) async throws(BackendError) -> RemoteListing
  /// Pages of a listing; without, the only page is what `onList` says.
  var onListPage: (@Sendable (RemotePath, ListingPage.Token?) async throws(BackendError) -> ListingPage)?
  var onStat: @Sendable (RemotePath) async throws(BackendError) -> RemoteEntry
  var onDownload: @Sendable (RemotePath, Int) async throws(BackendError) -> [UInt8]
  var onDownloadAtOnce: @Sendable ([RemoteName], RemotePath, Int) async -> [RemoteName: [UInt8]]
  var onDownloadFile:
    @Sendable (RemotePath, String, @escaping TransferProgress) async throws(BackendError) -> Void
  var onUpload: @Sendable ([UInt8], RemotePath) async throws(BackendError) -> Void
  var onUploadFile:
    @Sendable (String, RemotePath, @escaping TransferProgress) async throws(BackendError) -> Void
  var onCreate: @Sendable ([UInt8], RemotePath) async throws(BackendError) -> Void
  var onCreateFile:
    @Sendable (String, RemotePath, @escaping TransferProgress) async throws(BackendError) -> Void
  var onMakeDirectory: @Sendable (RemotePath) async throws(BackendError) -> Void
  var onMove: @Sendable (RemotePath, RemotePath) async throws(BackendError) -> Void
  var onRemove: @Sendable (RemotePath) async throws(BackendError) -> Void
  var onChanges: @Sendable (RemotePath) -> AsyncStream<Void>?

  init(_ base: any SyncBackend) {
    capabilities = base.capabilities
    listHonestly = { (path) async throws(BackendError) in try await base.list(path) }
    onList = listHonestly
    onStat = { (path) async throws(BackendError) in try await base.stat(path) }
    onDownload = { (path, limit) async throws(BackendError) in try await base.download(path, limit: limit) }
    onDownloadAtOnce = { await base.downloadAtOnce($0, in: $1, limit: $2) }
    onDownloadFile = { (path, file, progress) async throws(BackendError) in
      try await base.download(path, toFile: file, progress: progress)
    }
    onUpload = { (bytes, path) async throws(BackendError) in try await base.upload(bytes, to: path) }
    onUploadFile = { (file, path, progress) async throws(BackendError) in
      try await base.upload(file: file, to: path, progress: progress)
    }
    onCreate = { (bytes, path) async throws(BackendError) in try await base.createIfAbsent(bytes, at: path) }
    onCreateFile = { (file, path, progress) async throws(BackendError) in
      try await base.createIfAbsent(file: file, at: path, progress: progress)
    }
    onMakeDirectory = { (path) async throws(BackendError) in try await base.makeDirectory(path) }
    onMove = { (source, destination) async throws(BackendError) in
      try await base.move(source, to: destination)
    }
    onRemove = { (path) async throws(BackendError) in try await base.remove(path) }
    onChanges = { base.changes(below: $0) }
  }

  /// The same, but with what is put in the place of listings in that of pages.
  var withListingsOnPages: Variation {
    var variation = self
    let list = onList
    variation.onListPage = { (path, _) async throws(BackendError) in ListingPage(try await list(path)) }
    variation.onList = listHonestly
    return variation
  }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing { try await onList(folder) }
  func list(
    _ folder: RemotePath, after page: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage {
    guard let onListPage else { return ListingPage(try await onList(folder)) }
    return try await onListPage(folder, page)
  }
  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry { try await onStat(path) }
  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await onDownload(path, limit)
  }
  func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] { await onDownloadAtOnce(names, folder, limit) }
  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) { try await onDownloadFile(path, localPath, progress) }
  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await onUpload(bytes, path)
  }
  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) { try await onUploadFile(localPath, path, progress) }
  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await onCreate(bytes, path)
  }
  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) { try await onCreateFile(localPath, path, progress) }
  func makeDirectory(_ path: RemotePath) async throws(BackendError) { try await onMakeDirectory(path) }
  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await onMove(source, destination)
  }
  func remove(_ path: RemotePath) async throws(BackendError) { try await onRemove(path) }
  func changes(below folder: RemotePath) -> AsyncStream<Void>? { onChanges(folder) }

  /// Calls something before every request that writes.
  mutating func beforeWriting(_ note: @escaping @Sendable () -> Void) {
    let unchanged = self
    onUpload = { (bytes, path) async throws(BackendError) in
      note()
      try await unchanged.onUpload(bytes, path)
    }
    onUploadFile = { (file, path, progress) async throws(BackendError) in
      note()
      try await unchanged.onUploadFile(file, path, progress)
    }
    onCreate = { (bytes, path) async throws(BackendError) in
      note()
      try await unchanged.onCreate(bytes, path)
    }
    onCreateFile = { (file, path, progress) async throws(BackendError) in
      note()
      try await unchanged.onCreateFile(file, path, progress)
    }
    onMakeDirectory = { (path) async throws(BackendError) in
      note()
      try await unchanged.onMakeDirectory(path)
    }
    onMove = { (source, destination) async throws(BackendError) in
      note()
      try await unchanged.onMove(source, destination)
    }
    onRemove = { (path) async throws(BackendError) in
      note()
      try await unchanged.onRemove(path)
    }
  }
}
