import CoreDataFormats
import Foundation
import ObjectStore

/// A number to compute and compare with: a decimal, so that 0.1 + 0.2 is 0.3, and a double where no decimal holds it.
enum QueryNumber {
  case decimal(Decimal)
  case double(Double)

  private static let notation = Set("0123456789+-.eE".utf8)

  /// `nil` if the value is no number.
  init?(_ value: AttributeValue) {
    switch value {
    case .boolean(let value): self = .decimal(value ? 1 : 0)
    case .integer(let value): self = .decimal(Decimal(value))
    // Its shortest notation, not its binary value, is what a person compares with.
    case .double(let value): self = Self.number(value, notation: "\(value)")
    case .float(let value): self = Self.number(Double(value), notation: "\(value)")
    case .decimal(let value): self = value.isNaN ? .double(.nan) : .decimal(value)
    default: return nil
    }
  }

  /// `nil` if the text writes no number.
  init?(text: String) {
    // Double reads more than conditions know, such as “nan” and hexadecimal digits.
    guard text.utf8.allSatisfy({ Self.notation.contains($0) }), let value = Double(text) else { return nil }
    self = Self.number(value, notation: text)
  }

  private static func number(_ value: Double, notation: String) -> QueryNumber {
    // Foundation reads as far as it understands and as many digits as it holds; the other type tells whether that is all. Numbers that
    // it holds only with zeros behind its digits are left to doubles, which hold them as well.
    guard abs(value) < 1e128, ArchivedDecimal(notation) != nil,
      let decimal = Decimal(string: notation, locale: nil),
      !decimal.isNaN
    else { return .double(value) }
    return .decimal(decimal)
  }

  /// What has no result is missing.
  var value: AttributeValue {
    switch self {
    case .decimal(let value): .decimal(value)
    case .double(let value): value.isNaN ? .null : .double(value)
    }
  }

  var asDouble: Double {
    switch self {
    // The text is read to the nearest double, while Foundation's conversion rounds with every digit.
    case .decimal(let value): Double("\(value)") ?? .nan
    case .double(let value): value
    }
  }

  /// Computes; what has no result, as a division by 0, is not a number.
  func computing(_ operation: QueryCondition.Arithmetic, with other: QueryNumber) -> QueryNumber {
    let (first, second) = (asDouble, other.asDouble)
    if operation == .divide, second == 0 { return .double(.nan) }
    let estimate = operation.apply(first, second)
    if case .decimal(let left) = self, case .decimal(let right) = other, Self.isHeld(estimate) {
      let result = operation.apply(left, right)
      if !result.isNaN { return .decimal(result) }
    }
    return .double(estimate)
  }

  /// Whether decimals hold numbers of a magnitude with all their digits, which end at 10^-128.
  private static func isHeld(_ estimate: Double) -> Bool {
    estimate == 0 || (1e-90...1e120).contains(abs(estimate))
  }

  /// How two numbers are ordered; `nil` if one is not a number.
  static func order(_ left: QueryNumber, _ right: QueryNumber) -> ComparisonResult? {
    if case .decimal(let left) = left, case .decimal(let right) = right {
      return left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }
    let (first, second) = (left.asDouble, right.asDouble)
    if first == second { return .orderedSame }
    if first < second { return .orderedAscending }
    return first > second ? .orderedDescending : nil
  }
}

extension QueryCondition.Arithmetic {
  fileprivate func apply(_ left: Double, _ right: Double) -> Double {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    }
  }

  fileprivate func apply(_ left: Decimal, _ right: Decimal) -> Decimal {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    }
  }
}
