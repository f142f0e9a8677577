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

  /// When a time-ordered UUID was made, in milliseconds since 1970; `nil` for other identifiers.
  var milliseconds: UInt64? {
    if case .uuid(let high, _) = self, high & 0xf000 == 0x7000 { high >> 16 } else { nil }
  }

  /// The identifier as the attribute `ticdsSyncID` holds it.
  public var string: String {
    switch self {
    case .text(let text):
      return text
    case .uuid(let high, let low):
      return String(unsafeUninitializedCapacity: 36) { output in
        let bytes = UnsafeMutableRawBufferPointer(output)
        func write(_ digits: UInt64, at offset: Int) {
          bytes.storeBytes(
            of: UInt32(truncatingIfNeeded: digits).littleEndian, toByteOffset: offset, as: UInt32.self)
        }
        let (first, second) = (Self.hexadecimal(high >> 32), Self.hexadecimal(high))
        let (third, fourth) = (Self.hexadecimal(low >> 32), Self.hexadecimal(low))
        write(first, at: 0)
        write(first >> 32, at: 4)
        write(second, at: 9)
        write(second >> 32, at: 14)
        write(third, at: 19)
        write(third >> 32, at: 24)
        write(fourth, at: 28)
        write(fourth >> 32, at: 32)
        for dash in [8, 13, 18, 23] { output[dash] = UInt8(ascii: "-") }
        return 36
      }
    }
  }

  /// The last eight hexadecimal digits of a number as text, the first digit in the lowest byte.
  ///
  /// All digits at once: a save makes an identifier for every new object.
  @inline(__always) private static func hexadecimal(_ number: UInt64) -> UInt64 {
    var digits = number & 0xffff_ffff
    digits = (digits | digits << 16) & 0x0000_ffff_0000_ffff
    digits = (digits | digits << 8) & 0x00ff_00ff_00ff_00ff
    digits = (digits | digits << 4) & 0x0f0f_0f0f_0f0f_0f0f
    let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return (digits + 0x3030_3030_3030_3030 + letters * 7).byteSwapped
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

extension SyncID {
  /// Whether two identifiers are the same bytes. Texts that only look alike, as composed and decomposed characters do, differ.
  public static func == (left: SyncID, right: SyncID) -> Bool {
    switch (left, right) {
    case (.uuid(let a, let b), .uuid(let c, let d)): a == c && b == d
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.uuid, .text), (.text, .uuid): false
    }
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .uuid(let high, let low):
      hasher.combine(high)
      hasher.combine(low)
    case .text(var text):
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
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
