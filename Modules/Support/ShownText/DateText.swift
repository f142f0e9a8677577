/// Points in time as ISO 8601 in UTC: `2011-04-23T12:00:00.500Z`. All that shows or exports one does it by this calendar.
///
/// Only the years 1 to 9999 have such a text, for with more or fewer digits, or a sign, programs read another year or none. What lies
/// outside is told as a number.
package enum DateText {
  static let secondsTo2001: Int64 = 978_307_200

  /// The text of a number of seconds since 2001-01-01 00:00 UTC; `nil` outside the years 1 to 9999, for what is no finite number, and for
  /// a time so close to 2001 that its fraction would be too long.
  ///
  /// ``seconds(_:)`` makes the same number of it. Milliseconds are always shown, microseconds where there are any, and as many more
  /// digits as tell the number from its neighbours.
  package static func text(_ seconds: Double) -> String? {
    guard let (whole, digits) = parts(of: seconds) else { return nil }
    var fraction = digits
    for length in [3, 6] where fraction.count < length {
      fraction += String(repeating: "0", count: length - fraction.count)
      break
    }
    return text(sinceUnix: whole + secondsTo2001, fraction: fraction)
  }

  /// The same, or words where there is no such text.
  package static func words(_ seconds: Double) -> String {
    text(seconds) ?? beyondCalendar(seconds)
  }

  /// To the second, as people write it: `2011-04-23T12:00:00Z`; words where there is no such text.
  package static func wholeSecond(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < largest else { return beyondCalendar(seconds) }
    return text(sinceUnix: Int64(seconds.rounded(.down)) + secondsTo2001, fraction: "")
      ?? beyondCalendar(seconds)
  }

  /// The time of a clock that counts milliseconds since 1970-01-01 00:00 UTC; words after the year 9999.
  package static func words(milliseconds: UInt64) -> String {
    text(sinceUnix: Int64(milliseconds / 1_000), fraction: digits(Int64(milliseconds % 1_000), 3))
      ?? beyondCalendar(milliseconds: milliseconds)
  }

  /// The same to the second.
  package static func wholeSecond(milliseconds: UInt64) -> String {
    text(sinceUnix: Int64(milliseconds / 1_000), fraction: "") ?? beyondCalendar(milliseconds: milliseconds)
  }

  /// The month of such a time, as `2011-04`; `nil` after the year 9999.
  package static func month(milliseconds: UInt64) -> String? {
    text(sinceUnix: Int64(milliseconds / 1_000), fraction: "").map { String($0.prefix(7)) }
  }

  /// Beyond all years that have a text, and still far from where whole numbers end.
  private static let largest = 1e12

  private static func beyondCalendar(_ seconds: Double) -> String { "\(seconds) seconds since 2001" }

  private static func beyondCalendar(milliseconds: UInt64) -> String {
    "\(milliseconds) milliseconds since 1970"
  }

  private static func text(sinceUnix seconds: Int64, fraction: String) -> String? {
    let (days, second) = seconds.floorDivided(by: 86_400)
    let date = CivilDate(days: days)
    guard (1...9999).contains(date.year) else { return nil }
    let time = "\(digits(second / 3600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))"
    return
      "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))T\(time)\(fraction.isEmpty ? "" : ".")\(fraction)Z"
  }

  /// The shortest decimal notation that tells a number from its neighbours: the whole number below, and the digits behind the point.
  private static func parts(of seconds: Double) -> (whole: Int64, fraction: String)? {
    guard seconds.isFinite, abs(seconds) < largest, let parts = notation(of: seconds.magnitude) else {
      return nil
    }
    guard seconds < 0 else { return parts }
    guard let rest = complement(parts.fraction) else { return (-parts.whole, parts.fraction) }
    return (-parts.whole - 1, rest)
  }

  private static func notation(of seconds: Double) -> (whole: Int64, fraction: String)? {
    let text = "\(seconds)"
    guard let mark = text.firstIndex(of: "e") else {
      let parts = text.split(separator: ".")
      guard let whole = Int64(parts[0]) else { return nil }
      return (whole, parts.count < 2 || parts[1] == "0" ? "" : String(parts[1]))
    }
    // Below a ten thousandth of a second the number has an exponent.
    guard let exponent = Int(text[text.index(after: mark)...]), (-24..<0).contains(exponent) else {
      return nil
    }
    let digits = text[..<mark].filter { $0 != "." }
    let trimmed = digits.count == 2 && digits.hasSuffix("0") ? digits.dropLast() : digits[...]
    return (0, String(repeating: "0", count: -exponent - 1) + trimmed)
  }

  /// The digits of 1 less a fraction; `nil` if the fraction is 0.
  static func complement(_ fraction: String) -> String? {
    let digits = fraction.utf8.map { $0 - 0x30 }
    guard let last = digits.lastIndex(where: { $0 != 0 }) else { return nil }
    let rest = digits[...last].enumerated().map { 0x30 + ($0.offset == last ? 10 : 9) - $0.element }
    return String(decoding: rest, as: UTF8.self)
  }

  private static func digits(_ value: Int64, _ count: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
