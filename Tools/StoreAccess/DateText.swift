/// Points in time as ISO 8601 in UTC with a fraction: `2011-04-23T12:00:00.500Z`.
package enum DateText {
  private static let secondsTo2001: Double = 978_307_200

  /// The text of a number of seconds since 2001-01-01 00:00 UTC; `nil` outside the years 1 to 9999.
  ///
  /// Milliseconds are always shown, microseconds where there are any; finer than that a date of our time is not.
  package static func text(_ seconds: Double) -> String? {
    guard seconds.isFinite, abs(seconds) < 1e12 else { return nil }
    let microseconds = Int64((seconds * 1_000_000).rounded()) + Int64(secondsTo2001) * 1_000_000
    let (days, rest) = floorDivide(microseconds, 86_400_000_000)
    let date = civil(days)
    guard (1...9999).contains(date.year) else { return nil }
    let second = rest / 1_000_000
    var fraction = digits(rest % 1_000_000, 6)
    if fraction.hasSuffix("000") { fraction.removeLast(3) }
    let time = "\(digits(second / 3600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))"
    return "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))T\(time).\(fraction)Z"
  }

  /// Seconds since 2001 from a date, or a date and a time in UTC, with or without fraction; `nil` if the text is none.
  package static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let date = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard date.count == 3, date[0].count == 4, let year = Int64(date[0]), let month = Int64(date[1]),
      let day = Int64(date[2]), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    var seconds = Double(days(year: year, month: month, day: day)) * 86_400 - secondsTo2001
    guard parts.count == 2 else { return seconds }
    let time = (parts[1].hasSuffix("Z") ? parts[1].dropLast() : parts[1]).split(
      separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(time.count), let hour = Double(time[0]), let minute = Double(time[1]) else {
      return nil
    }
    guard let second = time.count == 3 ? Double(time[2]) : 0 else { return nil }
    seconds += hour * 3600 + minute * 60 + second
    return seconds
  }

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
