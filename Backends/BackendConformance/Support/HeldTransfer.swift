import Dispatch
import Locking
import SyncProtocol

extension LawContext {
  /// Stops a transfer of `heldFile` bytes in the middle, lets something else happen, and lets it go on.
  ///
  /// - Returns: what became of the transfer.
  /// - Throws: what `middle` throws; ``ConformanceFailure`` if it waits for the transfer; ``LawSkipped`` if the back end never
  ///   reported that it was in the middle.
  func holding(
    _ transfer: @escaping @Sendable (@escaping TransferProgress) async throws -> Void,
    middle: (_ task: Task<Void, any Error>) async throws -> Void
  ) async throws -> Result<Void, any Error> {
    // However many tasks of other tests wait for a thread, a transfer is held no longer than the middle takes.
    try await withTaskExecutorPreference(ThreadExecutor.shared) {
      let held = HeldTransfer(size: sizes.heldFile, patience: patience)
      let task = Task(executorPreference: ThreadExecutor.shared) {
        defer { held.end() }
        try await transfer(held.report)
      }
      if await held.isReached() {
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await middle(task)) } catch { outcome = .failure(error) }
        held.goOn()
        let result = await task.result
        try expect(
          !held.isGivenUp, "what another client did waited for a transfer that was held for \(patience)")
        try outcome.get()
        return result
      }
      try await task.value
      throw skip("the back end does not report progress, so nobody can look in between")
    }
  }

  /// Cancels one transfer of `heldFile` bytes in its middle, while another is in its own.
  ///
  /// A client whose transfers wait for each other's call-backs never has two in the middle, and need not: the other is then
  /// not held, since it would keep what is cancelled from ending.
  ///
  /// - Returns: what became of the other.
  func cancelling(
    _ transfer: @escaping @Sendable (@escaping TransferProgress) async throws -> Void,
    beside other: @escaping @Sendable (@escaping TransferProgress) async throws -> Void
  ) async throws -> Result<Void, any Error> {
    try await withTaskExecutorPreference(ThreadExecutor.shared) {
      let held = HeldTransfer(size: sizes.heldFile, patience: patience)
      defer { held.goOn() }
      var beside: Task<Void, any Error>?
      _ = try await holding(transfer) { task in
        beside = Task(executorPreference: ThreadExecutor.shared) {
          defer { held.end() }
          try await other(held.report)
        }
        if await !held.isReached(within: .seconds(1)) { held.goOn() }
        task.cancel()
      }
      held.goOn()
      let result = await beside?.result ?? .success(())
      try expect(
        !held.isGivenUp, "what was cancelled did not end within \(patience) while another transfer was held")
      return result
    }
  }
}

/// A transfer that stops in its progress call-back.
private struct HeldTransfer: Sendable {
  private let size: Int64
  private let patience: Duration
  private let reached: AsyncStream<Void>
  private let told: AsyncStream<Void>.Continuation
  private let goingOn = DispatchSemaphore(value: 0)
  private let state = Locked((isHeld: false, isGivenUp: false))

  init(size: Int, patience: Duration) {
    self.size = Int64(size)
    self.patience = patience
    (reached, told) = AsyncStream.makeStream()
  }

  /// Holds the transfer the first time that it is in the middle.
  ///
  /// What happens meanwhile could wait for this transfer, so it is not held for ever.
  func report(_ bytes: Int64) {
    guard bytes >= size / 3, bytes < size else { return }
    let isFirst = state.withLock { state in
      defer { state.isHeld = true }
      return !state.isHeld
    }
    guard isFirst else { return }
    told.yield()
    if goingOn.wait(timeout: .now() + .seconds(Int(patience.components.seconds))) == .timedOut {
      state.withLock { $0.isGivenUp = true }
    }
  }

  /// Waits until the transfer is in the middle.
  ///
  /// - Returns: whether it has been there; it may have ended without.
  func isReached() async -> Bool {
    for await _ in reached { return true }
    return false
  }

  /// Waits for a while until the transfer is in the middle.
  ///
  /// - Returns: whether it has been there.
  func isReached(within limit: Duration) async -> Bool {
    await withTaskGroup { group in
      group.addTask { await isReached() }
      group.addTask {
        try? await Task.sleep(for: limit)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  func goOn() { goingOn.signal() }
  func end() { told.finish() }
  var isGivenUp: Bool { state.withLock { $0.isGivenUp } }
}
