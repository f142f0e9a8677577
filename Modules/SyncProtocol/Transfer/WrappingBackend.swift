/// Storage that passes on to other storage what it is asked for, but for what it does itself.
package protocol WrappingBackend: SyncBackend {
  /// The back end behind.
  var base: any SyncBackend { get }
}

extension WrappingBackend {
  package var capabilities: BackendCapabilities { base.capabilities }

  package func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try await base.list(folder)
  }

  package func list(
    _ folder: RemotePath, after page: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage {
    try await base.list(folder, after: page)
  }

  package func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    try await base.stat(path)
  }

  package func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await base.download(path, limit: limit)
  }

  package func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    await base.downloadAtOnce(names, in: folder, limit: limit)
  }

  package func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await base.download(path, toFile: localPath, progress: progress)
  }

  package func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await base.upload(bytes, to: path)
  }

  package func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await base.upload(file: localPath, to: path, progress: progress)
  }

  package func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await base.createIfAbsent(bytes, at: path)
  }

  package func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await base.createIfAbsent(file: localPath, at: path, progress: progress)
  }

  package func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    try await base.makeDirectory(path)
  }

  package func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await base.move(source, to: destination)
  }

  package func remove(_ path: RemotePath) async throws(BackendError) { try await base.remove(path) }

  package func changes(below folder: RemotePath) -> AsyncStream<Void>? { base.changes(below: folder) }
}
