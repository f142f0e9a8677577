import BackendConformance
import Synchronization
import Testing

@testable import SyncProtocol

@Suite struct RetryingBackendTests {
  @Test(arguments: BackendConformance.laws)
  func `storage that fails every first time keeps its laws when retried`(
    _ law: BackendConformance.Law
  ) async throws {
    let outcome = try await law.verify(patience: .seconds(600)) {
      let memory = MemoryBackend()
      return ConformanceStorage(
        // Of several tasks one may meet only failures for a while.
        connect: {
          RetryingBackend(
            FaultyBackend(flaky: memory),
            policy: RetryPolicy(attempts: 100, budget: .seconds(100_000), retries: 100_000, share: 1),
            pause: { _ in try Task.checkCancellation() })
        }, addForeign: { memory.addForeign($0, to: $1, holding: Array($0.utf8)) }, keepsContentInMemory: true)
    }
    if case .skipped(let reason) = outcome {
      print("skipped: \(law), because \(reason)")
      try Test.cancel("\(reason)")
    }
  }

  @Test func `a folder that stays out of reach is given up`() async {
    let counting = CountingBackend(ClosedBackend())
    let backend = RetryingBackend(counting, policy: RetryPolicy(attempts: 4), pause: { _ in })
    let error = await #expect(throws: BackendError.self) { try await backend.list(.root) }
    #expect(error?.code == .unreachable)
    #expect(counting.count.requests == 4)
  }

  @Test func `what carries no file is not waited for again and again`() async throws {
    let folder = try #require(RemotePath("folder"))
    let requests: [@Sendable (RetryingBackend) async throws -> Void] = [
      { _ = try await $0.list(.root) }, { _ = try await $0.stat(folder) },
      { try await $0.makeDirectory(folder) }, { try await $0.move(folder, to: folder) },
      { try await $0.remove(folder) },
    ]
    for request in requests {
      let counting = CountingBackend(ClosedBackend())
      // Every attempt takes longer than this, and no pause does.
      let policy = RetryPolicy(firstPause: .zero, budget: .nanoseconds(1))
      let backend = RetryingBackend(counting, policy: policy, pause: { _ in })
      await #expect(throws: BackendError.self) { try await request(backend) }
      #expect(counting.count.requests == 1)
    }
  }
}
