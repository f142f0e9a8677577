/// References in text and attributes: the five entities of XML, and characters by number.
enum XMLReference {
  /// What stands between `&` and `;` means; `nil` if it is neither.
  static func resolved(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
    switch String(decoding: name, as: UTF8.self) {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    case let text where text.hasPrefix("#"):
      let isHexadecimal = text.hasPrefix("#x")
      let digits = text.dropFirst(isHexadecimal ? 2 : 1)
      guard (1...8).contains(digits.count), digits.first != "+", digits.first != "-",
        let number = UInt32(digits, radix: isHexadecimal ? 16 : 10),
        number >= 0x20 || [9, 10, 13].contains(number)
      else { return nil }
      return Unicode.Scalar(number)
    default: return nil
    }
  }

  /// The value of an attribute with all its references resolved, its white space as spaces (XML 1.0, section 3.3.3); `nil` if it cannot be.
  static func attribute(_ bytes: ArraySlice<UInt8>) -> String? {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "&") else {
        guard byte >= 0x20 || XMLSpace.contains(byte) else { return nil }
        // The two bytes of a line's end are one.
        if byte == 0x0D, rest.first == 0x0A { rest = rest.dropFirst() }
        result.append(max(byte, 0x20))
        continue
      }
      let name = rest.prefix { $0 != UInt8(ascii: ";") }
      guard name.count < rest.count, let character = resolved(name) else { return nil }
      result += Array(String(character).utf8)
      rest = rest.dropFirst(name.count + 1)
    }
    return String(decoding: result, as: UTF8.self)
  }
}
