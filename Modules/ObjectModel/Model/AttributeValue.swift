import Foundation

/// The value of an attribute, or the target of a to-one relationship, without its Swift type.
///
/// Seventeen bytes: the rare decimal is boxed, so that the values of an object lie close together.
@frozen public enum AttributeValue: Hashable, Sendable {
  /// No value.
  case null
  /// True or false.
  case boolean(Bool)
  /// An integer of 16, 32 or 64 bits; the attribute's type tells its range.
  case integer(Int64)
  /// A number of 64 bits.
  case double(Double)
  /// A number of 32 bits.
  case float(Float)
  /// A decimal number.
  indirect case decimal(Decimal)
  /// Text.
  case string(String)
  /// Seconds since 2001-01-01 00:00 UTC.
  case date(Double)
  /// Bytes of a binary or transformable attribute.
  case data([UInt8])
  /// A universally unique identifier.
  case uuid(UUID)
  /// A uniform resource identifier, as text.
  case uri(String)
  /// The target of a to-one relationship: index of its entity in the model, and its key. Negative keys are temporary.
  case reference(entity: Int32, key: Int64)

  /// Whether there is no value.
  @inlinable public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}
