import Foundation
import ObjectStore

/// The place of a number among those of all types, which an attribute has in different versions of the model.
///
/// An order of all is needed, or what is kept of several would depend on which came first. Rounding to a double keeps the order of each
/// type, and what that cannot tell apart decimals do.
struct NumericRank: Comparable {
  private let rounded: Double
  private let exact: Decimal?

  init?(_ value: AttributeValue) {
    switch value {
    case .boolean(let flag): (rounded, exact) = (flag ? 1 : 0, flag ? 1 : 0)
    case .integer(let number): (rounded, exact) = (Double(number), Decimal(number))
    case .float(let number): (rounded, exact) = (Double(number), Decimal(nearest: Double(number)))
    case .double(let number), .date(let number): (rounded, exact) = (number, Decimal(nearest: number))
    // Foundation's own conversion does not round to the nearest.
    case .decimal(let number): (rounded, exact) = (Double(number.description) ?? 0, number)
    case .null, .string, .data, .uuid, .uri, .reference: return nil
    }
  }

  static func < (left: NumericRank, right: NumericRank) -> Bool {
    if left.rounded.bitPattern != right.rounded.bitPattern {
      return left.rounded.isTotallyOrdered(belowOrEqualTo: right.rounded)
    }
    guard let exact = left.exact, let other = right.exact else { return false }
    return exact < other
  }
}
