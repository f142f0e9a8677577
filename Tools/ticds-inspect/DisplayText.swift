import ChangeTracking
import CommandLineTool
import Foundation
import ObjectStore

/// Turns values into words for a terminal.
enum DisplayText {
  /// Names and values come from outside: control characters must not reach the terminal.
  static func printable(_ text: String) -> String {
    PrintableText.line(text)
  }

  /// At most this many characters of a long value.
  static func shortened(_ text: String, to limit: Int = 60) -> String {
    let start = text.prefix(limit + 1)
    return start.count > limit ? printable(String(start.prefix(limit))) + "…" : printable(text)
  }

  /// An instant in UTC, to the millisecond (ISO 8601).
  static func time(_ time: LogicalTime) -> String {
    // Thousandths are whole numbers here; as parts of a real number some would be shown as the one before.
    let seconds = Date(timeIntervalSince1970: Double(time.milliseconds / 1000)).formatted(.iso8601)
    let thousandths = String(time.milliseconds % 1000)
    return "\(seconds.dropLast()).\(String(repeating: "0", count: 3 - thousandths.count))\(thousandths)Z"
  }
}
