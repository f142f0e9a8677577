import BackendConformance
import Synchronization
import SyncProtocol

/// Lets something else happen right before a certain file is created for the first time.
final class InterleavingBackend: ForwardingBackend {
  let backend: any SyncBackend
  private let path: String
  private let action: @Sendable () async -> Void
  private let isDone = Mutex(false)

  init(_ backend: any SyncBackend, before path: String, _ action: @escaping @Sendable () async -> Void) {
    self.backend = backend
    self.path = path
    self.action = action
  }

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
}
