/// Numbers in names are written with a fixed number of decimal digits, so that names sort as the numbers do.
enum FixedWidth {
  static let digits = 10
  /// The greatest number that fits.
  static let limit: UInt64 = 9_999_999_999

  static func text(_ number: UInt64) -> String {
    let text = String(min(number, limit))
    return String(repeating: "0", count: digits - text.utf8.count) + text
  }

  static func number(_ text: Substring) -> UInt64? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return UInt64(text)
  }
}
