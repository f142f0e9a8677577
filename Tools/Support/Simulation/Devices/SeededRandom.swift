import Synchronization

/// SplitMix64 (Steele, Lea, Flood 2014).
package struct SeededRandomSource: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  /// Whether something happens that happens once in so many times.
  package mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

/// A random source that closures share.
package final class SharedRandom: Sendable {
  private let source: Mutex<SeededRandomSource>

  package init(seed: UInt64) { source = Mutex(SeededRandomSource(seed: seed)) }

  package func next() -> UInt64 { source.withLock { $0.next() } }
}
