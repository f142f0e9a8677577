import Foundation

/// Times and counts in words.
enum Wording {
  /// An instant in UTC, to the second.
  static func time(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    // Outside these years the calendar has nothing useful to say.
    guard seconds.isFinite, abs(seconds) < 1e11 else { return "\(seconds) seconds since 1970" }
    return date.formatted(
      .iso8601.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false))
  }

  static func time(milliseconds: UInt64) -> String {
    time(Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
  }

  static func time(secondsSince2001 seconds: Double) -> String {
    time(Date(timeIntervalSinceReferenceDate: seconds))
  }

  /// A count with its noun.
  static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }
}
