import BackendConformance
import Locking
import Testing

@testable import SyncProtocol

/// Storage on which many files hang is waited for as long as for one.
@Suite struct HangTests {
  private let start = ContinuousClock.now
  private let policy = RetryPolicy(patience: .seconds(120))

  private func failure(_ name: String) throws -> BackendError {
    var failure = BackendError(.unreachable, path: try path(name), detail: "nothing came")
    failure.timedOut = true
    return failure
  }

  private func path(_ name: String) throws -> RemotePath { try #require(RemotePath(name)) }

  private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

  // MARK: - What is counted

  @Test
  func
    `once requests have hung for two minutes, those of their kind are refused with the failure of the last`()
    throws
  {
    var hangs = HangAllowance(policy)
    hangs.ran(into: try failure("one"), .reading, from: at(0), to: at(60))
    #expect(try hangs.refusal(.reading, of: path("two"), at: at(60)) == nil && !hangs.isSpent)
    hangs.ran(into: try failure("two"), .reading, from: at(60), to: at(120))
    #expect(hangs.isSpent)
    #expect(try hangs.refusal(.reading, of: path("three"), at: at(121)) == failure("three"))
    #expect(try hangs.refusal(.writing, of: path("three"), at: at(121)) == nil)
    #expect(try hangs.refusal(.asking, of: path("three"), at: at(121)) == nil)
  }

  @Test func `where a single file hangs, it alone is not asked for again`() throws {
    var hangs = HangAllowance(policy)
    for second in [60, 120] {
      hangs.ran(into: try failure("one"), .reading, from: at(second - 60), to: at(second))
    }
    #expect(try hangs.refusal(.reading, of: path("one"), at: at(121)) == failure("one"))
    #expect(try hangs.refusal(.reading, of: path("two"), at: at(121)) == nil)
    // And when another one hangs as well, that was the last.
    hangs.ran(into: try failure("two"), .reading, from: at(121), to: at(181))
    #expect(try hangs.refusal(.reading, of: path("three"), at: at(181)) == failure("three"))
  }

  @Test func `what hangs at the same time counts once`() throws {
    var hangs = HangAllowance(policy)
    for _ in 0..<8 { hangs.ran(into: try failure("one"), .reading, from: at(0), to: at(60)) }
    #expect(!hangs.isSpent)
  }

  @Test func `a transfer that hung in its second hour counts half of what there is`() throws {
    var hangs = HangAllowance(policy)
    hangs.ran(into: try failure("one"), .writing, from: at(0), to: at(7_000))
    #expect(!hangs.isSpent)
  }

  @Test func `what hung long ago is forgotten, and so is what hung before the operation`() throws {
    var hangs = HangAllowance(policy)
    for second in [60, 120] {
      hangs.ran(into: try failure("one"), .reading, from: at(second - 60), to: at(second))
    }
    #expect(try hangs.refusal(.reading, of: path("one"), at: at(239)) != nil)
    #expect(try hangs.refusal(.reading, of: path("one"), at: at(240)) == nil)
    for second in [300, 360] {
      hangs.ran(into: try failure("one"), .reading, from: at(second - 60), to: at(second))
    }
    #expect(try hangs.refusal(.reading, of: path("one"), at: at(361)) != nil)
    hangs.renew()
    #expect(try hangs.refusal(.reading, of: path("one"), at: at(361)) == nil)
  }

  // MARK: - Synchronisation

  /// Storage in which no content of a file can be had, though all can be listed and written.
  private final class Hanging: ForwardingBackend {
    static let limit = Duration.milliseconds(20)
    let backend: any SyncBackend
    let isHanging = Locked(true)
    let asked = Locked(0)

    init(_ base: any SyncBackend) { backend = base }

    private func hang(_ path: RemotePath) async throws(BackendError) {
      guard isHanging.withLock({ $0 }) else { return }
      asked.withLock { $0 += 1 }
      do { try await Task.sleep(for: Self.limit) } catch { throw BackendError(.cancelled, path: path) }
      var failure = BackendError(.unreachable, path: path)
      failure.timedOut = true
      throw failure
    }

    func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
      try await hang(path)
      return try await backend.download(path, limit: limit)
    }

    func download(
      _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
    ) async throws(BackendError) {
      try await hang(path)
      try await backend.download(path, toFile: localPath, progress: progress)
    }
  }

  @Test func `files that hang share their time, what was made here goes out, and the next sync begins anew`()
    async throws
  {
    let workplace = try Workplace()
    let remote = MemoryBackend()
    let policy = RetryPolicy(firstPause: .zero, patience: Hanging.limit * 2)
    let devices = (0..<12).map { Device("device-\($0)", in: workplace, retries: policy) }
    for device in devices { try await device.register(remote) }
    let last = try #require(devices.last)
    for _ in 0..<2 { for device in devices { try await device.sync(remote) } }
    for (number, device) in devices.enumerated() {
      for edit in 0..<3 {
        try device.write("note \(number) \(edit)", "text")
        if number < 11 { try await device.sync(remote) }
      }
    }
    let hanging = Hanging(remote)

    for _ in 0..<2 {
      hanging.asked.withLock { $0 = 0 }
      let report = try await last.sync(hanging)
      #expect(report.findings.count { $0.waitsFor != nil } == 11)
      // Those of the first files that are read at once, twice, and perhaps the next ones. There are 22 without a limit.
      #expect(hanging.asked.withLock { $0 } <= 3 * SetTransfer.parallelism)
    }

    try await devices[0].sync(remote)
    #expect(try devices[0].notes.contains { $0.hasPrefix("note 11") })
    hanging.isHanging.withLock { $0 = false }
    try await last.sync(hanging)
    #expect(try last.notes.count == 36)
  }
}
