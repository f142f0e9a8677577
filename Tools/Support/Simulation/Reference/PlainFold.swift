import ChangeTracking
import Foundation
import ObjectStore

/// What contributions show together.
struct PlainFold {
  let merge: MergeKind
  let initial: AttributeValue

  func value(base: AttributeValue, _ contributions: Set<ReferenceState.Contribution>) -> AttributeValue {
    // In one order, so that sums of fractions round alike.
    let ordered = contributions.sorted { left, right in
      if left.stamp != right.stamp { return right.stamp.isAfter(left.stamp) }
      return PlainContent.bytes(of: left.value).lexicographicallyPrecedes(PlainContent.bytes(of: right.value))
    }
    var values = ordered.map(\.value)
    if !base.isNull {
      values.insert(base, at: 0)
    } else if merge == .counter || values.isEmpty {
      values.insert(initial, at: 0)
    }
    if merge == .counter { return values.reduce(.null, Self.sum) }
    return values.dropFirst().reduce(values.first ?? .null) { best, next in
      let isBetter = merge == .smallest ? Self.isLess(next, best) : Self.isLess(best, next)
      return isBetter ? next : best
    }
  }

  private static func sum(_ left: AttributeValue, _ right: AttributeValue) -> AttributeValue {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): .integer(left + right)
    case (.double(let left), .double(let right)): .double(left + right)
    case (.decimal(let left), .decimal(let right)): .decimal(left + right)
    case (_, .null): left
    default: right
    }
  }

  private static func isLess(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right
    case (.date(let left), .date(let right)), (.double(let left), .double(let right)): left < right
    default: false
    }
  }
}
