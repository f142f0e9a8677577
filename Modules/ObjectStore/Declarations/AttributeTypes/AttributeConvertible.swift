import Foundation

/// A Swift type that an attribute can hold.
///
/// Conform a type of your own by turning it into one of the types that conform already. An enumeration with raw values
/// needs only ``absentValue``:
/// ```swift
/// enum Priority: Int16, AttributeConvertible { case low, high; static let absentValue = Priority.low }
/// ```
/// A conversion must be pure: equal values give equal attribute values, and back.
public protocol AttributeConvertible: SendableMetatype {
  /// The type of the attribute in the model.
  static var attributeType: AttributeType { get }
  /// Whether `null` is a value of this type.
  static var allowsNull: Bool { get }
  /// What a property of this type reads when the store holds no value and the attribute has no default, or none that fits.
  static var absentValue: Self { get }
  /// Reads a value; `nil` if it is not of this type.
  init?(attributeValue: AttributeValue)
  /// The value as the store holds it.
  var attributeValue: AttributeValue { get }
  /// Reads the value of an object's property; `nil` if it is not of this type.
  ///
  /// There is no need to implement it. Types of the library read what was just fetched without an ``AttributeValue``.
  static func value(of object: ManagedObject, at index: Int) -> Self?
}

extension AttributeConvertible {
  /// `false`: only optionals hold `null`.
  public static var allowsNull: Bool { false }

  /// Reads the value of an object's property; `nil` if it is not of this type.
  @inlinable public static func value(of object: ManagedObject, at index: Int) -> Self? {
    Self(attributeValue: object.value(at: index))
  }

  /// What a property reads for which the store has no value: the attribute's default.
  @usableFromInline static func valueInstead(of object: ManagedObject, at index: Int) -> Self {
    Self(attributeValue: object.defaultValue(at: index)) ?? absentValue
  }
}

extension Optional: AttributeConvertible where Wrapped: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { Wrapped.attributeType }
  /// Whether `null` is a value of this type.
  public static var allowsNull: Bool { true }
  /// What a property of this type reads when there is no value.
  @inlinable public static var absentValue: Wrapped? { nil }

  /// Reads a value; `nil` if it is not of this type.
  @inlinable public init?(attributeValue: AttributeValue) {
    // What is no value of the type reads as none.
    let value: Wrapped? = Wrapped(attributeValue: attributeValue)
    self = value
  }

  /// Reads the value of an object's property.
  @inlinable public static func value(of object: ManagedObject, at index: Int) -> Wrapped?? {
    .some(Wrapped.value(of: object, at: index))
  }

  /// The value as the store holds it.
  @inlinable public var attributeValue: AttributeValue {
    switch self {
    case .some(let value): value.attributeValue
    case .none: .null
    }
  }
}

extension RawRepresentable where Self: AttributeConvertible, RawValue: AttributeConvertible {
  /// The type of the raw value.
  public static var attributeType: AttributeType { RawValue.attributeType }

  /// Reads the raw value.
  @inlinable public init?(attributeValue: AttributeValue) {
    guard let raw = RawValue(attributeValue: attributeValue) else { return nil }
    self.init(rawValue: raw)
  }

  /// Reads the raw value of an object's property.
  @inlinable public static func value(of object: ManagedObject, at index: Int) -> Self? {
    RawValue.value(of: object, at: index).flatMap { Self(rawValue: $0) }
  }

  /// The raw value.
  @inlinable public var attributeValue: AttributeValue { rawValue.attributeValue }
}
