import Foundation

extension Decimal {
  private static let leastExponent = -128

  /// The decimal nearest to a number, with the digits by which the number is told from others; `nil` if it is beyond what decimals hold.
  ///
  /// Foundation's own conversion has no result for numbers close to zero and other digits for many.
  package init?(nearest number: Double) {
    guard number.isFinite else { return nil }
    if let decimal = Decimal(string: number.description, locale: nil) {
      self = decimal
      return
    }
    if number.magnitude > 1 {
      let decimal = Decimal(number)
      if decimal.isNaN { return nil }
      self = decimal
      return
    }
    // Its last digits are beyond the least power of ten, so what is left of it fits 64 bits.
    let digits = (number.magnitude * 1e128).rounded()
    guard digits > 0, let significand = UInt64(exactly: digits) else {
      self = 0
      return
    }
    self.init(sign: number.sign, exponent: Self.leastExponent, significand: Decimal(significand))
  }
}
