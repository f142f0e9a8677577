extension [UInt8] {
  /// Appends a little-endian base-128 integer: seven bits a byte, the top bit set on all but the last.
  @inline(__always)
  mutating func appendVarint(_ value: UInt64) {
    var value = value
    while value >= 0x80 {
      append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    append(UInt8(truncatingIfNeeded: value))
  }

  /// Appends a signed integer as a varint, small magnitudes first: 0, -1, 1, -2, …
  @inline(__always)
  mutating func appendZigzag(_ value: Int64) {
    appendVarint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  /// Appends the low `count` bytes, most significant first.
  @inline(__always)
  mutating func appendBigEndian(_ value: UInt64, count: Int = 8) {
    var shift = UInt64(8 * count)
    while shift > 0 {
      shift -= 8
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Appends text as its length in bytes and its UTF-8.
  mutating func appendText(_ text: String) {
    var text = text
    text.withUTF8 {
      appendVarint(UInt64($0.count))
      append(contentsOf: $0)
    }
  }
}
