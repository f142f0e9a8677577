/// Bytes as digits to the base of 16 in lower case, two each, as the names of files have them.
package enum HexadecimalDigits {
  /// Writes bytes.
  package static func text(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
      var end = 0
      for byte in bytes {
        text[end] = digit(byte >> 4)
        text[end + 1] = digit(byte & 15)
        end += 2
      }
      return end
    }
  }

  /// Reads bytes; `nil` if there are other characters, or an odd number of digits.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    // Listings of large remotes have many: the digits are looked at in one piece where they lie so.
    text.utf8.withContiguousStorageIfAvailable { bytes($0) }
      ?? Array(text.utf8).withUnsafeBufferPointer { bytes($0) }
  }

  private static func bytes(_ digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[start]), let low = value(digits[start + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// The value of a character; `nil` if it is no such digit.
  private static func value(_ character: UInt8) -> UInt8? {
    switch character {
    case 48...57: character - 48
    case 97...102: character - 87
    default: nil
    }
  }

  /// The character of a value below 16.
  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }
}
