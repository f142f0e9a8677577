extension DateText {
  /// Seconds since 2001 from a date, or a date and a time in UTC, with or without fraction; `nil` if the text is none, or tells a day or a
  /// time of the day that there is not.
  package static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let date = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard date.count == 3, date[0].count == 4, let year = number(date[0]), let month = number(date[1]),
      let day = number(date[2]), let civil = CivilDate(year: year, month: month, day: day)
    else { return nil }
    var whole = civil.days * 86_400 - secondsTo2001
    guard parts.count == 2 else { return Double(whole) }
    let time = (parts[1].hasSuffix("Z") ? parts[1].dropLast() : parts[1]).split(
      separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(time.count), let hour = number(time[0]), let minute = number(time[1]), hour < 24,
      minute < 60
    else { return nil }
    whole += hour * 3600 + minute * 60
    guard time.count == 3 else { return Double(whole) }
    let second = time[2].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    // Some clocks show a leap second.
    guard let full = number(second[0]), full <= 60 else { return nil }
    whole += full
    guard second.count == 2 else { return Double(whole) }
    guard second[1].count <= 400, second[1].utf8.allSatisfy(isDigit), !second[1].isEmpty else { return nil }
    // Put together as text, so that the number is the nearest one to what is written, without a sum that rounds again.
    if whole >= 0 { return Double("\(whole).\(second[1])") }
    guard let rest = complement(String(second[1])) else { return Double(whole) }
    return Double("-\(-whole - 1).\(rest)")
  }

  /// A number of digits alone, no more than fit in a date.
  private static func number(_ text: Substring) -> Int64? {
    (1...9).contains(text.utf8.count) && text.utf8.allSatisfy(isDigit) ? Int64(text) : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
