import Locking

/// Passes everything on to another back end, and tells what has been waited for long: a drive that never answers holds up whoever asks it,
/// and nobody would say so.
///
/// Nothing is ended, since what comes slowly may come after all; whoever has waited long enough cancels the task. Safe to use from any
/// task.
///
/// ```swift
/// let storage = WaitingBackend(FileManagerBackend(folder: path)) { wait in
///   print("“\(wait.path)” has not come for \(wait.duration)")
/// }
/// ```
public final class WaitingBackend: WrappingBackend {
  /// The back end behind.
  package let base: any SyncBackend
  private let watch: Watch

  /// Watches requests to `backend`.
  ///
  /// - Parameters:
  ///   - backend: what does the work.
  ///   - patience: how long nothing is to have come of a request for it to be told of; as long as nothing does, that is said again each time
  ///     after twice as long.
  ///   - notice: told what is waited for, on a task of its own.
  public init(
    _ backend: any SyncBackend, after patience: Duration = .seconds(20),
    notice: @escaping @Sendable (StorageWait) -> Void
  ) {
    base = backend
    watch = Watch(patience: patience, notice: notice)
  }

  /// Those of the back end behind.
  public var capabilities: BackendCapabilities { base.capabilities }

  /// Passed on.
  public func changes(below folder: RemotePath) -> AsyncStream<Void>? { base.changes(below: folder) }

  /// Looks after the requests while there are any.
  private final class Watch: Sendable {
    private struct State {
      var pending: PendingRequests
      var isLooking = false
    }

    private let state: Locked<State>
    private let interval: Duration
    private let notice: @Sendable (StorageWait) -> Void

    init(patience: Duration, notice: @escaping @Sendable (StorageWait) -> Void) {
      state = Locked(State(pending: PendingRequests(patience: patience)))
      interval = patience / 4
      self.notice = notice
    }

    func begin(_ path: RemotePath) -> UInt64 {
      let (number, mustLook) = state.withLock { state in
        defer { state.isLooking = true }
        return (state.pending.begin(path, at: .now), !state.isLooking)
      }
      if mustLook { Task.detached(priority: .utility) { await self.look() } }
      return number
    }

    func progress(_ number: UInt64) { state.withLock { $0.pending.progress(number, at: .now) } }

    func end(_ number: UInt64) { state.withLock { $0.pending.end(number) } }

    private func look() async {
      while true {
        // Nobody cancels this task; it ends at the first look that finds nothing to look after.
        try? await Task.sleep(for: interval)
        let (wait, isOver) = state.withLock { state in
          let wait = state.pending.wait(at: .now)
          state.isLooking = !state.pending.isEmpty
          return (wait, !state.isLooking)
        }
        if let wait { notice(wait) }
        if isOver { return }
      }
    }
  }

  private func waiting<Result: Sendable>(
    for path: RemotePath, _ request: (_ number: UInt64) async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    let number = watch.begin(path)
    defer { watch.end(number) }
    return try await request(number)
  }

  /// Told how far a transfer is, and that it is not waited for.
  private func noting(_ number: UInt64, _ progress: @escaping TransferProgress) -> TransferProgress {
    let watch = watch
    return { count in
      watch.progress(number)
      progress(count)
    }
  }

  /// Told of.
  public func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    try await waiting(for: folder) { (_) async throws(BackendError) in try await base.list(folder) }
  }

  /// Told of.
  public func list(
    _ folder: RemotePath, after page: ListingPage.Token?
  ) async throws(BackendError) -> ListingPage {
    try await waiting(for: folder) { (_) async throws(BackendError) in
      try await base.list(folder, after: page)
    }
  }

  /// Told of.
  public func stat(_ path: RemotePath) async throws(BackendError) -> RemoteEntry {
    try await waiting(for: path) { (_) async throws(BackendError) in try await base.stat(path) }
  }

  /// Told of.
  public func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    try await waiting(for: path) { (_) async throws(BackendError) in
      try await base.download(path, limit: limit)
    }
  }

  /// Told of, by the folder.
  public func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    let number = watch.begin(folder)
    defer { watch.end(number) }
    return await base.downloadAtOnce(names, in: folder, limit: limit)
  }

  /// Told of when no more of it comes.
  public func download(
    _ path: RemotePath, toFile localPath: String, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await waiting(for: path) { (number) async throws(BackendError) in
      try await base.download(path, toFile: localPath, progress: noting(number, progress))
    }
  }

  /// Told of.
  public func upload(_ bytes: [UInt8], to path: RemotePath) async throws(BackendError) {
    try await waiting(for: path) { (_) async throws(BackendError) in try await base.upload(bytes, to: path) }
  }

  /// Told of when no more of it goes.
  public func upload(
    file localPath: String, to path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await waiting(for: path) { (number) async throws(BackendError) in
      try await base.upload(file: localPath, to: path, progress: noting(number, progress))
    }
  }

  /// Told of.
  public func createIfAbsent(_ bytes: [UInt8], at path: RemotePath) async throws(BackendError) {
    try await waiting(for: path) { (_) async throws(BackendError) in
      try await base.createIfAbsent(bytes, at: path)
    }
  }

  /// Told of when no more of it goes.
  public func createIfAbsent(
    file localPath: String, at path: RemotePath, progress: @escaping TransferProgress
  ) async throws(BackendError) {
    try await waiting(for: path) { (number) async throws(BackendError) in
      try await base.createIfAbsent(file: localPath, at: path, progress: noting(number, progress))
    }
  }

  /// Told of.
  public func makeDirectory(_ path: RemotePath) async throws(BackendError) {
    try await waiting(for: path) { (_) async throws(BackendError) in try await base.makeDirectory(path) }
  }

  /// Told of.
  public func move(_ source: RemotePath, to destination: RemotePath) async throws(BackendError) {
    try await waiting(for: source) { (_) async throws(BackendError) in
      try await base.move(source, to: destination)
    }
  }

  /// Told of.
  public func remove(_ path: RemotePath) async throws(BackendError) {
    try await waiting(for: path) { (_) async throws(BackendError) in try await base.remove(path) }
  }
}
