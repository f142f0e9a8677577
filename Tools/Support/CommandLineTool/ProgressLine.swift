/// A line on a terminal that says how far a command is. It appears after a second, and leaves nothing behind.
struct ProgressLine: Sendable {
  private static let patience = Duration.seconds(1)
  private static let interval = Duration.milliseconds(100)
  /// Back to the beginning of the line, and nothing in it.
  private static let clear = "\r\u{1b}[K"

  private var next: ContinuousClock.Instant?
  private var isShown = false

  mutating func begin(at now: ContinuousClock.Instant) { next = now + Self.patience }

  /// Whether the line is to be shown anew.
  mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
    guard let next, now >= next else { return false }
    self.next = now + Self.interval
    return true
  }

  /// What shows it.
  mutating func line(_ text: String) -> String {
    isShown = true
    // Longer lines would go on in the next one, which is not erased.
    return Self.clear + String(text.prefix(79))
  }

  /// What takes it away, if it is there.
  mutating func erasure() -> [UInt8]? {
    guard isShown else { return nil }
    isShown = false
    return Array(Self.clear.utf8)
  }
}
