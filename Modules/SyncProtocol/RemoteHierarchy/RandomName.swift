/// Names at random, for files whose smallest name wins when two clients make one at once.
enum RandomName {
  static func hexadecimal(digits: Int, using random: inout some RandomNumberGenerator) -> String {
    var text = ""
    while text.utf8.count < digits {
      let part = String(random.next() as UInt64, radix: 16)
      text += String(repeating: "0", count: 16 - part.utf8.count) + part
    }
    return String(text.prefix(digits))
  }

  static func isHexadecimal(_ text: some StringProtocol, digits: Int) -> Bool {
    text.utf8.count == digits && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
