import SyncProtocol

/// How long the test of a server may take: somebody waits for it, and a server that drips would hold it for hours.
struct ProbePatience: Sendable {
  /// For a file of a few bytes.
  var ofReading = Duration.seconds(15)
  /// For all that is asked.
  var ofAll = Duration.seconds(300)

  func reading<Result: Sendable>(
    _ what: String, at path: RemotePath,
    _ request: @escaping @Sendable () async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    try await within(ofReading, what, path, request)
  }

  func all<Result: Sendable>(
    _ what: String, at path: RemotePath,
    _ request: @escaping @Sendable () async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    try await within(ofAll, what, path, request)
  }

  /// Does something, and cancels it where it takes longer.
  private func within<Result: Sendable>(
    _ limit: Duration, _ what: String, _ path: RemotePath,
    _ request: @escaping @Sendable () async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    let outcome = await withTaskGroup(of: Swift.Result<Result, BackendError>?.self) { group in
      group.addTask {
        do throws(BackendError) { return .success(try await request()) } catch { return .failure(error) }
      }
      group.addTask {
        try? await Task.sleep(for: limit)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    guard !Task.isCancelled else { throw BackendError(.cancelled, path: path) }
    guard let outcome else {
      var failure = Failure(
        .unreachable, "\(what) was not delivered in \(limit.components.seconds) seconds", .awaitServer)
      (failure.timedOut, failure.wasTooSlow) = (true, true)
      throw failure.error(at: path)
    }
    return try outcome.get()
  }
}
