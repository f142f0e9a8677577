import Dispatch
import Locking

/// Runs all pieces of a task's work one after the other, in the order in which they became ready.
final class OneThread: TaskExecutor {
  private let queue = DispatchQueue(label: "simulation")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Hands a result from one thread to another.
final class RunResult: Sendable {
  private let value = Locked<Result<ProtocolSimulation.Outcome, any Error>?>(nil)

  func set(_ result: Result<ProtocolSimulation.Outcome, any Error>) { value.withLock { $0 = result } }

  func get() throws -> ProtocolSimulation.Outcome {
    guard let result = value.withLock({ $0 }) else { return ProtocolSimulation.Outcome(families: "") }
    return try result.get()
  }
}
