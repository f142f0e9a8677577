/// Lets only some of many tests go on at once; the others wait for their turn.
///
/// The test runner starts all at once. What each keeps in memory, or asks of one server, would come to too much.
public actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameter width: how many go on at once.
  public init(_ width: Int) { free = width }

  /// Does something when there is a turn for it.
  public func run<Outcome: Sendable>(
    _ operation: @Sendable () async throws -> Outcome
  ) async rethrows -> Outcome {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
    defer { end() }
    return try await operation()
  }

  /// Hands the turn of one that has ended to the next.
  private func end() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
