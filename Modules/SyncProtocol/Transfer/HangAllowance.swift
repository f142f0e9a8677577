/// How long requests may hang, all of them together, before those of their kind are not made any more.
///
/// A file that hangs costs as long as the back end waits, and of a server that hangs on one there are often many: an operation that
/// asked for each of them would end after hours. A single one is no reason to refuse others: where only one has hung, it alone is not
/// asked for again. Kinds of requests are apart from each other, so that what was made here goes out although nothing can be read.
/// Whoever begins another operation begins anew, and so does time: what hangs now and then is tried again each time.
///
/// A value without I/O: the caller says what time it is.
struct HangAllowance {
  /// What a request is for.
  enum Kind: Hashable, Sendable {
    /// Lists or examines.
    case asking
    /// Brings the content of a file.
    case reading
    /// Writes, moves or removes.
    case writing
  }

  /// What hung longer ago than this is forgotten.
  private static let memory = Duration.seconds(120)
  private let patience: Duration
  private var hung = Duration.zero
  private var end: ContinuousClock.Instant?
  private var hanging: [Kind: Hanging] = [:]

  private struct Hanging {
    var last: BackendError
    var paths: Set<RemotePath>
  }

  init(_ policy: RetryPolicy) { patience = policy.patience }

  /// Whether nothing that hung is waited for again.
  var isSpent: Bool { hung >= patience }

  /// Why a request is not made; `nil` if it may be.
  mutating func refusal(
    _ kind: Kind, of path: RemotePath, at now: ContinuousClock.Instant
  ) -> BackendError? {
    forget(before: now)
    guard isSpent, let hanging = hanging[kind], hanging.paths.count > 1 || hanging.paths.contains(path)
    else { return nil }
    var failure = hanging.last
    failure.path = path
    return failure
  }

  /// Counts a request that ran into a time limit. What hung at the same time counts once, and no request more than half of what
  /// there is: that of a large file may have gone on for long before it hung.
  mutating func ran(
    into failure: BackendError, _ kind: Kind, from start: ContinuousClock.Instant,
    to now: ContinuousClock.Instant
  ) {
    forget(before: start)
    hung += min(now - max(start, end ?? start), patience / 2)
    end = max(now, end ?? now)
    hanging[kind, default: Hanging(last: failure, paths: [])].paths.insert(failure.path)
    hanging[kind]?.last = failure
  }

  /// Begins anew where nothing has hung for a while.
  private mutating func forget(before now: ContinuousClock.Instant) {
    guard let end, now - end >= Self.memory else { return }
    renew()
  }

  /// Begins anew.
  mutating func renew() { (hung, end, hanging) = (.zero, nil, [:]) }
}
