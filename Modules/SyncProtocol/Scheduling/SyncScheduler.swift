/// Keeps a document in step by itself: after saves, when the storage tells of changes, now and then, and again after failures.
///
/// ```swift
/// let scheduler = SyncScheduler(document)
/// await scheduler.start()
/// for await outcome in await scheduler.outcomes { show(outcome) }
/// ```
/// Say when the application saved (``noteSave()``), when the network came or went (``networkChanged(isReachable:)``), and when the
/// application is not to be disturbed (``suspend()``, ``resume()``). One synchronisation runs at a time, and everything that asks for one
/// meanwhile is answered by one more. It ends with the last reference to it, or by ``stop()``.
public actor SyncScheduler {
  /// How one synchronisation ended.
  public typealias Outcome = Result<SyncReport, SyncError>

  private let synchronization: @Sendable () async throws(SyncError) -> SyncReport
  private let remoteChanges: @Sendable () -> AsyncStream<Void>?
  private let time: SchedulerTime
  private let schedule: SyncSchedule
  private var state: SchedulerState?
  private var running: Task<Void, Never>?
  private var alarm: Alarm?
  private var watching: Task<Void, Never>?
  private var begun: UInt64 = 0
  private var lastWaiter: UInt64 = 0
  private var waiters: [UInt64: Waiter] = [:]
  private var streams: [UInt64: AsyncStream<Outcome>.Continuation] = [:]

  private struct Alarm {
    var time: Duration
    var task: Task<Void, Never>
  }

  private struct Waiter {
    /// The synchronisation that answers it.
    var awaited: UInt64
    var continuation: CheckedContinuation<Outcome, Never>
  }

  /// Prepares to synchronise a document; does nothing until it is started.
  ///
  /// - Parameters:
  ///   - document: registered already.
  ///   - options: how each synchronisation is done.
  ///   - schedule: when they are done.
  public init(
    _ document: DocumentSyncManager, options: SyncOptions = SyncOptions(),
    schedule: SyncSchedule = SyncSchedule()
  ) {
    self.init(schedule: schedule, remoteChanges: { document.remoteChanges() }) {
      () async throws(SyncError) in try await document.synchronize(options)
    }
  }

  /// Prepares to synchronise something that is more than a document.
  ///
  /// - Parameters:
  ///   - schedule: when that is done.
  ///   - remoteChanges: yields when the remote may have changed.
  ///   - synchronization: is done by one task at a time.
  package init(
    schedule: SyncSchedule, remoteChanges: @escaping @Sendable () -> AsyncStream<Void>?,
    synchronization: @escaping @Sendable () async throws(SyncError) -> SyncReport
  ) {
    self.init(
      schedule: schedule, time: .continuous, remoteChanges: remoteChanges, synchronization: synchronization)
  }

  init(
    schedule: SyncSchedule, time: SchedulerTime, remoteChanges: @escaping @Sendable () -> AsyncStream<Void>?,
    synchronization: @escaping @Sendable () async throws(SyncError) -> SyncReport
  ) {
    self.schedule = schedule
    self.time = time
    self.remoteChanges = remoteChanges
    self.synchronization = synchronization
  }

  deinit {
    for task in [running, alarm?.task, watching] { task?.cancel() }
    for stream in streams.values { stream.finish() }
  }

  // MARK: Running

  /// Begins, with a synchronisation at once. Has no effect on a scheduler that has begun.
  public func start() {
    guard state == nil else { return }
    let now = time.now()
    state = SchedulerState(schedule: schedule, now: now)
    handle(.woken)
  }

  /// Ends: a synchronisation that runs is cancelled, and whoever waits is told. It may be started again.
  public func stop() {
    state = nil
    for task in [running, alarm?.task, watching] { task?.cancel() }
    (running, alarm, watching) = (nil, nil, nil)
    answer(.failure(.schedulerStopped)) { _ in true }
  }

  /// Synchronises by itself no more until ``resume()``. What runs goes on, and ``synchronize()`` still works.
  public func suspend() { handle(.suspended) }

  /// Synchronises by itself again, at once.
  public func resume() { handle(.resumed) }

  // MARK: What happened

  /// Notes that the application saved something.
  public func noteSave() { handle(.saved) }

  /// Notes that the remote may have changed, for storage that the application hears of in ways of its own.
  public func noteRemoteChange() { handle(.notified) }

  /// Notes that the network came or went. Without a network nothing is tried that nobody waits for.
  public func networkChanged(isReachable: Bool) { handle(.networkChanged(isReachable: isReachable)) }

  // MARK: Results

  /// Synchronises as soon as possible, and waits: for the first synchronisation that begins from now on.
  ///
  /// Several callers share one. A caller who is cancelled is told at once; the synchronisation goes on.
  /// - Throws: ``SyncError``, with `cancelled` also if the scheduler was stopped or never started.
  public func synchronize() async throws(SyncError) -> SyncReport {
    guard state != nil else { throw .schedulerStopped }
    lastWaiter += 1
    let number = lastWaiter
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
        guard !Task.isCancelled else {
          return continuation.resume(returning: .failure(SyncError(wrapping: CancellationError())))
        }
        waiters[number] = Waiter(awaited: begun + 1, continuation: continuation)
        handle(.requested)
      }
    } onCancel: {
      Task { await self.forget(number) }
    }
    return try outcome.get()
  }

  /// How synchronisations end from now on. A reader who is late misses all but the newest hundred.
  public var outcomes: AsyncStream<Outcome> {
    let (stream, continuation) = AsyncStream<Outcome>.makeStream(bufferingPolicy: .bufferingNewest(100))
    lastWaiter += 1
    let number = lastWaiter
    streams[number] = continuation
    continuation.onTermination = { [weak self] _ in Task { await self?.close(number) } }
    return stream
  }

  /// How many callers wait.
  var waiterCount: Int { waiters.count }

  private func close(_ number: UInt64) { streams[number] = nil }

  private func forget(_ number: UInt64) {
    waiters.removeValue(forKey: number)?.continuation.resume(
      returning: .failure(SyncError(wrapping: CancellationError())))
  }

  private func answer(_ outcome: Outcome, where isMeant: (Waiter) -> Bool) {
    for (number, waiter) in waiters where isMeant(waiter) {
      waiters[number] = nil
      waiter.continuation.resume(returning: outcome)
    }
  }

  // MARK: Decisions

  private func handle(_ event: SchedulerState.Event) {
    guard let decision = state?.handle(event, at: time.now()) else { return }
    if decision.starts { run() }
    setAlarm(decision.wakes)
  }

  private func setAlarm(_ wakes: Duration?) {
    // One that goes off too early only leads to a look at the state: a thousand saves in a row set one alarm.
    if let alarm, let wakes, alarm.time <= wakes { return }
    alarm?.task.cancel()
    alarm = wakes.map { wakes in
      let pause = wakes - time.now()
      let task = Task { [weak self, time] in
        do { try await time.sleep(pause) } catch { return }
        await self?.wake()
      }
      return Alarm(time: wakes, task: task)
    }
  }

  private func wake() {
    // One that was replaced while it went off does not count.
    guard !Task.isCancelled else { return }
    alarm = nil
    handle(.woken)
  }

  private func run() {
    begun += 1
    let number = begun
    running = Task { [weak self, synchronization] in
      let outcome: Outcome
      do throws(SyncError) { outcome = .success(try await synchronization()) } catch {
        outcome = .failure(error)
      }
      await self?.ended(outcome, number)
    }
  }

  private func ended(_ outcome: Outcome, _ number: UInt64) {
    guard !Task.isCancelled else { return }
    running = nil
    for stream in streams.values { stream.yield(outcome) }
    answer(outcome) { $0.awaited <= number }
    switch outcome {
    case .success:
      watch()
      handle(.succeeded)
    case .failure(let error):
      handle(
        .failed(
          retryAfter: error.backendError?.retryAfter, passes: error.isTransient,
          fraction: Double.random(in: 0...1)))
    }
  }

  /// Listens to the storage, from the first synchronisation that succeeded on, and again whenever the stream has ended.
  private func watch() {
    guard watching == nil, let changes = remoteChanges() else { return }
    watching = Task { [weak self] in
      for await _ in changes { await self?.noteRemoteChange() }
      await self?.stopWatching()
    }
  }

  private func stopWatching() {
    if !Task.isCancelled { watching = nil }
  }
}

extension SyncError {
  fileprivate static let schedulerStopped = SyncError(
    .cancelled, "Synchronisation is not scheduled.", recovery: "Start the scheduler, or synchronise yourself."
  )
}

/// The clock of a scheduler.
struct SchedulerTime: Sendable {
  /// Time since some fixed moment.
  var now: @Sendable () -> Duration
  /// Waits, unless the task is cancelled.
  var sleep: @Sendable (Duration) async throws -> Void

  /// Goes on while the device sleeps.
  static var continuous: SchedulerTime {
    let clock = ContinuousClock()
    let start = clock.now
    return SchedulerTime(now: { clock.now - start }, sleep: { try await clock.sleep(for: $0) })
  }
}
