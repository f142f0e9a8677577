/// Points in time as ISO 8601 in UTC with a fraction: `2011-04-23T12:00:00.500Z`.
package enum DateText {
  private static let secondsTo2001: Int64 = 978_307_200

  /// The text of a number of seconds since 2001-01-01 00:00 UTC; `nil` outside the years 1 to 9999, and for a time so close to 2001
  /// that its fraction would be too long.
  ///
  /// ``seconds(_:)`` makes the same number of it. Milliseconds are always shown, microseconds where there are any, and as many more
  /// digits as tell the number from its neighbours.
  package static func text(_ seconds: Double) -> String? {
    guard seconds.isFinite, abs(seconds) < 1e12, var (whole, fraction) = parts(of: seconds.magnitude) else {
      return nil
    }
    if seconds < 0 {
      whole = -whole
      if let rest = complement(fraction) { (whole, fraction) = (whole - 1, rest) }
    }
    let (days, second) = floorDivide(whole + secondsTo2001, 86_400)
    let date = civil(days)
    guard (1...9999).contains(date.year) else { return nil }
    for length in [3, 6] where fraction.count < length {
      fraction += String(repeating: "0", count: length - fraction.count)
      break
    }
    let time = "\(digits(second / 3600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))"
    return "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))T\(time).\(fraction)Z"
  }

  /// Seconds since 2001 from a date, or a date and a time in UTC, with or without fraction; `nil` if the text is none.
  package static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let date = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard date.count == 3, date[0].count == 4, let year = number(date[0]), let month = number(date[1]),
      let day = number(date[2]), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    var whole = days(year: year, month: month, day: day) * 86_400 - secondsTo2001
    guard parts.count == 2 else { return Double(whole) }
    let time = (parts[1].hasSuffix("Z") ? parts[1].dropLast() : parts[1]).split(
      separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(time.count), let hour = number(time[0]), let minute = number(time[1]) else {
      return nil
    }
    whole += hour * 3600 + minute * 60
    guard time.count == 3 else { return Double(whole) }
    let second = time[2].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let full = number(second[0]) else { return nil }
    whole += full
    guard second.count == 2 else { return Double(whole) }
    guard second[1].count <= 400, second[1].utf8.allSatisfy(isDigit), !second[1].isEmpty else { return nil }
    // Put together as text, so that the number is the nearest one to what is written, without a sum that rounds again.
    if whole >= 0 { return Double("\(whole).\(second[1])") }
    guard let rest = complement(String(second[1])) else { return Double(whole) }
    return Double("-\(-whole - 1).\(rest)")
  }

  /// The shortest decimal notation that tells a number from its neighbours: before and behind the point.
  private static func parts(of seconds: Double) -> (whole: Int64, fraction: String)? {
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
  private static func complement(_ fraction: String) -> String? {
    let digits = fraction.utf8.map { $0 - 0x30 }
    guard let last = digits.lastIndex(where: { $0 != 0 }) else { return nil }
    let rest = digits[...last].enumerated().map { 0x30 + ($0.offset == last ? 10 : 9) - $0.element }
    return String(decoding: rest, as: UTF8.self)
  }

  /// A number of digits alone, no more than fit in a date.
  private static func number(_ text: Substring) -> Int64? {
    (1...9).contains(text.utf8.count) && text.utf8.allSatisfy(isDigit) ? Int64(text) : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  // Days since 1970 and the proleptic Gregorian calendar, after Howard Hinnant's "chrono-compatible low-level date
  // algorithms": years begin in March, eras of 400 years have 146,097 days.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = floorDivide(year, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let remainder = ((value % divisor) + divisor) % divisor
    return ((value - remainder) / divisor, remainder)
  }

  private static func digits(_ value: Int64, _ count: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
