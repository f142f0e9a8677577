import Foundation

/// A type of attribute that can be computed with. Do not conform others.
public protocol ArithmeticValue: AttributeConvertible {
  /// What a sum of many is.
  associatedtype Sum: AttributeConvertible
}

extension Int: ArithmeticValue {
  /// Sums of whole numbers have 64 bits.
  public typealias Sum = Int
}

extension Int64: ArithmeticValue {
  /// Sums of whole numbers have 64 bits.
  public typealias Sum = Int
}

extension Int32: ArithmeticValue {
  /// Sums of whole numbers have 64 bits.
  public typealias Sum = Int
}

extension Int16: ArithmeticValue {
  /// Sums of whole numbers have 64 bits.
  public typealias Sum = Int
}

extension Double: ArithmeticValue {
  /// Sums have 64 bits.
  public typealias Sum = Double
}

extension Float: ArithmeticValue {
  /// Sums have 64 bits.
  public typealias Sum = Double
}

extension Decimal: ArithmeticValue {
  /// SQLite computes with 64 bits, so a sum of decimals is exact to fifteen digits only.
  public typealias Sum = Double
}

extension Optional: ArithmeticValue where Wrapped: ArithmeticValue {
  /// Missing values do not count.
  public typealias Sum = Wrapped.Sum
}

extension AttributeValue: ArithmeticValue {
  /// Whatever the values are.
  public typealias Sum = AttributeValue
}

extension AttributeValue: AttributeConvertible {
  /// Any type.
  public static var attributeType: AttributeType { .undefined }
  /// Whether `null` is a value of this type.
  public static var allowsNull: Bool { true }
  /// No value.
  public static var absentValue: AttributeValue { .null }
  /// The value itself.
  public init?(attributeValue: AttributeValue) { self = attributeValue }
  /// The value itself.
  public var attributeValue: AttributeValue { self }
}
