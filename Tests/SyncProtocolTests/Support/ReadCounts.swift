import Synchronization
import SyncProtocol

/// Counts how often each file is read and each folder listed. What would write fails.
final class ReadCounts: SyncBackend {
  private let backend: any SyncBackend
  private let state = Mutex((reads: [String: Int](), lists: [String: Int]()))

  init(_ backend: any SyncBackend) { self.backend = backend }

  var counts: (reads: [String: Int], lists: [String: Int]) { state.withLock { $0 } }

  private func refusal(_ path: RemotePath) -> BackendError {
    BackendError(.forbidden, path: path, detail: "somebody who looks writes")
  }

  var capabilities: BackendCapabilities { backend.capabilities }
  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    state.withLock { $0.lists[folder.description, default: 0] += 1 }
    return try await backend.list(folder)
  }
  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry { try await backend.stat(path) }
  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    state.withLock { $0.reads[path.description, default: 0] += 1 }
    return try await backend.download(path, limit: limit)
  }
  func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    let found = await backend.downloadAtOnce(names, in: folder, limit: limit)
    state.withLock { state in
      for name in found.keys { state.reads[folder.appending(name).description, default: 0] += 1 }
    }
    return found
  }
  func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    state.withLock { $0.reads[path.description, default: 0] += 1 }
    try await backend.download(path, toFile: localPath, progress: progress)
  }
  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) { throw refusal(path) }
  func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) { throw refusal(path) }
  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    throw refusal(path)
  }
  func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) { throw refusal(path) }
  func makeDirectory(_ path: RemotePath) async throws(BackendError) { throw refusal(path) }
  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    throw refusal(source)
  }
  func remove(_ path: RemotePath) async throws(BackendError) { throw refusal(path) }
}
