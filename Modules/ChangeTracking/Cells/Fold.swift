import Foundation
import ObjectStore

/// One thing that somebody said to a property that is merged by folding: what he added to a counter, or a candidate for the
/// greatest or smallest value. It is never changed, only erased by a later deletion of its object.
struct Contribution: Hashable {
  /// When and by whom it was made. Together with the value it tells one contribution from another.
  var origin: Stamp
  var value: AttributeValue
}

/// What contributions show together.
///
/// They are taken in one order on all devices, so that sums of numbers with rounding agree as well.
struct Fold {
  let kind: MergeKind
  /// What the property holds before anybody contributed.
  let initial: AttributeValue

  /// The value shown.
  ///
  /// - Parameter base: What was written before the model declared the merge, or by a device that does not know of it.
  func value(base: AttributeValue, _ contributions: [Contribution]) -> AttributeValue {
    let ordered = contributions.sorted(by: Self.precedes)
    switch kind {
    case .counter:
      return ordered.reduce(start(base)) { Self.sum($0, $1.value) }
    case .greatest, .smallest:
      let candidates = (base.isNull ? [] : [base]) + ordered.map(\.value)
      return candidates.dropFirst().reduce(candidates.first ?? initial) { beats($1, $0) ? $1 : $0 }
    case .latest, .group:
      return base
    }
  }

  /// What a fold of contributions begins with.
  func start(_ base: AttributeValue) -> AttributeValue { kind == .counter && base.isNull ? initial : base }

  /// What a fold shows with one contribution more; `nil` if that depends on the order of all.
  ///
  /// - Parameter isLast: Whether it comes last in their order, which matters to sums alone.
  func adding(_ contribution: AttributeValue, to value: AttributeValue, isLast: Bool) -> AttributeValue? {
    switch kind {
    case .counter:
      return isLast || Self.isExact(value, contribution) ? Self.sum(value, contribution) : nil
    case .greatest, .smallest:
      if beats(contribution, value) { return contribution }
      // Two that neither beats the other may be of different types.
      return contribution == value || beats(value, contribution) ? value : nil
    case .latest, .group:
      return nil
    }
  }

  /// Whether a fold shows the same without a contribution, whatever the others are.
  func isKept(_ value: AttributeValue, without contribution: AttributeValue) -> Bool {
    beats(value, contribution)
  }

  /// What a local write contributes; `nil` if it changes nothing.
  ///
  /// - Parameters:
  ///   - shown: The value shown before it.
  ///   - isFirst: Whether nobody has written before.
  func contribution(of written: AttributeValue, shown: AttributeValue, isFirst: Bool) -> AttributeValue? {
    if written.isNull || written == shown { return nil }
    switch kind {
    case .counter: return Self.difference(written, shown)
    case .greatest, .smallest: return isFirst || beats(written, shown) ? written : nil
    case .latest, .group: return nil
    }
  }

  /// Whether a contribution can never show as long as another is there, even if a deletion erases the older of the two.
  func isDominated(_ contribution: Contribution, by other: Contribution) -> Bool {
    guard kind == .greatest || kind == .smallest, contribution != other else { return false }
    return contribution.origin == other.origin
      ? beats(other.value, contribution.value)
      : contribution.origin < other.origin && !beats(contribution.value, other.value)
  }

  private func beats(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
    switch kind {
    case .greatest: Self.isLess(right, left)
    case .smallest: Self.isLess(left, right)
    case .latest, .counter, .group: false
    }
  }

  /// The order in which contributions are taken.
  static func precedes(_ left: Contribution, _ right: Contribution) -> Bool {
    if left.origin != right.origin { return left.origin < right.origin }
    return left.value.parkedBytes.lexicographicallyPrecedes(right.value.parkedBytes)
  }

  // MARK: Values

  /// Whether a contribution may be added to a sum though it does not come last: whole numbers give the same in any order.
  static func isExact(_ sum: AttributeValue, _ contribution: AttributeValue) -> Bool {
    if case (.integer, .integer) = (sum, contribution) { true } else { false }
  }

  /// Whether the order in which numbers are added does not matter as long as they are whole: no sum of them passes the bounds of whole numbers,
  /// beyond which it is rounded otherwise, however many there are.
  static func areSmall(
    _ contributions: some Sequence<AttributeValue>, from start: AttributeValue = .integer(0)
  )
    -> Bool
  {
    func isWithin(_ bound: UInt64, _ value: AttributeValue) -> Bool {
      if case .integer(let number) = value { number.magnitude < bound } else { true }
    }
    return isWithin(1 << 62, start) && contributions.allSatisfy { isWithin(1 << 31, $0) }
  }

  /// What is no number counts for nothing.
  static func sum(_ left: AttributeValue, _ right: AttributeValue) -> AttributeValue {
    guard right.isSummand else { return left }
    guard left.isSummand else { return right }
    return switch (left, right) {
    case (.integer(let left), .integer(let right)):
      whole(left.addingReportingOverflow(right)) ?? .decimal(Decimal(left) + Decimal(right))
    case (.decimal(let left), .decimal(let right)): .decimal(bounded(left + right, toward: left))
    // Opposite infinities take each other away.
    case (.float(let left), .float(let right)): .float((left + right).isNaN ? 0 : left + right)
    case (.double(let left), .double(let right)): .double((left + right).isNaN ? 0 : left + right)
    default: promotedSum(left, right)
    }
  }

  /// A result, or the nearest number to one that no decimal holds.
  private static func bounded(_ result: Decimal, toward operand: Decimal) -> Decimal {
    guard result.isNaN else { return result }
    return operand < 0 ? -Decimal.greatestFiniteMagnitude : Decimal.greatestFiniteMagnitude
  }

  private static func whole(_ result: (partialValue: Int64, overflow: Bool)) -> AttributeValue? {
    result.overflow ? nil : .integer(result.partialValue)
  }

  /// The sum of numbers of different types, which an attribute has in different versions of the model: in the type that holds more.
  private static func promotedSum(_ left: AttributeValue, _ right: AttributeValue) -> AttributeValue {
    guard let (first, second) = left.promoted(with: right) else { return left }
    return sum(first, second)
  }

  private static func difference(_ left: AttributeValue, _ right: AttributeValue) -> AttributeValue? {
    switch (left, right) {
    case (let left, .null): left
    case (.integer(let left), .integer(let right)):
      whole(left.subtractingReportingOverflow(right)) ?? .decimal(Decimal(left) - Decimal(right))
    case (.decimal(let left), .decimal(let right)): .decimal(bounded(left - right, toward: left))
    case (.float(let left), .float(let right)): .float(left - right)
    case (.double(let left), .double(let right)): .double(left - right)
    default: nil
    }
  }

  /// The order of all values: numbers, as which dates and truth values count too, before others, and these by their encoding.
  private static func isLess(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): return left < right
    case (.decimal(let left), .decimal(let right)): return left < right
    case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)):
      return left.utf8.lexicographicallyPrecedes(right.utf8)
    default: break
    }
    switch (NumericRank(left), NumericRank(right)) {
    case (let left?, let right?): return left < right
    case (.some, nil): return true
    case (nil, .some): return false
    case (nil, nil): return left.parkedBytes.lexicographicallyPrecedes(right.parkedBytes)
    }
  }
}
