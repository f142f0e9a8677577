/// How often and how long a failed request is tried again.
public struct RetryPolicy: Hashable, Sendable {
  /// Greatest number of attempts of one request, the first included; at least 1.
  public var attempts: Int
  /// Upper bound of the first pause; it doubles with every further attempt.
  public var firstPause: Duration
  /// Upper bound of every pause.
  public var longestPause: Duration
  /// All pauses of one request together, and what its attempts have taken if it only asks: who listens and never answers is not
  /// waited for again and again.
  public var budget: Duration
  /// How many requests in a row may be tried again, all tasks together, before successes must permit more.
  public var retries: Int
  /// How many retries one successful request permits; at least 0.
  public var share: Double
  /// How long requests may hang, all together, before no further one of their kind is made, or not for the one file that hangs: for the
  /// rest of an operation, or until nothing has hung for two minutes.
  public var patience: Duration

  /// Five attempts, pauses from a quarter of a second, within one minute; 20 retries in a row, and then one for each ten
  /// requests that succeed; two minutes for what hangs.
  public init(
    attempts: Int = 5, firstPause: Duration = .milliseconds(250), longestPause: Duration = .seconds(20),
    budget: Duration = .seconds(60), retries: Int = 20, share: Double = 0.1,
    patience: Duration = .seconds(120)
  ) {
    self.attempts = max(1, attempts)
    self.firstPause = firstPause
    self.longestPause = longestPause
    self.budget = budget
    self.retries = max(0, retries)
    self.share = max(0, share)
    self.patience = max(.zero, patience)
  }

  /// Nothing is tried again.
  public static let never = RetryPolicy(attempts: 1)
}

/// Decides after each failure of one request whether and when to try again.
///
/// Exponential back-off with full jitter (Brooker, "Exponential Backoff And Jitter", 2015): each pause is drawn evenly
/// between nothing and a bound that doubles. A pause that the service itself asks for is the least that is waited.
/// A value without I/O: the caller supplies the random numbers and does the waiting.
struct RetryDecision {
  private let policy: RetryPolicy
  /// How often one request may run into a time limit: once the connection may have been at fault, or the moment.
  private static let timeOutLimit = 2
  private var failures = 0
  private var timeOuts = 0
  private var waited = Duration.zero

  init(policy: RetryPolicy) { self.policy = policy }

  /// Whether this request failed before, so that an earlier attempt may have taken effect unnoticed.
  var isRetry: Bool { failures > 0 }

  /// Counts the time that an attempt took as one that was waited.
  mutating func took(_ time: Duration) { waited += time }

  /// How long to wait before the next attempt; `nil` to give up.
  mutating func pause(
    after error: BackendError, _ budget: inout RetryBudget, _ random: inout some RandomNumberGenerator
  ) -> Duration? {
    failures += 1
    guard error.code.isTransient, !error.wasAwaited else { return nil }
    if error.timedOut { timeOuts += 1 }
    let isPermitted = budget.permits
    budget.failed()
    guard failures < policy.attempts, timeOuts < Self.timeOutLimit, isPermitted else { return nil }
    let doublings = min(failures - 1, 30)
    let bound = min(policy.longestPause, policy.firstPause * (1 << doublings))
    var pause = bound * (Double(random.next() as UInt64 >> 11) / 0x1p53)
    if let asked = error.retryAfter { pause += asked }
    waited += pause
    return waited <= policy.budget ? pause : nil
  }
}
