/// When a ``SyncScheduler`` synchronises by itself. All times are those of a clock that never steps.
public struct SyncSchedule: Hashable, Sendable {
  /// How long saves must have rested before they are sent.
  public var rest: Duration
  /// How long the first of them waits at most while others follow.
  public var longestRest: Duration
  /// How long notifications of the storage are gathered: one change often makes several.
  public var gathering: Duration
  /// How long after a synchronisation the next one begins that nothing asked for; `nil` for never. For storage that tells nothing.
  public var interval: Duration?
  /// Upper bound of the pause after a failure; it doubles with every further one in a row.
  public var firstPause: Duration
  /// Upper bound of every pause. A failure that does not pass by itself, a wrong password for instance, is followed by this one, unless the
  /// application saves: then by the pause that others are followed by.
  public var longestPause: Duration

  /// Saves rest 3 seconds, notifications half of one; otherwise every 5 minutes; pauses from 5 seconds to 15 minutes.
  public init(
    rest: Duration = .seconds(3), longestRest: Duration = .seconds(30),
    gathering: Duration = .milliseconds(500),
    interval: Duration? = .seconds(300), firstPause: Duration = .seconds(5),
    longestPause: Duration = .seconds(900)
  ) {
    self.rest = rest
    self.longestRest = longestRest
    self.gathering = gathering
    self.interval = interval
    self.firstPause = firstPause
    self.longestPause = longestPause
  }

  /// The pause after a number of failures in a row: between half of a bound that doubles and the whole, so that devices which failed
  /// together do not come back together.
  ///
  /// - Parameters:
  ///   - failures: at least 1.
  ///   - fraction: drawn evenly from 0 to 1.
  func pause(afterFailures failures: Int, fraction: Double) -> Duration {
    let bound = min(longestPause, firstPause * (1 << min(failures - 1, 30)))
    return bound * (0.5 + 0.5 * fraction)
  }
}
