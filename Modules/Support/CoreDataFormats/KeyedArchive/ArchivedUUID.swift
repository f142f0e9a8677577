/// Sixteen bytes of an `NSUUID`.
public struct ArchivedUUID: Hashable, Sendable, CustomStringConvertible {
  /// The first eight bytes, most significant first.
  public let high: UInt64
  /// The last eight bytes, most significant first.
  public let low: UInt64

  /// Makes an identifier from its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes an identifier from its sixteen bytes; `nil` for another number of bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    high = bytes[...].bigEndian(at: 0, size: 8)
    low = bytes[...].bigEndian(at: 8, size: 8)
  }

  /// The sixteen bytes.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    bytes.appendBigEndian(high, size: 8)
    bytes.appendBigEndian(low, size: 8)
    return bytes
  }

  /// Upper-case hexadecimal digits in groups of 8, 4, 4, 4 and 12.
  public var description: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 0x0F)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
