/// How many failed requests may be tried again before only successes permit more.
///
/// Retry throttling as in gRPC (proposal A6): tokens that each failure takes one of and each success gives a part of back.
/// While less than half of them is left nothing is tried again. So storage that is overloaded, or fails every request, meets
/// little more than one attempt of each, however many there are; a single lost request is tried as often as the policy says.
///
/// A value without I/O.
struct RetryBudget {
  private let capacity: Double
  private let share: Double
  private var tokens: Double

  /// - Parameter policy: says how many retries in a row there may be, and how much a success gives back.
  init(_ policy: RetryPolicy) {
    capacity = 2 * Double(max(0, policy.retries))
    share = policy.share
    tokens = capacity
  }

  /// Whether something may be tried again.
  var permits: Bool { tokens >= capacity / 2 && capacity > 0 }

  mutating func succeeded() { tokens = min(capacity, tokens + share) }

  mutating func failed() { tokens = max(0, tokens - 1) }
}
