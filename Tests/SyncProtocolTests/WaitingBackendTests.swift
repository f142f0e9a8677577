import BackendConformance
import Locking
import Testing

@testable import SyncProtocol

/// Whoever waits for storage that does not answer is told so.
@Suite struct WaitingBackendTests {
  private let start = ContinuousClock.now
  private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }
  private func path(_ name: String) throws -> RemotePath { try #require(RemotePath(name)) }

  @Test func `what has not come for a while is told of, and again each time after twice as long`() throws {
    var pending = PendingRequests(patience: .seconds(20))
    let file = try path("file")
    _ = pending.begin(file, at: at(0))
    let told = (0...200).compactMap { second in pending.wait(at: at(second)) }
    let times = [20, 40, 80, 160]
    #expect(told == times.map { StorageWait(path: file, duration: .seconds($0), others: 0) })
  }

  @Test func `what ends in time is not told of, nor what makes progress`() throws {
    var pending = PendingRequests(patience: .seconds(20))
    let file = try path("long")
    let (short, long) = (pending.begin(try path("short"), at: at(0)), pending.begin(file, at: at(0)))
    pending.end(short)
    for second in [15, 30, 45] {
      pending.progress(long, at: at(second))
      #expect(pending.wait(at: at(second + 14)) == nil)
    }
    #expect(pending.wait(at: at(65))?.path == file)
    pending.end(long)
    #expect(pending.isEmpty && pending.wait(at: at(500)) == nil)
  }

  @Test func `of several the one that is waited for longest is named, and the others are counted`() throws {
    var pending = PendingRequests(patience: .seconds(20))
    _ = try pending.begin(path("second"), at: at(5))
    let first = try path("first")
    _ = pending.begin(first, at: at(0))
    _ = try pending.begin(path("new"), at: at(29))
    let wait = pending.wait(at: at(30))
    #expect(wait == StorageWait(path: first, duration: .seconds(30), others: 1))
    #expect(pending.wait(at: at(31)) == nil)
  }

  /// Storage whose listings come when they are let go.
  private final class Stuck: ForwardingBackend {
    let backend: any SyncBackend = MemoryBackend()
    let answers = AsyncStream<Void>.makeStream()

    func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
      for await _ in answers.stream { break }
      return try await backend.list(folder)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a listing that hangs is told of while it does, and comes all the same once it is there`() async throws
  {
    let (stuck, told) = (Stuck(), AsyncStream<StorageWait>.makeStream())
    let waiting = WaitingBackend(stuck, after: .milliseconds(20)) { told.continuation.yield($0) }
    async let listing = waiting.list(.root)
    for await wait in told.stream {
      #expect(wait.path == .root && wait.others == 0 && wait.duration >= .milliseconds(20))
      break
    }
    stuck.answers.continuation.yield()
    #expect(try await listing.entries.isEmpty)
  }

  @Test(arguments: BackendConformance.laws)
  func `storage that is watched keeps its laws`(_ law: BackendConformance.Law) async throws {
    let outcome = try await law.verify(patience: .seconds(600)) {
      let memory = MemoryBackend()
      return ConformanceStorage(
        connect: { WaitingBackend(memory) { _ in } },
        addForeign: { memory.addForeign($0, to: $1, holding: Array($0.utf8)) }, keepsContentInMemory: true)
    }
    if case .skipped(let reason) = outcome {
      print("skipped: \(law), because \(reason)")
      try Test.cancel("\(reason)")
    }
  }
}
