import Foundation

/// A type that an attribute holds as JSON, in a binary attribute: for what has parts but no identity of its own.
///
/// ```swift
/// struct Address: CodableAttribute {
///   var street = ""
///   var town = ""
///   static let absentValue = Address()
/// }
///
/// final class Person: ManagedObject {
///   @Attribute var home: Address?
///   @Attribute var nicknames: [String]
/// }
/// ```
/// The value is one: requests compare it as a whole, and of two devices that change it the later one wins. Equal values must be encoded
/// equally, which is so unless a `Set`, or a dictionary whose keys are no texts, is among the parts. A value whose `encode(to:)` throws is
/// refused by the next save, which names the property.
///
/// A part that a later version of the type adds is read of older values as `absentValue` has it. One whose type has changed is not read at
/// all: give such a part another name.
public protocol CodableAttribute: AttributeConvertible, AttributeListElement {}

extension CodableAttribute {
  /// Binary.
  public static var attributeType: AttributeType { .binary }
  /// Reads JSON; `nil` if it is none, or not of this type.
  public init?(attributeValue: AttributeValue) {
    guard
      let value = AttributeCoding.decode(Self.self, from: attributeValue)
        ?? AttributeCoding.decode(Self.self, from: attributeValue, filledFrom: Self.absentValue)
    else { return nil }
    self = value
  }
  /// Reads JSON.
  public static func list(from attributeValue: AttributeValue) -> [Self]? {
    AttributeCoding.decode([Self].self, from: attributeValue)
      ?? AttributeCoding.decode([Self].self, from: attributeValue, filledFrom: [absentValue])
  }
  /// The value as JSON, with keys in order.
  public var attributeValue: AttributeValue { AttributeCoding.encode(self) }
}

/// What an attribute can be a list of.
///
/// A list is stored as JSON in a binary attribute; one of bytes as those bytes. Types of your own are listed if they are a
/// ``CodableAttribute``.
public protocol AttributeListElement: Codable, SendableMetatype {
  /// Reads a list; `nil` if it is none of such elements.
  static func list(from attributeValue: AttributeValue) -> [Self]?
  /// A list as the store holds it.
  static func attributeValue(of list: [Self]) -> AttributeValue
}

extension AttributeListElement {
  /// Reads JSON.
  public static func list(from attributeValue: AttributeValue) -> [Self]? {
    AttributeCoding.decode([Self].self, from: attributeValue)
  }
  /// The list as JSON.
  public static func attributeValue(of list: [Self]) -> AttributeValue { AttributeCoding.encode(list) }
}

extension Array: AttributeConvertible where Element: AttributeListElement {
  /// Binary.
  public static var attributeType: AttributeType { .binary }
  /// What a property of this type reads when there is no value.
  @inlinable public static var absentValue: [Element] { [] }
  /// Reads a value; `nil` if it is not of this type.
  @inlinable public init?(attributeValue: AttributeValue) {
    guard let list = Element.list(from: attributeValue) else { return nil }
    self = list
  }
  /// The value as the store holds it.
  @inlinable public var attributeValue: AttributeValue { Element.attributeValue(of: self) }
}

extension UInt8: AttributeListElement {
  /// The bytes themselves.
  @inlinable public static func list(from attributeValue: AttributeValue) -> [UInt8]? {
    guard case .data(let bytes) = attributeValue else { return nil }
    return bytes
  }
  /// The bytes themselves.
  @inlinable public static func attributeValue(of list: [UInt8]) -> AttributeValue { .data(list) }
}

extension String: AttributeListElement {}
extension Bool: AttributeListElement {}
extension Int: AttributeListElement {}
extension Int64: AttributeListElement {}
extension Int32: AttributeListElement {}
extension Int16: AttributeListElement {}
extension Double: AttributeListElement {}
extension Float: AttributeListElement {}
extension Decimal: AttributeListElement {}
extension Date: AttributeListElement {}
extension UUID: AttributeListElement {}
extension URL: AttributeListElement {}

/// Values as JSON and back.
private enum AttributeCoding {
  private static let words = (infinity: "Infinity", negative: "-Infinity", none: "NaN")

  static func decode<Value: Decodable>(_ type: Value.Type, from value: AttributeValue) -> Value? {
    guard case .data(let bytes) = value else { return nil }
    return try? decoder.decode(type, from: Data(bytes))
  }

  /// Decodes a value, or each of a list, of which an earlier version of its type has written less than this one reads.
  ///
  /// - Parameter absent: has the parts that are missing; of a list in its first element.
  static func decode<Value: Codable>(
    _ type: Value.Type, from value: AttributeValue, filledFrom absent: Value
  ) -> Value? {
    guard case .data(let bytes) = value,
      let written = try? decoder.decode(JSONTree.self, from: Data(bytes)),
      let parts = try? decoder.decode(JSONTree.self, from: encoder.encode(absent))
    else { return nil }
    let filled: JSONTree =
      if case .array(let elements) = written, case .array(let parts) = parts, let part = parts.first {
        .array(elements.map { $0.filled(from: part) })
      } else {
        written.filled(from: parts)
      }
    return (try? encoder.encode(filled)).flatMap { try? decoder.decode(type, from: $0) }
  }

  private static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: words.infinity, negativeInfinity: words.negative, nan: words.none)
    return decoder
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: words.infinity, negativeInfinity: words.negative, nan: words.none)
    return encoder
  }

  static func encode(_ value: some Encodable) -> AttributeValue {
    do {
      return .data([UInt8](try encoder.encode(value)))
    } catch {
      // Of another type than the attribute, so that no save takes it for a value.
      return .string("cannot be encoded: \(error)")
    }
  }
}
