import Synchronization

/// A wall clock that the simulation sets.
package final class SimulatedClock: Sendable {
  private let value: Atomic<UInt64>

  package init(_ milliseconds: UInt64) { value = Atomic(milliseconds) }

  package var milliseconds: UInt64 { value.load(ordering: .relaxed) }

  package func advance(_ milliseconds: UInt64) { value.add(milliseconds, ordering: .relaxed) }

  package func set(_ milliseconds: UInt64) { value.store(milliseconds, ordering: .relaxed) }

  /// Sets the clock by so much forward or back, not beyond 1970.
  package func step(_ milliseconds: Int64) {
    let now = Int64(self.milliseconds)
    value.store(UInt64(max(0, now + milliseconds)), ordering: .relaxed)
  }
}
