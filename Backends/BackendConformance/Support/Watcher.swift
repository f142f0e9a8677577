/// Counts what a stream of changes tells.
actor Watcher {
  private var count = 0
  private var seen = 0
  private(set) var isEnded = false
  private var reader: Task<Void, Never>?

  func read(_ stream: AsyncStream<Void>) {
    // However many tasks of other tests wait for a thread.
    reader = Task(executorPreference: ThreadExecutor.shared) { [weak self] in
      for await _ in stream { await self?.note() }
      await self?.end()
    }
  }

  deinit { reader?.cancel() }

  private func note() { count += 1 }
  private func end() { isEnded = true }

  /// Waits until nothing has been told for a while, so that what is told next is of what is done next.
  ///
  /// A stream that never falls silent is not waited for: that it should is a law of its own.
  func waitUntilQuiet() async {
    for _ in 0..<25 {
      seen = count
      try? await Task.sleep(for: .milliseconds(60))
      if seen == count { return }
    }
    seen = count
  }

  /// Lets what is told from now on be news.
  func forget() { seen = count }

  /// Ends the stream, and waits until it has ended.
  func giveUp() async {
    reader?.cancel()
    await reader?.value
  }

  /// Whether something is told. Nothing is by a stream that has ended.
  func isTold(within limit: Duration) async -> Bool {
    _ = await comes(within: limit) { count != seen || isEnded }
    return count != seen
  }

  /// Whether something is told, or the stream has ended, so that whoever reads it knows to ask again.
  func isToldOrEnded(within limit: Duration) async -> Bool {
    await comes(within: limit) { count != seen || isEnded }
  }

  private func comes(within limit: Duration, _ condition: () -> Bool) async -> Bool {
    let start = ContinuousClock.now
    while !condition() {
      guard ContinuousClock.now - start < limit else { return false }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return true
  }

  /// How many times something is told in answer to what tells nothing.
  ///
  /// - Parameter action: done twenty times. After each is waited a little, and no longer than until something is told.
  func countTold(after action: @Sendable () async throws -> Void) async rethrows -> Int {
    var told = 0
    for _ in 0..<20 where !isEnded {
      seen = count
      try await action()
      if await isTold(within: .milliseconds(30)) { told += 1 }
    }
    return told
  }
}
