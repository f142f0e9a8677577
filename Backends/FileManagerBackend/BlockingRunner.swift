import Dispatch
import Synchronization
import SyncProtocol

/// Runs calls that block on threads of their own, so that a slow disk or network drive does not hold up other tasks.
struct BlockingRunner: Sendable {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label, attributes: .concurrent) }

  /// Runs `work` unless the task is cancelled before it starts; what runs may look at the flag and stop.
  func run<Result: Sendable>(
    _ path: RemotePath, _ work: @escaping @Sendable (CancellationFlag) throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    let cancellation = CancellationFlag()
    let outcome: Swift.Result<Result, BackendError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async {
          continuation.resume(
            returning: Swift.Result { () throws(BackendError) in
              try cancellation.check(path)
              return try work(cancellation)
            })
        }
      }
    } onCancel: {
      cancellation.set()
    }
    return try outcome.get()
  }
}

/// Carries a task's cancellation to the thread that works for it.
final class CancellationFlag: Sendable {
  private let flag = Atomic(false)

  func set() { flag.store(true, ordering: .relaxed) }

  func check(_ path: RemotePath) throws(BackendError) {
    if flag.load(ordering: .relaxed) { throw BackendError(.cancelled, path: path) }
  }
}
