import Testing

@testable import SyncProtocol

@Suite struct RetryTests {
  private struct Generator: RandomNumberGenerator {
    var value: UInt64
    mutating func next() -> UInt64 { value }
  }

  private func pauses(of policy: RetryPolicy, _ error: BackendError, random: UInt64 = .max) -> [Duration] {
    var decision = RetryDecision(policy: policy)
    var generator = Generator(value: random)
    var pauses: [Duration] = []
    var budget = RetryBudget(policy)
    while let pause = decision.pause(after: error, &budget, &generator) { pauses.append(pause) }
    return pauses
  }

  private let passing = BackendError(.unreachable, path: .root)

  @Test func `the bound of the pauses doubles up to a limit`() {
    let policy = RetryPolicy(
      attempts: 6, firstPause: .seconds(1), longestPause: .seconds(4), budget: .seconds(99))
    #expect(pauses(of: policy, passing).map { Int(($0 / .seconds(1)).rounded()) } == [1, 2, 4, 4, 4])
  }

  @Test func `pauses end when the budget is used up`() {
    let policy = RetryPolicy(
      attempts: 99, firstPause: .seconds(1), longestPause: .seconds(1), budget: .seconds(3), retries: 99)
    #expect(pauses(of: policy, passing).count == 3)
  }

  @Test func `who listens and never answers is asked twice`() {
    var decision = RetryDecision(policy: RetryPolicy())
    var generator = Generator(value: 1)
    var budget = RetryBudget(RetryPolicy())
    decision.took(.seconds(30))
    #expect(decision.pause(after: passing, &budget, &generator) != nil)
    decision.took(.seconds(31))
    #expect(decision.pause(after: passing, &budget, &generator) == nil)
  }

  @Test func `a request that ran into its time limit twice is given up`() {
    var error = passing
    error.timedOut = true
    #expect(pauses(of: RetryPolicy(), error).count == 1)
    #expect(pauses(of: RetryPolicy(), passing).count == 4)
  }

  @Test func `the pause that a service asks for is the least`() {
    let error = BackendError(.rateLimited, path: .root, retryAfter: .seconds(7))
    let all = pauses(of: RetryPolicy(attempts: 3), error, random: 0)
    #expect(all.count == 2 && all.allSatisfy { $0 >= .seconds(7) })
  }

  @Test(arguments: [
    BackendError.Code.notFound, .alreadyExists, .unauthorised, .forbidden, .quotaExceeded, .cancelled,
    .tooLarge,
  ])
  func `a failure that does not pass is not tried again`(_ code: BackendError.Code) {
    #expect(pauses(of: RetryPolicy(), BackendError(code, path: .root)).isEmpty)
  }

  // MARK: All requests together

  @Test func `storage that fails every request is asked little more than once for each`() {
    let policy = RetryPolicy(attempts: 5, retries: 20)
    var budget = RetryBudget(policy)
    var generator = Generator(value: 0)
    var retries = 0
    for _ in 0..<1_000 {
      var decision = RetryDecision(policy: policy)
      while decision.pause(after: passing, &budget, &generator) != nil { retries += 1 }
    }
    #expect(retries <= 21)
  }

  @Test func `successes permit further retries, by their share`() {
    let policy = RetryPolicy(attempts: 2, retries: 3, share: 0.5)
    var budget = RetryBudget(policy)
    while budget.permits { budget.failed() }
    budget.succeeded()
    #expect(!budget.permits)
    budget.succeeded()
    #expect(budget.permits)
  }

  @Test func `a policy that never retries asks once`() {
    #expect(pauses(of: .never, passing).isEmpty)
  }
}
