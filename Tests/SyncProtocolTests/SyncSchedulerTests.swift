import Testing

@testable import SyncProtocol

/// A scheduler at work: what it starts, whom it answers, and how it ends.
@Suite(.timeLimit(.minutes(10))) struct SyncSchedulerTests {
  private let time = ManualTime()
  private let work = Work()

  private func scheduler(_ changes: AsyncStream<Void>? = nil) -> SyncScheduler {
    SyncScheduler(
      schedule: SyncSchedule(interval: nil), time: time.scheduler, remoteChanges: { changes },
      synchronization: { [work] () async throws(SyncError) in try await work.run() })
  }

  @Test func `it synchronises at once, and after a save has rested`() async throws {
    let scheduler = scheduler()
    await scheduler.start()
    try await work.finish(1)

    for _ in 0..<100 { await scheduler.noteSave() }
    try await time.pass(.seconds(3))
    try await work.finish(2)

    #expect(work.begun == 2)
  }

  @Test func `callers share the first synchronisation that begins after they asked`() async throws {
    let scheduler = scheduler()
    await scheduler.start()
    try await work.begins(1)
    async let one = scheduler.synchronize()
    async let two = scheduler.synchronize()
    while await scheduler.waiterCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
    try await work.finish(1)
    try await work.finish(2)

    #expect(try await one.pushed == 2)
    #expect(try await two.pushed == 2)
    #expect(work.begun == 2)
  }

  @Test func `a caller who gives up is told at once, and the synchronisation goes on`() async throws {
    let scheduler = scheduler()
    await scheduler.start()
    try await work.finish(1)
    let caller = Task { try await scheduler.synchronize() }
    try await work.begins(2)

    caller.cancel()

    await #expect(throws: SyncError.self) { try await caller.value }
    let outcomes = await scheduler.outcomes
    try await work.finish(2)
    for await outcome in outcomes {
      #expect(try outcome.get().pushed == 2)
      break
    }
  }

  @Test func `a failure is told, and tried again after a pause`() async throws {
    let scheduler = scheduler()
    let outcomes = await scheduler.outcomes
    await scheduler.start()
    try await work.fail(1, SyncError(wrapping: BackendError(.unreachable, path: .root)))
    for await outcome in outcomes {
      #expect(throws: SyncError.self) { try outcome.get() }
      break
    }

    try await time.pass(.seconds(5))
    try await work.begins(2)
  }

  @Test func `what the storage tells is synchronised`() async throws {
    let (changes, continuation) = AsyncStream<Void>.makeStream()
    let scheduler = scheduler(changes)
    await scheduler.start()
    try await work.finish(1)

    continuation.yield()
    try await time.pass(.milliseconds(500))
    try await work.begins(2)
  }

  @Test func `whoever waits when it is stopped is told, and what runs is cancelled`() async throws {
    let scheduler = scheduler()
    await scheduler.start()
    try await work.begins(1)
    let caller = Task { try await scheduler.synchronize() }
    while await scheduler.waiterCount < 1 { try await Task.sleep(for: .milliseconds(1)) }

    await scheduler.stop()

    await #expect(throws: SyncError.self) { try await caller.value }
    try await work.isCancelled(1)
    await #expect(throws: SyncError.self) { try await scheduler.synchronize() }
  }

  @Test func `it ends with the last reference to it`() async throws {
    var scheduler: SyncScheduler? = scheduler()
    await scheduler?.start()
    try await work.finish(1)
    weak let remains = scheduler

    scheduler = nil

    while remains != nil { try await Task.sleep(for: .milliseconds(1)) }
  }
}

/// Synchronisations that end when a test says so. The report of each counts as pushed which one it was.
private final class Work: Sendable {
  private struct State {
    var begun = 0
    var cancelled: Set<Int> = []
    var outcomes: [Int: Result<SyncReport, SyncError>] = [:]
  }
  private let state = Watched(State())

  var begun: Int { state.value.begun }

  func run() async throws(SyncError) -> SyncReport {
    let number = state.update { state in
      state.begun += 1
      return state.begun
    }
    do {
      try await state.wait { $0.outcomes[number] != nil }
    } catch {
      state.update { _ = $0.cancelled.insert(number) }
      throw SyncError(wrapping: error)
    }
    guard let outcome = state.value.outcomes[number] else { throw SyncError(wrapping: CancellationError()) }
    return try outcome.get()
  }

  func begins(_ number: Int) async throws { try await state.wait { $0.begun >= number } }

  func isCancelled(_ number: Int) async throws { try await state.wait { $0.cancelled.contains(number) } }

  func finish(_ number: Int) async throws {
    try await begins(number)
    var report = SyncReport()
    report.pushed = number
    state.update { [report] in $0.outcomes[number] = .success(report) }
  }

  func fail(_ number: Int, _ error: SyncError) async throws {
    try await begins(number)
    state.update { $0.outcomes[number] = .failure(error) }
  }
}

/// A clock that a test moves.
private final class ManualTime: Sendable {
  private struct State {
    var now = Duration.zero
    var sleepers = 0
  }
  private let state = Watched(State())

  var scheduler: SchedulerTime {
    SchedulerTime(
      now: { [state] in state.value.now },
      sleep: { [state] pause in
        let end = state.update { state in
          state.sleepers += 1
          return state.now + pause
        }
        defer { state.update { $0.sleepers -= 1 } }
        try await state.wait { $0.now >= end }
      })
  }

  /// Moves the clock once somebody waits for it.
  func pass(_ duration: Duration) async throws {
    try await state.wait { $0.sleepers > 0 }
    state.update { $0.now += duration }
  }
}
