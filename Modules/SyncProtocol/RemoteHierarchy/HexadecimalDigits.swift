import UntrustedBytes

/// Bytes as lower-case hexadecimal digits, two each.
enum HexadecimalDigits {
  static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// `nil` if there are other characters, or an odd number of digits.
  static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let high = HexadecimalDigit.value(digits[start]),
        let low = HexadecimalDigit.value(digits[start + 1])
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}
