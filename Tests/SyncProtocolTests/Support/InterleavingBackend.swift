import Synchronization
import SyncProtocol

/// Lets something else happen right before a certain file is created for the first time.
final class InterleavingBackend: SyncBackend {
  private let backend: any SyncBackend
  private let path: String
  private let action: @Sendable () async -> Void
  private let isDone = Mutex(false)

  init(_ backend: any SyncBackend, before path: String, _ action: @escaping @Sendable () async -> Void) {
    self.backend = backend
    self.path = path
    self.action = action
  }

  var capabilities: BackendCapabilities { backend.capabilities }

  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    await act(before: path)
    try await backend.createIfAbsent(bytes, at: path)
  }

  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    await act(before: path)
    try await backend.createIfAbsent(file: localPath, at: path, progress: progress)
  }

  private func act(before path: RemotePath) async {
    let isFirst = isDone.withLock { isDone in
      guard path.description == self.path, !isDone else { return false }
      isDone = true
      return true
    }
    if isFirst { await action() }
  }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try await backend.list(folder)
  }
  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry { try await backend.stat(path) }
  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await backend.download(path, limit: limit)
  }
  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await backend.download(path, toFile: localPath, progress: progress)
  }
  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await backend.upload(bytes, to: path)
  }
  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await backend.upload(file: localPath, to: path, progress: progress)
  }
  func makeDirectory(_ path: RemotePath) async throws(BackendError) { try await backend.makeDirectory(path) }
  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await backend.move(source, to: destination)
  }
  func remove(_ path: RemotePath) async throws(BackendError) { try await backend.remove(path) }
}
