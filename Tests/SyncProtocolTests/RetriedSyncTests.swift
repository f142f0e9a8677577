import BackendConformance
import Testing

@testable import SyncProtocol

/// The managers try again what failed for a reason that passes.
@Suite struct RetriedSyncTests {
  private let remote = MemoryBackend()
  private let workplace: Workplace

  init() throws { workplace = try Workplace() }

  @Test func `registration and sync get over requests that fail, or whose answers are lost`() async throws {
    let policy = RetryPolicy(attempts: 20, retries: 200, share: 1)
    let a = Device("device-a", in: workplace, retries: policy)
    let b = Device("device-b", in: workplace, retries: policy)
    for device in [a, b] { try await device.register(FaultyBackend(flaky: remote), .password("pass")) }
    try a.write("note", "by a")
    try await a.sync(FaultyBackend(flaky: remote))
    try await b.sync(FaultyBackend(flaky: remote))
    #expect(try b.notes == ["note: by a"])
  }

  @Test func `a device retries unless it is told not to`() throws {
    let configuration = try ApplicationConfiguration(
      application: "com.example.notes", client: "device-a", clientDescription: "A")
    #expect(configuration.retries.attempts > 1)
  }

  @Test func `requests that are tried again count`() async throws {
    let device = Device("device-a", in: workplace, retries: RetryPolicy(attempts: 20, retries: 200, share: 1))
    try await device.register(remote)
    let once = FaultyBackend(failing: remote, requests: [0])
    #expect(try await device.sync(once).requests == 2)
  }

  @Test func `storage that stays away is given up after few requests`() async throws {
    let device = Device("device-a", in: workplace, retries: RetryPolicy())
    try await device.register(remote)
    let away = CountingBackend(ClosedBackend())
    let error = await #expect(throws: SyncError.self) { try await device.sync(away) }
    #expect(error?.backendError?.code == .unreachable)
    #expect(away.count.requests == RetryPolicy().attempts)
  }
}
