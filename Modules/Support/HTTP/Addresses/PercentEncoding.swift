/// Percent-encoding (RFC 3986, section 2.1).
public enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Decodes once.
  ///
  /// - Returns: `nil` if a `%` is not followed by two hexadecimal digits.
  public static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var bytes = text.makeIterator()
    while let byte = bytes.next() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard let high = bytes.next().flatMap(digit), let low = bytes.next().flatMap(digit) else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }

  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  static func encoded(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  /// A name as one segment of a path. Our own names hold nothing that needs encoding.
  public static func segment(_ name: String) -> String {
    if name.utf8.allSatisfy(isUnreserved) { return name }
    return String(
      decoding: name.utf8.flatMap { isUnreserved($0) ? [$0] : encoded($0) }, as: UTF8.self)
  }

  /// `unreserved` of RFC 3986.
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }

  /// `pchar`, `/` and `?` of RFC 3986.
  static func isAllowedInPath(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
    }
  }
}
