import Dispatch
import Locking
import SyncProtocol

/// Stops a transfer in the middle, lets something else happen, and lets it go on.
///
/// The transfer is stopped in its progress call-back. It runs on threads of this suite, not on those that all tasks share,
/// so that however many transfers are stopped at once, what happens in between always gets a thread.
enum HeldTransfer {
  /// Runs a transfer of `size` bytes.
  ///
  /// - Returns: what became of the transfer.
  /// - Throws: what `middle` throws, or ``LawSkipped`` if the back end never reported that it was in the middle.
  static func run(
    size: Int, _ transfer: @escaping @Sendable (@escaping TransferProgress) async throws -> Void,
    middle: (_ task: Task<Void, any Error>) async throws -> Void
  ) async throws -> Result<Void, any Error> {
    let (reports, told) = AsyncStream.makeStream(of: Void.self)
    let goOn = DispatchSemaphore(value: 0)
    let isHeld = Locked(false)
    let task = Task(executorPreference: SuiteExecutor.shared) {
      defer { told.finish() }
      try await transfer { bytes in
        guard bytes >= Int64(size) / 3, bytes < Int64(size) else { return }
        let isFirst = isHeld.withLock { isHeld in
          defer { isHeld = true }
          return !isHeld
        }
        guard isFirst else { return }
        told.yield()
        // Never for ever: what happens in between could wait for this transfer.
        _ = goOn.wait(timeout: .now() + 120)
      }
    }
    var reached = false
    for await _ in reports {
      reached = true
      do {
        try await middle(task)
      } catch {
        goOn.signal()
        _ = await task.result
        throw error
      }
      goOn.signal()
    }
    let result = await task.result
    guard reached else {
      _ = try result.get()
      throw LawSkipped(reason: "the back end does not report progress, so nobody can look in between")
    }
    return result
  }
}

/// Threads beside those of Swift's pool.
private final class SuiteExecutor: TaskExecutor {
  static let shared = SuiteExecutor()
  private let queue = DispatchQueue(label: "BackendConformance", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
