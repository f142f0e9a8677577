import ByteFixtures
import Testing

@testable import SyncProtocol

/// When a scheduler synchronises, decided without a clock.
@Suite struct SchedulerStateTests {
  private let schedule = SyncSchedule()

  /// A scheduler whose first synchronisation has succeeded at second 0.
  private func idle() -> SchedulerState {
    var state = SchedulerState(schedule: schedule, now: .zero)
    #expect(state.handle(.woken, at: .zero).starts)
    #expect(state.handle(.succeeded, at: .zero) == .init(wakes: .seconds(300)))
    return state
  }

  @Test func `saves rest before they are sent, but not for ever`() {
    var state = idle()
    var now = Duration.seconds(10)
    var wakes: Duration?

    while now < .seconds(60) {
      let decision = state.handle(.saved, at: now)
      if decision.starts { break }
      wakes = decision.wakes
      now += .seconds(2)
    }

    #expect(wakes == .seconds(40))
    #expect(now == .seconds(40))
  }

  @Test func `a save that rests is sent after three seconds`() {
    var state = idle()

    #expect(state.handle(.saved, at: .seconds(10)) == .init(wakes: .seconds(13)))
    #expect(state.handle(.woken, at: .seconds(13)) == .init(starts: true))
  }

  @Test func `whatever asks while one runs gets one more, and only one`() {
    var state = idle()
    #expect(state.handle(.requested, at: .seconds(1)).starts)
    for event in [SchedulerState.Event.requested, .saved, .notified, .requested] {
      #expect(state.handle(event, at: .seconds(2)) == .init())
    }

    #expect(state.handle(.succeeded, at: .seconds(3)).starts)
    #expect(state.handle(.succeeded, at: .seconds(4)) == .init(wakes: .seconds(304)))
  }

  @Test func `failures are followed by growing pauses, which only a caller or the network ends`() {
    var state = idle()
    var now = Duration.seconds(10)
    var pauses: [Duration] = []
    #expect(state.handle(.requested, at: now).starts)
    for _ in 0..<12 {
      let decision = state.handle(.failed(retryAfter: nil, passes: true, fraction: 1), at: now)
      pauses.append((decision.wakes ?? now) - now)
      #expect(state.handle(.saved, at: now) == decision)
      #expect(state.handle(.notified, at: now) == decision)
      now = decision.wakes ?? now
      #expect(state.handle(.woken, at: now).starts)
    }

    #expect(pauses.prefix(4) == [.seconds(5), .seconds(10), .seconds(20), .seconds(40)])
    #expect(pauses.last == schedule.longestPause)
    _ = state.handle(.failed(retryAfter: nil, passes: true, fraction: 1), at: now)
    #expect(state.handle(.networkChanged(isReachable: true), at: now).starts)
    _ = state.handle(.failed(retryAfter: nil, passes: true, fraction: 1), at: now)
    #expect(state.handle(.requested, at: now).starts)
  }

  @Test func `storage that asks to wait is not asked before`() {
    var state = idle()
    _ = state.handle(.requested, at: .zero)

    let decision = state.handle(.failed(retryAfter: .seconds(3_600), passes: true, fraction: 0), at: .zero)

    #expect(decision == .init(wakes: .seconds(3_600)))
  }

  @Test func `storage that asks to wait for days is asked again after an hour`() {
    var state = idle()
    _ = state.handle(.requested, at: .zero)

    let decision = state.handle(.failed(retryAfter: .seconds(86_400), passes: true, fraction: 0), at: .zero)

    #expect(decision == .init(wakes: .seconds(3_600)))
  }

  @Test func `what does not pass by itself is tried again after the longest pause`() {
    var state = idle()
    _ = state.handle(.requested, at: .zero)

    let decision = state.handle(.failed(retryAfter: nil, passes: false, fraction: 0), at: .zero)

    #expect(decision == .init(wakes: schedule.longestPause))
  }

  @Test func `after a failure that does not pass, who saves need not wait for long, but longer each time`() {
    var state = idle()
    var now = Duration.seconds(10)
    var pauses: [Duration] = []
    #expect(state.handle(.requested, at: now).starts)
    for _ in 0..<12 {
      let failed = state.handle(.failed(retryAfter: nil, passes: false, fraction: 1), at: now)
      #expect(failed == .init(wakes: now + schedule.longestPause))
      let saved = state.handle(.saved, at: now)
      pauses.append((saved.wakes ?? now) - now)
      now = saved.wakes ?? now
      #expect(state.handle(.woken, at: now).starts)
    }
    #expect(pauses.first == schedule.firstPause)
    #expect(pauses == pauses.sorted() && pauses.last == schedule.longestPause)
  }

  @Test func `who saves after a failure does not come before the storage asked for it`() {
    var state = idle()
    #expect(state.handle(.requested, at: .seconds(1)).starts)
    _ = state.handle(.failed(retryAfter: .seconds(100), passes: false, fraction: 0), at: .seconds(1))
    #expect(state.handle(.saved, at: .seconds(2)) == .init(wakes: .seconds(101)))
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `whatever happens in whatever order, one runs at a time, none is forgotten, and none is for nothing`(
    _ seed: UInt64
  ) {
    var run = ScheduledRun(seed: seed)

    run.play(steps: 300)

    #expect(run.violations.isEmpty, "\(run.violations)")
    #expect(run.starts > 10)
  }
}

/// Random events against a ``SchedulerState``, with a clock of their own.
private struct ScheduledRun {
  private var random: SeededGenerator
  private var state: SchedulerState
  private let schedule = SyncSchedule(interval: .seconds(100))
  private var now = Duration.zero
  private var alarm: Duration?
  private var isRunning = false
  private var isSuspended = false
  private var isReachable = true
  /// The pause after a failure ends between these.
  private var pause = Duration.zero...Duration.zero
  /// Before when nothing may run after a failure, though something was saved.
  private var afterSaves = Duration.zero
  private var isAwaited = false
  /// When the oldest save was made that no synchronisation has begun after.
  private var save: Duration?
  /// Since when nothing hinders that it is sent.
  private var unhindered = Duration.zero
  private(set) var starts = 0
  private(set) var violations: [String] = []

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    state = SchedulerState(schedule: schedule, now: .zero)
    send(.woken)
  }

  mutating func play(steps: Int) {
    for _ in 0..<steps {
      pass(.milliseconds(Int.random(in: 0...20_000, using: &random)))
      step()
    }
  }

  private mutating func step() {
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<4:
      save = save ?? now
      send(.saved)
    case 4: send(.notified)
    case 5:
      isAwaited = true
      send(.requested)
    case 6:
      hinder { $0.isSuspended = true }
      send(.suspended)
    case 7:
      if isSuspended { pause = now...now }
      hinder { $0.isSuspended = false }
      send(.resumed)
    case 8:
      let reachable = Bool.random(using: &random)
      if reachable { pause = now...now }
      hinder { $0.isReachable = reachable }
      send(.networkChanged(isReachable: reachable))
    default: end()
    }
  }

  private mutating func hinder(_ change: (inout ScheduledRun) -> Void) {
    change(&self)
    unhindered = now
  }

  private mutating func end() {
    guard isRunning else { return }
    isRunning = false
    unhindered = now
    if Int.random(in: 0..<3, using: &random) > 0 {
      pause = now...now
      send(.succeeded)
    } else {
      let asked = Bool.random(using: &random) ? Duration.seconds(50) : nil
      let passes = Int.random(in: 0..<4, using: &random) > 0
      let latest = now + max(asked ?? .zero, schedule.longestPause)
      afterSaves = now + max(asked ?? .zero, schedule.firstPause / 2)
      pause = (passes ? afterSaves : latest)...latest
      send(.failed(retryAfter: asked, passes: passes, fraction: .random(in: 0...1, using: &random)))
    }
  }

  /// Lets time pass, with the alarms that go off meanwhile.
  private mutating func pass(_ duration: Duration) {
    let end = now + duration
    while let alarm, alarm <= end {
      now = max(now, alarm)
      self.alarm = nil
      send(.woken)
    }
    now = end
    let hinders = isRunning || isSuspended || !isReachable
    if let save, !hinders, now > max(save, unhindered, pause.upperBound) + schedule.longestRest {
      violations.append("a save of \(save) is not sent at \(now)")
    }
  }

  private mutating func send(_ event: SchedulerState.Event) {
    let decision = state.handle(event, at: now)
    alarm = decision.wakes
    if let alarm, alarm <= now { violations.append("an alarm for \(alarm) is set at \(now)") }
    guard decision.starts else { return }
    if isRunning { violations.append("two run at \(now)") }
    if !isAwaited {
      if isSuspended || !isReachable { violations.append("one runs although it is hindered, at \(now)") }
      let earliest = save == nil ? pause.lowerBound : min(afterSaves, pause.lowerBound)
      if now < earliest { violations.append("one runs at \(now), before \(earliest)") }
    }
    starts += 1
    (isRunning, isAwaited, save) = (true, false, nil)
  }
}
