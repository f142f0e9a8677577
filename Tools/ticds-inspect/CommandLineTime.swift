import CommandLineTool

/// A time that was written on the command line.
enum CommandLineTime {
  /// Those since 1970.
  private static let secondsTo2001 = 978_307_200

  /// Milliseconds since 1970.
  ///
  /// - Throws: ``ToolFailure`` if it is none, or one that no calendar or clock shows: what is meant by it nobody knows.
  static func milliseconds(_ text: String, _ name: String) throws(ToolFailure) -> UInt64 {
    let parts = text.wholeMatch(
      of:
        /([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?(Z|[+-][0-9]{2}:?[0-9]{2}))?/
    )?.output
    guard let parts else {
      throw .usage(
        "\(name) does not take “\(text)”", advice: "write 2026-01-31 or 2026-01-31T12:00:00Z, in UTC")
    }
    let (hour, minute, second) = (number(parts.4), number(parts.5), number(parts.6))
    guard let midnight = DateText.seconds("\(parts.1)-\(parts.2)-\(parts.3)") else {
      throw .usage("\(name) does not take “\(text)”: there is no such day", advice: "name one that there is")
    }
    let zone = parts.8.map { $0 == "Z" ? "+0000" : $0.filter { $0 != ":" } } ?? "+0000"
    let (zoneHours, zoneMinutes) = (number(zone.dropFirst().prefix(2)), number(zone.suffix(2)))
    guard hour < 24, minute < 60, second < 60, zoneHours < 24, zoneMinutes < 60 else {
      throw .usage(
        "\(name) does not take “\(text)”: there is no such time of the day", advice: "name one that there is")
    }
    let offset = (zoneHours * 60 + zoneMinutes) * (zone.first == "-" ? -60 : 60)
    let seconds = Int(midnight) + secondsTo2001 + hour * 3_600 + minute * 60 + second - offset
    guard seconds >= 0 else {
      throw .usage("\(name) does not take “\(text)”: it is before 1970", advice: "name a later time")
    }
    let milliseconds = number(((parts.7 ?? "").prefix(3) + "000").prefix(3))
    return UInt64(seconds) * 1_000 + UInt64(milliseconds)
  }

  private static func number(_ digits: some StringProtocol) -> Int { Int(digits) ?? 0 }
  private static func number(_ digits: Substring?) -> Int { digits.flatMap { Int($0) } ?? 0 }
}
