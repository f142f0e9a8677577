/// Returns strictly increasing times that follow every time received, whatever the wall clock says.
///
/// A value type without I/O: the caller supplies the wall clock and stores ``last`` with the data it stamped.
public struct HybridLogicalClock: Sendable {
  /// The greatest time given or received so far.
  public private(set) var last: LogicalTime

  /// Continues after `last`.
  public init(last: LogicalTime = .zero) { self.last = last }

  /// The time of a new local change.
  ///
  /// - Parameter now: milliseconds since 1970 on this device's wall clock, which may be wrong or go backwards. From the year 4199 on
  ///   it is wrong, and is not looked at.
  public mutating func next(now: UInt64) -> LogicalTime {
    let wall = LogicalTime(milliseconds: now)
    // A counter that overflows carries into the milliseconds, which keeps the order.
    last = wall > last && wall < Self.far ? wall : min(last.next, .latest)
    return last
  }

  /// From here on, in the year 4199, a clock follows others only in small steps.
  ///
  /// No honest clock comes here. Somebody who sends a time just below the end of the valid ones would otherwise leave
  /// nobody any time to go on with. What is said of a cell that was written beyond is stamped after that cell instead.
  static let far = LogicalTime(milliseconds: 1 << 46)
  /// One second.
  private static let farStep: UInt64 = 1_000 << 16

  /// The greatest time that a clock may have come to that has met the greatest time which clocks follow, and has given many times since.
  static let greatest = LogicalTime(bits: far.bits + farStep + 1 << 24)

  /// Notes a time received from another author, so that later local changes follow it.
  public mutating func receive(_ time: LogicalTime) { receive(CollectionOfOne(time)) }

  /// Notes times received from another author, those that it can follow from where it is.
  public mutating func receive(_ times: some Sequence<LogicalTime>) {
    let clock = self
    let followed = times.lazy.filter { clock.isWithinReach($0) }.max()
    if let followed, LogicalTime.valid.contains(followed) { last = max(last, followed) }
  }

  /// Whether the clock follows a time that it receives.
  func isWithinReach(_ time: LogicalTime) -> Bool {
    time < Self.far || time <= LogicalTime(bits: max(last, Self.far).bits &+ Self.farStep)
  }

  /// How far a received time lies in the future of this device's wall clock, in milliseconds.
  public static func lead(of time: LogicalTime, over now: UInt64) -> UInt64 {
    time.milliseconds > now ? time.milliseconds - now : 0
  }
}
