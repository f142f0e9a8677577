import Foundation

extension String: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { .string }
  /// What a property of this type reads when there is no value.
  @inlinable public static var absentValue: String { "" }
  /// Reads a value; `nil` if it is not of this type.
  @inlinable public init?(attributeValue: AttributeValue) {
    guard case .string(let value) = attributeValue else { return nil }
    self = value
  }
  /// Reads the value of an object's property; `nil` if it is no text.
  @inlinable public static func value(of object: ManagedObject, at index: Int) -> String? {
    object.packedString(at: index) ?? String(attributeValue: object.value(at: index))
  }
  /// The value as the store holds it.
  @inlinable public var attributeValue: AttributeValue { .string(self) }
}

extension Bool: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { .boolean }
  /// What a property of this type reads when there is no value.
  @inlinable public static var absentValue: Bool { false }
  /// Reads a value; `nil` if it is not of this type.
  @inlinable public init?(attributeValue: AttributeValue) {
    guard case .boolean(let value) = attributeValue else { return nil }
    self = value
  }
  /// The value as the store holds it.
  @inlinable public var attributeValue: AttributeValue { .boolean(self) }
}

extension AttributeConvertible where Self: FixedWidthInteger & SignedInteger {
  /// Zero.
  @inlinable public static var absentValue: Self { 0 }
  /// Reads an integer that this type can hold.
  @inlinable public init?(attributeValue: AttributeValue) {
    guard case .integer(let value) = attributeValue else { return nil }
    self.init(exactly: value)
  }
  /// Reads the value of an object's property; `nil` if it is no integer that this type can hold.
  @inlinable public static func value(of object: ManagedObject, at index: Int) -> Self? {
    if let integer = object.packedInteger(at: index) { return Self(exactly: integer) }
    return Self(attributeValue: object.value(at: index))
  }
  /// The integer, widened.
  @inlinable public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension Int: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { .integer64 }
}

extension Int64: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { .integer64 }
}

extension Int32: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { .integer32 }
}

extension Int16: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { .integer16 }
}

extension Double: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { .double }
  /// What a property of this type reads when there is no value.
  @inlinable public static var absentValue: Double { 0 }
  /// Reads a value; `nil` if it is not of this type.
  @inlinable public init?(attributeValue: AttributeValue) {
    guard case .double(let value) = attributeValue else { return nil }
    self = value
  }
  /// The value as the store holds it.
  @inlinable public var attributeValue: AttributeValue { .double(self) }
}

extension Float: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { .float }
  /// What a property of this type reads when there is no value.
  @inlinable public static var absentValue: Float { 0 }
  /// Reads a value; `nil` if it is not of this type.
  @inlinable public init?(attributeValue: AttributeValue) {
    guard case .float(let value) = attributeValue else { return nil }
    self = value
  }
  /// The value as the store holds it.
  @inlinable public var attributeValue: AttributeValue { .float(self) }
}

extension Decimal: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { .decimal }
  /// What a property of this type reads when there is no value.
  public static var absentValue: Decimal { 0 }
  /// Reads a value; `nil` if it is not of this type.
  public init?(attributeValue: AttributeValue) {
    guard case .decimal(let value) = attributeValue else { return nil }
    self = value
  }
  /// The value as the store holds it.
  public var attributeValue: AttributeValue { .decimal(self) }
}

extension Date: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { .date }
  /// The reference date, 2001-01-01 00:00 UTC.
  @inlinable public static var absentValue: Date { Date(timeIntervalSinceReferenceDate: 0) }
  /// Reads a value; `nil` if it is not of this type.
  @inlinable public init?(attributeValue: AttributeValue) {
    guard case .date(let seconds) = attributeValue else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
  /// The value as the store holds it.
  @inlinable public var attributeValue: AttributeValue { .date(timeIntervalSinceReferenceDate) }
}

extension UUID: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { .uuid }
  /// The nil UUID, all zeros.
  public static var absentValue: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
  /// Reads a value; `nil` if it is not of this type.
  @inlinable public init?(attributeValue: AttributeValue) {
    guard case .uuid(let value) = attributeValue else { return nil }
    self = value
  }
  /// The value as the store holds it.
  @inlinable public var attributeValue: AttributeValue { .uuid(self) }
}

extension URL: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { .uri }
  /// The root of the file system.
  public static var absentValue: URL { URL(filePath: "/") }
  /// Reads a value; `nil` if it is not of this type.
  public init?(attributeValue: AttributeValue) {
    guard case .uri(let text) = attributeValue else { return nil }
    self.init(string: text)
  }
  /// The value as the store holds it.
  public var attributeValue: AttributeValue { .uri(absoluteString) }
}

extension Data: AttributeConvertible {
  /// The type of the attribute in the model.
  public static var attributeType: AttributeType { .binary }
  /// What a property of this type reads when there is no value.
  public static var absentValue: Data { Data() }
  /// Reads a value; `nil` if it is not of this type.
  public init?(attributeValue: AttributeValue) {
    guard case .data(let bytes) = attributeValue else { return nil }
    self.init(bytes)
  }
  /// The value as the store holds it.
  public var attributeValue: AttributeValue { .data([UInt8](self)) }
}
