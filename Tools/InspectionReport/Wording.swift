import Foundation
import ShownText

/// Times and counts in words.
enum Wording {
  /// An instant in UTC, to the second.
  static func time(_ date: Date) -> String {
    time(secondsSince2001: date.timeIntervalSinceReferenceDate)
  }

  static func time(milliseconds: UInt64) -> String {
    spaced(DateText.wholeSecond(milliseconds: milliseconds))
  }

  static func time(secondsSince2001 seconds: Double) -> String {
    spaced(DateText.wholeSecond(seconds))
  }

  /// The zone is told once, at the head of the page.
  private static func spaced(_ text: String) -> String {
    guard text.hasSuffix("Z") else { return text }
    return String(text.dropLast()).replacing("T", with: " ")
  }

  /// A count with its noun.
  static func count(_ number: Int, _ one: String, _ many: String) -> String {
    "\(number) \(number == 1 ? one : many)"
  }
}
