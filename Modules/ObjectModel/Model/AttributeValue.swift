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

  /// Whether it is a result that is no number, which SQLite does not keep.
  public var isNotANumber: Bool {
    switch self {
    case .double(let value), .date(let value): value.isNaN
    case .float(let value): value.isNaN
    case .decimal(let value): value.isNaN
    default: false
    }
  }
}

extension AttributeValue {
  /// Whether two values are stored alike. Texts are the same if their bytes are: a store tells “é” as one character from “e” with an accent, and
  /// so does Core Data, while `String` does not.
  @inlinable public static func == (left: AttributeValue, right: AttributeValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.float(let left), .float(let right)): left == right
    case (.decimal(let left), .decimal(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.date(let left), .date(let right)): left == right
    case (.data(let left), .data(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.uri(let left), .uri(let right)): left.utf8.elementsEqual(right.utf8)
    case (.reference(let entity, let key), .reference(let otherEntity, let otherKey)):
      entity == otherEntity && key == otherKey
    default: false
    }
  }
}
