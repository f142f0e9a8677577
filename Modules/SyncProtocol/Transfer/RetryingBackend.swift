import Locking

/// Passes everything on to another back end and tries again what failed for a reason that passes. The managers wrap the back
/// end that they are given in one.
///
/// When an answer gets lost, the request may have taken effect: a second `createIfAbsent` that finds its own bytes, a
/// second `move` whose destination has appeared and a second `remove` that finds nothing therefore succeed.
public final class RetryingBackend: WrappingBackend {
  private let backend: any SyncBackend
  private let policy: RetryPolicy
  private let sleep: @Sendable (Duration) async throws -> Void
  private let state: Locked<State>

  private struct State {
    var random: any RandomNumberGenerator & Sendable
    var budget: RetryBudget
    var hangs: HangAllowance
  }

  /// Retries requests to `backend`.
  ///
  /// - Parameters:
  ///   - backend: what does the work.
  ///   - policy: how often and when to try again.
  ///   - pause: waits between attempts.
  ///   - random: draws the pauses.
  public init(
    _ backend: any SyncBackend, policy: RetryPolicy = RetryPolicy(),
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.backend = backend
    self.policy = policy
    self.sleep = pause
    state = Locked(State(random: random, budget: RetryBudget(policy), hangs: HangAllowance(policy)))
  }

  /// The back end behind.
  package var base: any SyncBackend { backend }

  /// Those of the back end behind.
  public var capabilities: BackendCapabilities { backend.capabilities }

  /// Forgets what has hung: another operation begins, which a person may have asked for.
  func renewPatience() { state.withLock { $0.hangs.renew() } }

  /// - Parameters:
  ///   - path: what the request is about.
  ///   - kind: what the request is for.
  ///   - isQuestion: whether no file goes along, so that only waiting takes long.
  ///   - request: the request.
  private func retrying<Result: Sendable>(
    _ path: RemotePath, _ kind: HangAllowance.Kind, isQuestion: Bool = false,
    _ request: (_ isRetry: Bool) async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    var decision = RetryDecision(policy: policy)
    while true {
      let start = ContinuousClock.now
      if let refusal = state.withLock({ $0.hangs.refusal(kind, of: path, at: start) }) { throw refusal }
      do throws(BackendError) {
        let result = try await request(decision.isRetry)
        state.withLock { $0.budget.succeeded() }
        return result
      } catch {
        let now = ContinuousClock.now
        if isQuestion { decision.took(now - start) }
        let pause = state.withLock { state -> Duration? in
          if error.timedOut { state.hangs.ran(into: error, kind, from: start, to: now) }
          let pause = decision.pause(after: error, &state.budget, &state.random)
          return error.timedOut && state.hangs.isSpent ? nil : pause
        }
        guard let pause else { throw error }
        do { try await sleep(pause) } catch { throw BackendError(.cancelled, path: path) }
      }
    }
  }

  /// Retried.
  public func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try await retrying(folder, .asking, isQuestion: true) { (_) async throws(BackendError) in
      try await backend.list(folder).withoutDoubles
    }
  }

  /// Retried.
  public func list(
    _ folder: RemotePath, after page: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage {
    try await retrying(folder, .asking, isQuestion: true) { (_) async throws(BackendError) in
      try await backend.list(folder, after: page)
    }
  }

  /// Retried.
  public func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    try await retrying(path, .asking, isQuestion: true) { (_) async throws(BackendError) in
      try await backend.stat(path)
    }
  }

  /// Retried.
  public func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await retrying(path, .reading) { (_) async throws(BackendError) in
      try await backend.download(path, limit: limit)
    }
  }

  /// Passed on; what does not come is asked for by itself, and that is retried.
  public func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    await backend.downloadAtOnce(names, in: folder, limit: limit)
  }

  /// Retried.
  public func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await retrying(path, .reading) { (_) async throws(BackendError) in
      try await backend.download(path, toFile: localPath, progress: progress)
    }
  }

  /// Retried.
  public func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await retrying(path, .writing) { (_) async throws(BackendError) in
      try await backend.upload(bytes, to: path)
    }
  }

  /// Retried.
  public func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await retrying(path, .writing) { (_) async throws(BackendError) in
      try await backend.upload(file: localPath, to: path, progress: progress)
    }
  }

  /// Retried; a file that already holds the same bytes counts as created by the attempt whose answer was lost.
  public func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await retrying(path, .writing) { (isRetry) async throws(BackendError) in
      do throws(BackendError) {
        try await backend.createIfAbsent(bytes, at: path)
      } catch {
        guard isRetry, error.code == .alreadyExists else { throw error }
        let existing = try? await download(path, limit: bytes.count)
        guard existing == bytes else { throw error }
      }
    }
  }

  /// Retried; a file that already holds the same bytes counts as created by the attempt whose answer was lost. To find out,
  /// it is downloaded beside the local file and compared, which takes constant memory.
  public func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await retrying(path, .writing) { (isRetry) async throws(BackendError) in
      do throws(BackendError) {
        try await backend.createIfAbsent(file: localPath, at: path, progress: progress)
      } catch {
        guard isRetry, error.code == .alreadyExists, await holds(path, theBytesOf: localPath) else {
          throw error
        }
      }
    }
  }

  private func holds(_ path: RemotePath, theBytesOf localPath: String) async -> Bool {
    // A file of another size need not be fetched.
    if let size = (try? await stat(path))?.size, size != LocalFile.size(of: localPath) { return false }
    let copy = "\(localPath).\(UInt64.random(in: .min ... .max)).compared"
    defer { LocalFile.remove(copy) }
    guard (try? await download(path, toFile: copy)) != nil else { return false }
    return LocalFile.areEqual(localPath, copy)
  }

  /// Retried.
  public func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    try await retrying(path, .writing, isQuestion: true) { (_) async throws(BackendError) in
      try await backend.makeDirectory(path)
    }
  }

  /// Retried; a source that is gone while the destination exists counts as moved by the attempt whose answer was lost.
  public func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await retrying(source, .writing, isQuestion: true) { (isRetry) async throws(BackendError) in
      do throws(BackendError) {
        try await backend.move(source, to: destination)
      } catch {
        guard isRetry, error.code == .notFound || error.code == .alreadyExists, await isPresent(destination),
          await !isPresent(source)
        else { throw error }
      }
    }
  }

  /// Retried; an entry that is gone counts as removed by the attempt whose answer was lost.
  public func remove(_ path: RemotePath) async throws(BackendError) {
    try await retrying(path, .writing, isQuestion: true) { (isRetry) async throws(BackendError) in
      do throws(BackendError) {
        try await backend.remove(path)
      } catch {
        guard isRetry, error.code == .notFound else { throw error }
      }
    }
  }

  private func isPresent(_ path: RemotePath) async -> Bool {
    (try? await stat(path)) != nil
  }

  /// Passed on.
  public func changes(below folder: RemotePath) -> AsyncStream<Void>? { backend.changes(below: folder) }
}
