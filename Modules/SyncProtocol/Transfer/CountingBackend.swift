import Locking

/// How much was asked of a storage service.
public struct TransferCount: Hashable, Sendable {
  /// Calls of the back end's methods, whether or not they succeeded.
  public var requests = 0
  /// Bytes of content that were downloaded.
  public var downloadedBytes: Int64 = 0
  /// Bytes of content that were uploaded.
  public var uploadedBytes: Int64 = 0

  /// Nothing yet.
  public init() {}

  /// Content in both directions.
  public var bytes: Int64 { downloadedBytes + uploadedBytes }

  /// What was added since an earlier count.
  public static func - (later: TransferCount, earlier: TransferCount) -> TransferCount {
    var difference = later
    difference.requests -= earlier.requests
    difference.downloadedBytes -= earlier.downloadedBytes
    difference.uploadedBytes -= earlier.uploadedBytes
    return difference
  }
}

/// Passes everything on to another back end and counts requests and bytes. Safe to use from any task.
///
/// Inside a ``RetryingBackend`` it counts every attempt, outside only the calls.
public final class CountingBackend: SyncBackend {
  private let backend: any SyncBackend
  private let counter = Locked(TransferCount())

  /// Counts what goes to `backend`.
  public init(_ backend: any SyncBackend) { self.backend = backend }

  /// What was counted so far.
  public var count: TransferCount { counter.withLock { $0 } }

  /// Those of the back end behind.
  public var capabilities: BackendCapabilities { backend.capabilities }

  private func countRequest() { counter.withLock { $0.requests += 1 } }
  private func countDownload(_ bytes: Int64) { counter.withLock { $0.downloadedBytes += bytes } }
  private func countUpload(_ bytes: Int64) { counter.withLock { $0.uploadedBytes += bytes } }

  /// Counts one request.
  public func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    countRequest()
    return try await backend.list(folder)
  }

  /// Counts one request.
  public func list(
    _ folder: RemotePath, after page: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage {
    countRequest()
    return try await backend.list(folder, after: page)
  }

  /// Counts one request.
  public func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    countRequest()
    return try await backend.stat(path)
  }

  /// Counts one request and the bytes.
  public func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    countRequest()
    let bytes = try await backend.download(path, limit: limit)
    countDownload(Int64(bytes.count))
    return bytes
  }

  /// Counts one request and the bytes, or nothing if nothing comes: storage without a short cut was then asked for nothing.
  public func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    let found = await backend.downloadAtOnce(names, in: folder, limit: limit)
    guard !found.isEmpty else { return found }
    countRequest()
    countDownload(found.values.reduce(0) { $0 + Int64($1.count) })
    return found
  }

  /// Counts one request and the bytes.
  public func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    countRequest()
    try await backend.download(path, toFile: localPath, progress: progress)
    countDownload(LocalFile.size(of: localPath) ?? 0)
  }

  /// Counts one request and the bytes.
  public func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    countRequest()
    try await backend.upload(bytes, to: path)
    countUpload(Int64(bytes.count))
  }

  /// Counts one request and the bytes.
  public func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    countRequest()
    try await backend.upload(file: localPath, to: path, progress: progress)
    countUpload(LocalFile.size(of: localPath) ?? 0)
  }

  /// Counts one request and the bytes.
  public func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    countRequest()
    try await backend.createIfAbsent(bytes, at: path)
    countUpload(Int64(bytes.count))
  }

  /// Counts one request and the bytes.
  public func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    countRequest()
    try await backend.createIfAbsent(file: localPath, at: path, progress: progress)
    countUpload(LocalFile.size(of: localPath) ?? 0)
  }

  /// Counts one request.
  public func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    countRequest()
    try await backend.makeDirectory(path)
  }

  /// Counts one request.
  public func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    countRequest()
    try await backend.move(source, to: destination)
  }

  /// Counts one request.
  public func remove(_ path: RemotePath) async throws(BackendError) {
    countRequest()
    try await backend.remove(path)
  }

  /// Passed on without counting.
  public func changes(below folder: RemotePath) -> AsyncStream<Void>? { backend.changes(below: folder) }
}
