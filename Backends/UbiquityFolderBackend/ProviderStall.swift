import Locking

/// Whether the provider delivers anything at all: files that it was asked for one after the other are not each waited for as long as the
/// first, for that would be the same minute many times.
final class ProviderStall: Sendable {
  private struct State {
    /// How many files have come, or gone on coming.
    var arrivals: UInt64 = 0
    var end: ContinuousClock.Instant?
  }

  private let state = Locked(State())

  /// Whether nothing has come for as long as is waited, and that is not longer ago than the same time.
  var isOn: Bool { state.withLock { state in state.end.map { ContinuousClock.now < $0 } ?? false } }

  /// Stays the same while nothing comes.
  var arrivals: UInt64 { state.withLock(\.arrivals) }

  func noteArrival() {
    state.withLock { state in
      state.arrivals &+= 1
      state.end = nil
    }
  }

  /// Notes that a file was waited for in vain.
  ///
  /// - Parameters:
  ///   - arrivals: how many files had come when the waiting began. If others have come since, the provider is at work.
  ///   - duration: for how long nobody waits for another.
  func noteVain(since arrivals: UInt64, for duration: Duration) {
    state.withLock { state in
      if state.arrivals == arrivals { state.end = .now.advanced(by: duration) }
    }
  }
}
