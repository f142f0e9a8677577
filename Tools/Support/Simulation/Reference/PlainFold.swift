import ChangeTracking
import Foundation
import ObjectStore

/// What contributions show together.
struct PlainFold {
  let merge: MergeKind
  let initial: AttributeValue
  /// What the attribute can hold, if it holds whole numbers.
  let range: ClosedRange<Int64>?

  /// - Parameter held: gives a value of another version of the model as the attribute holds it.
  func value(
    base: AttributeValue, _ contributions: Set<ReferenceState.Contribution>,
    held: (AttributeValue) -> AttributeValue
  ) -> AttributeValue {
    // In one order, so that sums of fractions round alike.
    let ordered = contributions.sorted { left, right in
      if left.stamp != right.stamp { return right.stamp.isAfter(left.stamp) }
      return PlainContent.bytes(of: left.value).lexicographicallyPrecedes(PlainContent.bytes(of: right.value))
    }
    if merge == .counter {
      let values = [base.isNull ? initial : held(base)] + ordered.map { held($0.value) }
      return range.map { wholeSum(of: values, $0) } ?? values.reduce(.null, Self.sum)
    }
    // They are compared as they were made, whatever the attribute can hold.
    let values = (base.isNull ? [] : [held(base)]) + ordered.map(\.value)
    return held(
      values.dropFirst().reduce(values.first ?? initial) { best, next in
        let isBetter = merge == .smallest ? Self.isLess(next, best) : Self.isLess(best, next)
        return isBetter ? next : best
      })
  }

  /// The sum of whole numbers, or the nearest that fits. A difference of two that is too great for their type travels as a decimal.
  private func wholeSum(of values: [AttributeValue], _ range: ClosedRange<Int64>) -> AttributeValue {
    let numbers = values.compactMap { value -> Int128? in
      switch value {
      case .integer(let number): Int128(number)
      case .decimal(let number): Int128(number.description)
      default: nil
      }
    }
    if numbers.isEmpty { return .null }
    return .integer(Int64(min(Int128(range.upperBound), max(Int128(range.lowerBound), numbers.reduce(0, +)))))
  }

  private static func sum(_ left: AttributeValue, _ right: AttributeValue) -> AttributeValue {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): .integer(left + right)
    // Of opposite infinities nothing is left.
    case (.double(let left), .double(let right)): .double((left + right).isNaN ? 0 : left + right)
    case (.decimal(let left), .decimal(let right)): .decimal(left + right)
    case (_, .null): left
    default: right
    }
  }

  /// Numbers of all types by their value, before others by their bytes.
  private static func isLess(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
    if case (.integer(let left), .integer(let right)) = (left, right) { return left < right }
    switch (left.plainNumber, right.plainNumber) {
    case (let left?, let right?): return left < right
    case (_?, nil): return true
    case (nil, _?): return false
    case (nil, nil):
      return PlainContent.bytes(of: left).lexicographicallyPrecedes(PlainContent.bytes(of: right))
    }
  }
}
