/// The identifier that one object carries on every device (`ticdsSyncID`).
///
/// Opaque UTF-8 to everybody. Identifiers in the canonical upper-case form of a UUID are kept in 16 bytes.
public enum SyncID: Hashable, Sendable {
  /// A canonical upper-case UUID, most significant half first.
  case uuid(UInt64, UInt64)
  /// Any other text.
  case text(String)

  /// Interprets the text of an identifier.
  public init(_ string: String) {
    var string = string
    self = string.withUTF8 { SyncID.parse($0) }.map { .uuid($0.0, $0.1) } ?? .text(string)
  }

  /// Makes a time-ordered UUID (RFC 9562, version 7), which keeps indexes compact.
  ///
  /// - Parameters:
  ///   - milliseconds: the wall clock, in milliseconds since 1970.
  ///   - random: where the other 74 bits come from.
  public init(milliseconds: UInt64, using random: inout some RandomNumberGenerator) {
    let high = (milliseconds & 0xffff_ffff_ffff) << 16 | 0x7000 | random.next(upperBound: 0x1000 as UInt64)
    let low = 0x8000_0000_0000_0000 | random.next() >> 2
    self = .uuid(high, low)
  }

  /// The identifier as the attribute `ticdsSyncID` holds it.
  public var string: String {
    switch self {
    case .text(let text):
      return text
    case .uuid(let high, let low):
      return String(unsafeUninitializedCapacity: 36) { output in
        Self.write(high >> 32, digits: 8, to: output, at: 0)
        Self.write(high >> 16, digits: 4, to: output, at: 9)
        Self.write(high, digits: 4, to: output, at: 14)
        Self.write(low >> 48, digits: 4, to: output, at: 19)
        Self.write(low, digits: 12, to: output, at: 24)
        for dash in [8, 13, 18, 23] { output[dash] = UInt8(ascii: "-") }
        return 36
      }
    }
  }

  /// Writes the last hexadecimal digits of a number.
  @inline(__always) private static func write(
    _ number: UInt64, digits: Int, to output: UnsafeMutableBufferPointer<UInt8>, at start: Int
  ) {
    var number = number
    for position in stride(from: start + digits - 1, through: start, by: -1) {
      let digit = UInt8(truncatingIfNeeded: number & 15)
      output[position] = digit &+ (digit < 10 ? 48 : 55)
      number >>= 4
    }
  }

  private static func parse(_ text: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64)? {
    guard text.count == 36 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    var digits = 0
    for (index, byte) in text.enumerated() {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case 48...57: digit = byte - 48
      case 65...70: digit = byte - 55
      default: return nil
      }
      if digits < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
      digits += 1
    }
    return (high, low)
  }
}

extension SyncID: Comparable, CustomStringConvertible {
  /// Orders UUIDs before texts, UUIDs by their bits, texts by their UTF-8.
  public static func < (left: SyncID, right: SyncID) -> Bool {
    switch (left, right) {
    case (.uuid(let a, let b), .uuid(let c, let d)): a == c ? b < d : a < c
    case (.uuid, .text): true
    case (.text, .uuid): false
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    }
  }

  /// The identifier's text.
  public var description: String { string }
}
