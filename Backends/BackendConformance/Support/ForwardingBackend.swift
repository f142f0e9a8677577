import SyncProtocol

/// A back end that passes on to another whatever it does not do itself.
///
/// Pages and streams of changes are not among that: they are those that follow from ``SyncBackend/list(_:)``, so that one method
/// decides what a listing shows.
package protocol ForwardingBackend: SyncBackend {
  /// Where requests go.
  var backend: any SyncBackend { get }
}

extension ForwardingBackend {
  package var capabilities: BackendCapabilities { backend.capabilities }

  package func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try await backend.list(folder)
  }

  package func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    try await backend.stat(path)
  }

  package func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await backend.download(path, limit: limit)
  }

  package func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    await backend.downloadAtOnce(names, in: folder, limit: limit)
  }

  package func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await backend.download(path, toFile: localPath, progress: progress)
  }

  package func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await backend.upload(bytes, to: path)
  }

  package func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await backend.upload(file: localPath, to: path, progress: progress)
  }

  package func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await backend.createIfAbsent(bytes, at: path)
  }

  package func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await backend.createIfAbsent(file: localPath, at: path, progress: progress)
  }

  package func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    try await backend.makeDirectory(path)
  }

  package func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await backend.move(source, to: destination)
  }

  package func remove(_ path: RemotePath) async throws(BackendError) { try await backend.remove(path) }
}
