/// Makes sync IDs: time-ordered UUIDs of version 7 that ascend within a millisecond too.
///
/// The first of a millisecond is random; each that follows it is greater by a small random step (RFC 9562, section 6.2,
/// method 2). Objects that are made together so have identifiers that lie together, in indexes and in change sets.
public struct SyncIDSource {
  private var random: any RandomNumberGenerator
  private var last: (milliseconds: UInt64, high: UInt64, low: UInt64)?
  /// Random bits not used yet, 16 for each step.
  private var steps: UInt64 = 0
  private var stepsLeft = 0

  /// Makes a source that draws on a random generator.
  public init(random: any RandomNumberGenerator = SystemRandomNumberGenerator()) {
    self.random = random
  }

  /// The next identifier.
  ///
  /// - Parameter milliseconds: the wall clock, in milliseconds since 1970. When it goes back, the former time stays.
  public mutating func next(milliseconds: UInt64) -> SyncID {
    guard let last, milliseconds <= last.milliseconds else { return first(of: milliseconds) }
    let low = last.low + nextStep()
    // The lower 62 bits count; the two above them tell the variant.
    guard low >> 62 == 2 else { return first(of: last.milliseconds) }
    self.last?.low = low
    return .uuid(last.high, low)
  }

  private mutating func first(of milliseconds: UInt64) -> SyncID {
    let first = SyncID(milliseconds: milliseconds, using: &random)
    if case .uuid(let high, let low) = first { last = (milliseconds, high, low) }
    return first
  }

  private mutating func nextStep() -> UInt64 {
    if stepsLeft == 0 {
      steps = random.next()
      stepsLeft = 4
    }
    stepsLeft -= 1
    let step = (steps & 0xffff) + 1
    steps >>= 16
    return step
  }
}
