/// Dates of HTTP (RFC 9110, section 5.6.7), as seconds since 1970-01-01 00:00 UTC.
public enum HTTPDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ].map { Array($0.utf8) }

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, the two obsolete forms, and `1994-11-06T08:49:37Z`, which some servers send.
  ///
  /// - Returns: `nil` for anything else.
  public static func seconds(_ text: String) -> Int64? {
    // Every entry of a listing has one, so no regular expression is built for it.
    let bytes = Array(text.utf8.prefix(64))
    if let first = bytes.first, isDigit(first) { return isoSeconds(bytes) }
    let words = bytes.split(whereSeparator: isSeparator)
    guard words.count >= 7 else { return nil }
    if let month = month(words[1]) {
      // asctime: Sun Nov  6 08:49:37 1994
      return seconds(
        number(words[6]), month, number(words[2]), number(words[3]), number(words[4]), number(words[5]))
    }
    guard let month = month(words[2]), var year = number(words[3]) else { return nil }
    // Two digits are of RFC 850; the standard's fifty years are counted from 2026.
    if words[3].count == 2 { year += year < 76 ? 2000 : 1900 }
    return seconds(year, month, number(words[1]), number(words[4]), number(words[5]), number(words[6]))
  }

  private static func isoSeconds(_ bytes: [UInt8]) -> Int64? {
    let pattern = Array("0000-00-00T00:00:00".utf8)
    guard bytes.count > pattern.count, bytes.last.map(lowercased) == UInt8(ascii: "z") else { return nil }
    for (byte, expected) in zip(bytes, pattern)
    where expected == UInt8(ascii: "0") ? !isDigit(byte) : lowercased(byte) != lowercased(expected) {
      return nil
    }
    let fraction = bytes[pattern.count..<bytes.count - 1]
    guard
      fraction.isEmpty
        || fraction.first == UInt8(ascii: ".") && fraction.count > 1
          && fraction.dropFirst().allSatisfy(isDigit)
    else { return nil }
    return seconds(
      number(bytes[0..<4]), number(bytes[5..<7]), number(bytes[8..<10]), number(bytes[11..<13]),
      number(bytes[14..<16]), number(bytes[17..<19]))
  }

  private static func month(_ word: ArraySlice<UInt8>) -> Int? {
    months.firstIndex { $0.elementsEqual(word.lazy.map(lowercased)) }.map { $0 + 1 }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...6).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: "-"), UInt8(ascii: ":"): true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
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
