/// How long to wait for content that a provider was asked for.
public struct DownloadPatience: Sendable {
  /// How long to wait without any progress.
  public var limit: Duration
  /// The first pause between two looks; it doubles each time.
  public var firstPause: Duration
  /// The longest.
  public var longestPause: Duration
  let sleep: @Sendable (Duration) async throws -> Void

  /// A minute without progress; looks after 20 milliseconds, and at least every two seconds.
  public init(
    limit: Duration = .seconds(60), firstPause: Duration = .milliseconds(20),
    longestPause: Duration = .seconds(2),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.limit = limit
    self.firstPause = firstPause
    self.longestPause = longestPause
    self.sleep = sleep
  }

  func wait() -> DownloadWait { DownloadWait(patience: self) }
}

/// The waiting for one file: decides after each look how long to wait for the next. A value without a clock.
struct DownloadWait {
  private let patience: DownloadPatience
  private var next: Duration
  private var waited = Duration.zero
  /// Whether there was a pause.
  private(set) var hasPaused = false
  private var progress = 0.0

  init(patience: DownloadPatience) {
    self.patience = patience
    next = patience.firstPause
  }

  /// The pause until the next look; `nil` to give up.
  ///
  /// - Parameters:
  ///   - progress: from 0 to 1, where the provider tells.
  ///   - hasProgress: set where the file has gone on coming.
  mutating func pause(progress: Double?, _ hasProgress: inout Bool) -> Duration? {
    if let progress, progress > self.progress {
      self.progress = progress
      waited = .zero
      hasProgress = true
    }
    guard waited < patience.limit else { return nil }
    let pause = min(next, patience.limit - waited)
    waited += pause
    hasPaused = true
    next = min(patience.longestPause, next * 2)
    return pause
  }
}
