import CoreDataFormats
import Foundation

extension Decimal {
  /// The number in the text that SQLite makes of a column; `nil` if there is none. Closer to zero than decimals reach it is the nearest.
  init?(stored text: String) {
    if let number = Decimal(string: text) {
      self = number
      return
    }
    // SQLite writes 1E-128 as 1.0e-128, and a decimal has no place for that zero.
    if let parts = ArchivedDecimal(text), parts.mantissa != 0,
      let number = Decimal(string: "\(parts.isNegative ? "-" : "")\(parts.mantissa)e\(parts.exponent)")
    {
      self = number
      return
    }
    guard let small = Double(text), small.magnitude < 1, let number = Decimal(nearest: small) else {
      return nil
    }
    self = number
  }

  /// Whether the text that SQLite makes of a column is a number from end to end: Foundation reads as far as it understands.
  static func isStored(_ text: String) -> Bool {
    // Archived decimals have no place for what is closer to zero than they reach.
    let isTiny = Double(text) != nil && text.contains("e-")
    guard ArchivedDecimal(text).map({ $0 != .notANumber }) ?? isTiny else { return false }
    return Decimal(stored: text) != nil
  }
}

extension AttributeValue {
  /// Whether SQLite keeps every digit: of decimals that are no whole numbers of 64 bits it keeps fifteen.
  package var isKeptExactly: Bool {
    guard case .decimal(let number) = self, Int64("\(number)") == nil else { return true }
    let digits = "\(number)".filter(\.isNumber).drop { $0 == "0" }
    return digits.count - digits.reversed().prefix { $0 == "0" }.count <= 15
  }
}
