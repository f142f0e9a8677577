extension ArchivedDecimal {
  /// The fields of `NSDecimalNumber`: the mantissa as eight digits of 16 bits, the least significant first.
  init?(fields: [String: PropertyList]) {
    guard let exponent = fields["NS.exponent"]?.integerValue, let exponent = Int8(exactly: exponent),
      let length = fields["NS.length"]?.integerValue, (0...8).contains(length),
      let bytes = fields["NS.mantissa"]?.dataValue, bytes.count >= 2 * Int(length), bytes.count <= 16
    else { return nil }
    // Order 2 is big-endian within each digit; absent and 1 are little-endian.
    let isBigEndian = fields["NS.mantissa.bo"]?.integerValue == 2
    var mantissa: UInt128 = 0
    for digit in (0..<Int(length)).reversed() {
      let first = UInt128(bytes[2 * digit])
      let second = UInt128(bytes[2 * digit + 1])
      mantissa = mantissa << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
    }
    self.init(
      isNegative: fields["NS.negative"]?.integerValue == 1, mantissa: mantissa, exponent: exponent)
  }

  var fields: [String: PropertyList] {
    var bytes: [UInt8] = []
    for position in 0..<16 { bytes.append(UInt8(truncatingIfNeeded: mantissa >> UInt128(8 * position))) }
    let bits = 128 - mantissa.leadingZeroBitCount
    return [
      "NS.exponent": .integer(Int64(exponent)), "NS.length": .integer(Int64((bits + 15) / 16)),
      "NS.negative": .boolean(isNegative), "NS.compact": .boolean(true), "NS.mantissa.bo": .integer(1),
      "NS.mantissa": .data(bytes),
    ]
  }
}
