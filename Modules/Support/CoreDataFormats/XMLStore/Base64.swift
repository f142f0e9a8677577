/// Bytes as text (RFC 4648, section 4).
enum Base64 {
  /// White space within the text is passed over, as property lists have it.
  ///
  /// - Returns: `nil` if it is anything else than complete groups of four letters.
  static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3)
    var (group, count, padding): (UInt32, Int, Int) = (0, 0, 0)
    for letter in text.utf8 where ![0x20, 0x09, 0x0A, 0x0D].contains(letter) {
      if letter == UInt8(ascii: "=") {
        padding += 1
        group <<= 6
      } else {
        guard padding == 0, let value = value(of: letter) else { return nil }
        group = group << 6 | UInt32(value)
      }
      count += 1
      guard count == 4 else { continue }
      guard padding <= 2 else { return nil }
      bytes += [UInt8(group >> 16 & 0xff), UInt8(group >> 8 & 0xff), UInt8(group & 0xff)].dropLast(padding)
      (group, count) = (0, 0)
    }
    return count == 0 ? bytes : nil
  }

  private static func value(of letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
