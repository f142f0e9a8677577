import Synchronization
import SyncProtocol

/// Passes requests on, and does something before one of them, such as cancelling whoever makes it.
final class CancellingBackend: SyncBackend {
  private let backend: any SyncBackend
  private let state: Mutex<(requests: Int, turn: Int, act: (@Sendable () -> Void)?)>

  /// - Parameter turn: the number of the request, from 0, before which something is done.
  init(_ backend: any SyncBackend, before turn: Int) {
    self.backend = backend
    state = Mutex((0, turn, nil))
  }

  /// Sets what is done in its turn.
  func act(_ act: @escaping @Sendable () -> Void) { state.withLock { $0.act = act } }

  /// Whether it was done.
  var hasActed: Bool { state.withLock { $0.requests > $0.turn } }

  private func count() {
    let act = state.withLock { state in
      state.requests += 1
      return state.requests == state.turn + 1 ? state.act : nil
    }
    act?()
  }

  var capabilities: BackendCapabilities { backend.capabilities }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    count()
    return try await backend.list(folder)
  }
  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    count()
    return try await backend.stat(path)
  }
  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    count()
    return try await backend.download(path, limit: limit)
  }
  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    count()
    try await backend.download(path, toFile: localPath, progress: progress)
  }
  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    count()
    try await backend.upload(bytes, to: path)
  }
  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    count()
    try await backend.upload(file: localPath, to: path, progress: progress)
  }
  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    count()
    try await backend.createIfAbsent(bytes, at: path)
  }
  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    count()
    try await backend.createIfAbsent(file: localPath, at: path, progress: progress)
  }
  func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    count()
    try await backend.makeDirectory(path)
  }
  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    count()
    try await backend.move(source, to: destination)
  }
  func remove(_ path: RemotePath) async throws(BackendError) {
    count()
    try await backend.remove(path)
  }
}
