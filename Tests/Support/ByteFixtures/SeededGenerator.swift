/// SplitMix64: the same numbers for the same seed, everywhere.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Starts a sequence.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  /// Bytes below a bound; a small one makes them compressible.
  public mutating func bytes(_ count: Int, below bound: UInt8 = .max) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0..<bound, using: &self) }
  }
}
