/// A number that stands for one thing. Those of different things are different types, so that none is taken for another.
public protocol IdentifyingNumber: RawRepresentable, Hashable, Comparable, Sendable
where RawValue: BinaryInteger & Sendable {
  /// Wraps a number.
  init(rawValue: RawValue)
}

extension IdentifyingNumber {
  /// Orders by the numbers.
  @inlinable public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
