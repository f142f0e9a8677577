/// When lines that are printed one by one should be shown: at once at first, then a few times a second, for showing each costs more
/// than making it.
public struct OutputPace: Sendable {
  private static let interval = Duration.milliseconds(100)
  private var shown: ContinuousClock.Instant?

  /// Makes a pace whose first line is due.
  public init() {}

  /// Whether what has been printed should be shown now.
  public var isDue: Bool {
    mutating get {
      let now = ContinuousClock.now
      if let shown, now - shown < Self.interval { return false }
      shown = now
      return true
    }
  }
}
