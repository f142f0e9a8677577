import ObjectStore
import Testing

@testable import ChangeTracking

@Suite struct TimeTests {
  @Test func `a wall clock that is farther ahead gives no lesser time`() {
    let clocks: [UInt64] = [0, 1, 1_700_000_000_000, (1 << 48) - 2, (1 << 48) - 1, 1 << 48, 1 << 52, .max]
    let times = clocks.map { LogicalTime(milliseconds: $0) }
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(times.last == LogicalTime(milliseconds: (1 << 48) - 1))
  }
}
