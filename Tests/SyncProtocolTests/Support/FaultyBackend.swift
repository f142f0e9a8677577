import Synchronization
import SyncProtocol

/// Passes requests on until one of them fails, with or without having taken effect; after that all fail, as if the
/// device had lost its connection or its power.
final class FaultyBackend: SyncBackend {
  enum Fault: CaseIterable {
    /// The request never arrives.
    case requestLost
    /// The request takes effect, but the answer does not arrive.
    case answerLost
  }

  private let backend: any SyncBackend
  private let fault: Fault
  private let remaining: Mutex<Int>

  /// - Parameter failing: the number of requests that succeed before.
  init(_ backend: any SyncBackend, after requests: Int, _ fault: Fault) {
    self.backend = backend
    self.fault = fault
    remaining = Mutex(requests)
  }

  /// Whether the fault came to pass.
  var hasFailed: Bool { remaining.withLock { $0 < 0 } }

  var capabilities: BackendCapabilities { backend.capabilities }

  private func pass<Result>(
    _ path: RemotePath, _ request: () async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    let left = remaining.withLock { left in
      left -= 1
      return left
    }
    if left >= 0 { return try await request() }
    if left == -1, fault == .answerLost { _ = try? await request() }
    throw BackendError(.unreachable, path: path)
  }

  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try await pass(folder) { () async throws(BackendError) in try await backend.list(folder) }
  }
  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    try await pass(path) { () async throws(BackendError) in try await backend.stat(path) }
  }
  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await pass(path) { () async throws(BackendError) in try await backend.download(path, limit: limit) }
  }
  func download(_ path: RemotePath, toFile localPath: String) async throws(BackendError) {
    try await pass(path) { () async throws(BackendError) in
      try await backend.download(path, toFile: localPath)
    }
  }
  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await pass(path) { () async throws(BackendError) in try await backend.upload(bytes, to: path) }
  }
  func upload(file localPath: String, to path: RemotePath) async throws(BackendError) {
    try await pass(path) { () async throws(BackendError) in
      try await backend.upload(file: localPath, to: path)
    }
  }
  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await pass(path) { () async throws(BackendError) in try await backend.createIfAbsent(bytes, at: path)
    }
  }
  func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    try await pass(path) { () async throws(BackendError) in try await backend.makeDirectory(path) }
  }
  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await pass(source) { () async throws(BackendError) in try await backend.move(source, to: destination)
    }
  }
  func remove(_ path: RemotePath) async throws(BackendError) {
    try await pass(path) { () async throws(BackendError) in try await backend.remove(path) }
  }
}

/// Answers nothing: for what must work without a request.
struct ClosedBackend: SyncBackend {
  private var failure: BackendError { BackendError(.unreachable, path: .root) }
  var capabilities: BackendCapabilities { [] }
  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing { throw failure }
  func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry { throw failure }
  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] { throw failure }
  func download(_ path: RemotePath, toFile localPath: String) async throws(BackendError) { throw failure }
  func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) { throw failure }
  func upload(file localPath: String, to path: RemotePath) async throws(BackendError) { throw failure }
  func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) { throw failure }
  func makeDirectory(_ path: RemotePath) async throws(BackendError) { throw failure }
  func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) { throw failure }
  func remove(_ path: RemotePath) async throws(BackendError) { throw failure }
}
