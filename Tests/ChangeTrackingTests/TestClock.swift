import Synchronization

/// A wall clock that a test sets.
final class TestClock: Sendable {
  private let value: Atomic<UInt64>

  init(_ milliseconds: UInt64 = 1_700_000_000_000) { value = Atomic(milliseconds) }

  var milliseconds: UInt64 { value.load(ordering: .relaxed) }

  func set(_ milliseconds: UInt64) { value.store(milliseconds, ordering: .relaxed) }

  func advance(_ milliseconds: UInt64) { value.add(milliseconds, ordering: .relaxed) }
}
