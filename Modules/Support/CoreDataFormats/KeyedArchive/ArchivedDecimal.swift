/// An `NSDecimalNumber`: sign, up to 128 bits of mantissa and a power of ten.
///
/// `value = (isNegative ? -1 : 1) * mantissa * 10^exponent`. The exponent of a real decimal lies in -128 ... 127.
public struct ArchivedDecimal: Hashable, Sendable, CustomStringConvertible {
  /// Whether the number is below zero. Together with a mantissa of zero it means "not a number".
  public let isNegative: Bool
  /// The digits as one integer.
  public let mantissa: UInt128
  /// The power of ten.
  public let exponent: Int8

  /// Makes a decimal from its parts, without normalising trailing zeros.
  public init(isNegative: Bool, mantissa: UInt128, exponent: Int8) {
    self.isNegative = isNegative
    self.mantissa = mantissa
    self.exponent = exponent
  }

  /// The value that stands for "not a number".
  public static let notANumber = ArchivedDecimal(isNegative: true, mantissa: 0, exponent: 0)

  /// Parses decimal notation, for example `-12.50`, `1e-7` or `NaN`; `nil` if the text is no number or has more
  /// digits than 128 bits hold. Trailing zeros of the fraction are dropped.
  public init?(_ text: String) {
    if text == "NaN" {
      self = .notANumber
      return
    }
    var digits = text[...]
    let isNegative = digits.first == "-"
    if isNegative || digits.first == "+" { digits = digits.dropFirst() }
    var exponent = 0
    if let mark = digits.firstIndex(where: { $0 == "e" || $0 == "E" }) {
      guard let power = Int(digits[digits.index(after: mark)...]), abs(power) < 1_000 else { return nil }
      exponent = power
      digits = digits[..<mark]
    }
    let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : ""
    let all = (parts[0] + fraction).utf8
    guard !all.isEmpty, all.count < 1_000 else { return nil }
    exponent -= fraction.utf8.count
    var mantissa: UInt128 = 0
    var zeros = 0
    for digit in all {
      guard (0x30...0x39).contains(digit) else { return nil }
      // Zeros are held back until a digit follows, so that they cost no bits at the end.
      zeros += 1
      guard digit != 0x30 else { continue }
      for _ in 0..<(mantissa == 0 ? 1 : zeros) {
        let product = mantissa.multipliedReportingOverflow(by: 10)
        guard !product.overflow else { return nil }
        mantissa = product.partialValue
      }
      let sum = mantissa.addingReportingOverflow(UInt128(digit - 0x30))
      guard !sum.overflow else { return nil }
      mantissa = sum.partialValue
      zeros = 0
    }
    guard mantissa != 0 else {
      self.init(isNegative: false, mantissa: 0, exponent: 0)
      return
    }
    exponent += zeros
    while exponent > 127 {
      let product = mantissa.multipliedReportingOverflow(by: 10)
      guard !product.overflow else { return nil }
      mantissa = product.partialValue
      exponent -= 1
    }
    guard let exponent = Int8(exactly: exponent) else { return nil }
    self.init(isNegative: isNegative, mantissa: mantissa, exponent: exponent)
  }

  /// Plain decimal notation without an exponent, or `NaN`.
  public var description: String {
    guard mantissa != 0 else { return isNegative ? "NaN" : "0" }
    let sign = isNegative ? "-" : ""
    let digits = String(mantissa)
    guard exponent < 0 else { return sign + digits + String(repeating: "0", count: Int(exponent)) }
    let places = -Int(exponent)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return sign + padded.dropLast(places) + "." + padded.suffix(places)
  }
}
