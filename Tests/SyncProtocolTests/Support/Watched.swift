import Locking

/// A value whose changes a test waits for, without keeping a thread busy.
final class Watched<Value: Sendable>: Sendable {
  private struct Waiter {
    var isMet: @Sendable (Value) -> Bool
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var value: Value
    var waiters: [UInt64: Waiter] = [:]
    var cancelled: Set<UInt64> = []
    var last: UInt64 = 0
  }

  private let state: Locked<State>

  init(_ value: Value) { state = Locked(State(value: value)) }

  var value: Value { state.withLock { $0.value } }

  @discardableResult
  func update<Result>(_ change: (inout Value) -> Result) -> Result {
    let (result, met) = state.withLock { state in
      let result = change(&state.value)
      let met = state.waiters.filter { $0.value.isMet(state.value) }
      for number in met.keys { state.waiters[number] = nil }
      return (result, met.values.map(\.continuation))
    }
    for continuation in met { continuation.resume() }
    return result
  }

  /// Waits until a condition holds; throws if the task is cancelled before.
  func wait(until isMet: @escaping @Sendable (Value) -> Bool) async throws {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
          if isMet(state.value) { return .success(()) }
          state.waiters[number] = Waiter(isMet: isMet, continuation: continuation)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: number)
        if waiter == nil { state.cancelled.insert(number) }
        return waiter
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }
}
