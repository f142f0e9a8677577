import Foundation
import Locking

/// Runs what is asynchronous to its end, for a program whose benchmarks come one after the other.
func waiting<Result: Sendable>(for work: @escaping @Sendable () async throws -> Result) throws -> Result {
  let outcome = Locked<Swift.Result<Result, any Error>?>(nil)
  let done = DispatchSemaphore(value: 0)
  Task {
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await work()) } catch { result = .failure(error) }
    outcome.withLock { $0 = result }
    done.signal()
  }
  done.wait()
  guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
  return try result.get()
}
