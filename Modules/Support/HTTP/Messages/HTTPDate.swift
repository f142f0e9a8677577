/// Dates of HTTP (RFC 9110, section 5.6.7), as seconds since 1970-01-01 00:00 UTC.
public enum HTTPDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, the two obsolete forms, and `1994-11-06T08:49:37Z`, which some servers send.
  ///
  /// - Returns: `nil` for anything else.
  public static func seconds(_ text: String) -> Int64? {
    let text = text.prefix(64).lowercased()
    if let parts = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)t(\d\d):(\d\d):(\d\d)(?:\.\d+)?z/)?.output {
      return seconds(
        Int(parts.1), Int(parts.2), Int(parts.3), Int(parts.4), Int(parts.5), Int(parts.6))
    }
    let words = text.split { " ,-:".contains($0) }.map(String.init)
    guard words.count >= 7 else { return nil }
    if let month = months.firstIndex(of: words[1]) {
      // asctime: Sun Nov  6 08:49:37 1994
      return seconds(
        Int(words[6]), month + 1, Int(words[2]), Int(words[3]), Int(words[4]), Int(words[5]))
    }
    guard let month = months.firstIndex(of: words[2]), var year = Int(words[3]) else { return nil }
    // Two digits are of RFC 850; the standard's fifty years are counted from 2026.
    if words[3].count == 2 { year += year < 76 ? 2000 : 1900 }
    return seconds(year, month + 1, Int(words[1]), Int(words[4]), Int(words[5]), Int(words[6]))
  }

  private static func seconds(
    _ year: Int?, _ month: Int?, _ day: Int?, _ hour: Int?, _ minute: Int?, _ second: Int?
  ) -> Int64? {
    guard let year, let month, let day, let hour, let minute, let second, (1601...9999).contains(year),
      (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute),
      (0...60).contains(second)
    else { return nil }
    // Days from civil (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    return Int64(days * 86_400 + hour * 3_600 + minute * 60 + second)
  }
}
