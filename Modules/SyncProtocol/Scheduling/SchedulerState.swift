/// Decides when to synchronise: idle, running, or running with one more to follow. A value without I/O, clock or chance.
///
/// Everything that happens goes through ``handle(_:at:)``, with times of one clock that never steps. At most one synchronisation runs;
/// whatever asks for one meanwhile, and however often, leads to one more.
struct SchedulerState {
  /// Something that happened.
  enum Event {
    /// The application saved.
    case saved
    /// The storage told of a change.
    case notified
    /// Somebody waits for a synchronisation that begins from now on.
    case requested
    /// The time came that was asked for.
    case woken
    case succeeded
    /// - Parameters:
    ///   - retryAfter: how long the storage asks to wait.
    ///   - passes: whether the failure may pass by itself.
    ///   - fraction: drawn evenly from 0 to 1, for the pause.
    case failed(retryAfter: Duration?, passes: Bool, fraction: Double)
    case networkChanged(isReachable: Bool)
    case suspended
    case resumed
  }

  /// What is to be done now.
  struct Decision: Equatable {
    /// Whether to start a synchronisation.
    var starts = false
    /// When to send ``Event/woken``; replaces what was asked for before. `nil` for not at all.
    var wakes: Duration?
  }

  /// How long storage is not asked again at most because it said so: one wrong answer must not silence a device for days.
  private static let longestAsked = Duration.seconds(3_600)

  let schedule: SyncSchedule
  private(set) var isRunning = false
  private(set) var isSuspended = false
  private(set) var isReachable = true
  private(set) var failures = 0
  private var isRequested = false
  private var firstSave: Duration?
  private var lastSave: Duration?
  private var notification: Duration?
  private var timer: Duration?
  private var retry: Duration?
  /// Before when nothing is tried again after a failure, whatever is saved.
  private var earliestRetry = Duration.zero

  /// Begins idle, with a first synchronisation due at once.
  init(schedule: SyncSchedule, now: Duration) {
    self.schedule = schedule
    timer = now
  }

  /// Takes notice of an event, and decides.
  mutating func handle(_ event: Event, at now: Duration) -> Decision {
    note(event, at: now)
    guard let due = due(at: now) else { return Decision() }
    guard due <= now else { return Decision(wakes: due) }
    begin()
    return Decision(starts: true)
  }

  private mutating func note(_ event: Event, at now: Duration) {
    switch event {
    case .saved:
      firstSave = firstSave ?? now
      lastSave = now
    case .notified: notification = notification ?? now + schedule.gathering
    case .requested: isRequested = true
    case .woken: break
    case .succeeded:
      isRunning = false
      failures = 0
      retry = nil
      timer = schedule.interval.map { now + $0 }
    case .failed(let retryAfter, let passes, let fraction):
      isRunning = false
      failures += 1
      let pause = schedule.pause(afterFailures: failures, fraction: fraction)
      earliestRetry = now + max(pause, min(retryAfter ?? .zero, Self.longestAsked))
      retry = passes ? earliestRetry : max(earliestRetry, now + schedule.longestPause)
    case .networkChanged(let isReachable):
      // What failed for want of a network need not wait for its turn.
      if isReachable { hurry(at: now) }
      self.isReachable = isReachable
    case .suspended: isSuspended = true
    case .resumed:
      if isSuspended { hurry(at: now) }
      isSuspended = false
    }
  }

  private mutating func hurry(at now: Duration) {
    timer = now
    if retry != nil { (retry, earliestRetry) = (now, now) }
  }

  private func due(at now: Duration) -> Duration? {
    guard !isRunning else { return nil }
    if isRequested { return now }
    guard !isSuspended, isReachable else { return nil }
    var rested: Duration?
    if let firstSave, let lastSave {
      rested = min(lastSave + schedule.rest, firstSave + schedule.longestRest)
    }
    // While synchronisation fails, everything waits for the next attempt. Who saves is there, and may have mended what does not pass.
    if let retry { return rested.map { min(retry, max($0, earliestRetry)) } ?? retry }
    return [rested, notification, timer].compactMap(\.self).min()
  }

  /// What asked for a synchronisation so far is answered by the one that begins now.
  private mutating func begin() {
    isRunning = true
    isRequested = false
    (firstSave, lastSave, notification, timer) = (nil, nil, nil, nil)
  }
}
