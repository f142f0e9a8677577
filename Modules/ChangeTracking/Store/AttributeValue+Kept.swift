import Foundation
import ObjectStore

extension AttributeValue {
  /// The value as rows keep it, whatever the type of their attribute: SQLite has no negative zero, and keeps fifteen digits of a decimal that is no
  /// whole number of 64 bits.
  ///
  /// What is merged is brought into this form, or what is compared with it would depend on whether a row shows it or a set says it.
  var asRowsKeep: AttributeValue {
    switch self {
    case .double(0): .double(0)
    case .float(0): .float(0)
    case .date(0): .date(0)
    case .decimal(let number) where !isKeptExactly: .decimal(number.rounded(toDigits: 15))
    default: self
    }
  }
}

extension Register.Content {
  /// The content as rows keep it: no negative zero, and no more digits than those.
  var asRowsKeep: Register.Content {
    if case .value(let value) = self { .value(value.asRowsKeep) } else { self }
  }
}

extension Decimal {
  fileprivate func rounded(toDigits count: Int) -> Decimal {
    var (number, rounded) = (self, Decimal())
    let digits = "\(significand)".filter(\.isNumber).count
    NSDecimalRound(&rounded, &number, count - digits - exponent, .bankers)
    return rounded
  }
}
