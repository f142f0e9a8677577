import Dispatch

/// Runs all pieces of a task's work one after the other, in the order in which they became ready.
final class OneThread: TaskExecutor {
  private let queue = DispatchQueue(label: "simulation")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
