import ChangeTracking
import CommandLineTool

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

  /// An instant in UTC, to the millisecond.
  static func time(_ time: LogicalTime) -> String {
    DateText.words(milliseconds: time.milliseconds)
  }
}
