import BackendConformance
import Synchronization
import Testing

@testable import SyncProtocol

@Suite struct RetryingBackendTests {
  @Test(arguments: BackendConformance.laws)
  func `storage that fails every first time keeps its laws when retried`(
    _ law: BackendConformance.Law
  ) async throws {
    try await law.verify {
      // Of several tasks one may meet only failures for a while.
      RetryingBackend(
        FlakyBackend(MemoryBackend()), policy: RetryPolicy(attempts: 100, budget: .seconds(100_000)),
        clock: ImpatientClock())
    }
  }

  @Test func `a folder that stays out of reach is given up`() async {
    let counting = CountingBackend(ClosedBackend())
    let backend = RetryingBackend(counting, policy: RetryPolicy(attempts: 4), clock: ImpatientClock())
    let error = await #expect(throws: BackendError.self) { try await backend.list(.root) }
    #expect(error?.code == .unreachable)
    #expect(counting.count.requests == 4)
  }
}

/// A clock on which every wait is over at once.
private struct ImpatientClock: Clock {
  var now: ContinuousClock.Instant { ContinuousClock().now }
  var minimumResolution: Duration { .nanoseconds(1) }
  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
  }
}

/// Fails every other request, in turn before and after it takes effect. Removals never fail: whether a repeated one was
/// the first to remove anything, nobody can tell.
private final class FlakyBackend: SyncBackend {
  private let backend: any SyncBackend
  private let counter = Mutex(0)

  init(_ backend: any SyncBackend) { self.backend = backend }

  var capabilities: BackendCapabilities { backend.capabilities }

  private func pass<Result>(
    _ path: RemotePath, _ request: () async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    let number = counter.withLock { number in
      number += 1
      return number
    }
    if number.isMultiple(of: 2) { return try await request() }
    if number % 4 == 1 { _ = try await request() }
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
  func remove(_ path: RemotePath) async throws(BackendError) { try await backend.remove(path) }
}
