extension ArraySlice<UInt8> {
  /// An unsigned integer of 1 to 8 bytes, most significant first. The caller has checked the bounds.
  func bigEndian(at start: Int, size: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in start..<start + size { value = value << 8 | UInt64(self[index]) }
    return value
  }
}

extension [UInt8] {
  /// Appends the lowest `size` bytes of a value, most significant first.
  mutating func appendBigEndian(_ value: UInt64, size: Int) {
    for position in stride(from: size - 1, through: 0, by: -1) {
      append(UInt8(truncatingIfNeeded: value >> UInt64(8 * position)))
    }
  }
}
