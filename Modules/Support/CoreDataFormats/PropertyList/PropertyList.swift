/// A value of a property list, with the reference type that only binary lists have.
public enum PropertyList: Hashable, Sendable {
  /// True or false.
  case boolean(Bool)
  /// A signed integer.
  case integer(Int64)
  /// An integer above `Int64.max`; smaller ones are always ``integer(_:)``.
  case unsigned(UInt64)
  /// A real of 8 bytes.
  case real(Double)
  /// A real of 4 bytes.
  case float(Float)
  /// A point in time: seconds since 2001-01-01 00:00 UTC.
  case date(Double)
  /// Bytes.
  case data([UInt8])
  /// Text.
  case string(String)
  /// A reference to an object of a keyed archive.
  case uid(UInt32)
  /// An ordered list.
  case array([PropertyList])
  /// A mapping from keys to values.
  case dictionary([String: PropertyList])
}

extension PropertyList {
  /// Whether two values are the same. Texts are if their characters are, one by one: archives keep “é” as one character and “e” with an accent
  /// apart, while `String` does not.
  public static func == (left: PropertyList, right: PropertyList) -> Bool {
    switch (left, right) {
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.unsigned(let left), .unsigned(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.float(let left), .float(let right)): left == right
    case (.date(let left), .date(let right)): left == right
    case (.data(let left), .data(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.uid(let left), .uid(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left == right
    default: false
    }
  }
}

extension PropertyList {
  /// The value if it is a whole number in the range of `Int64`, whatever its encoding.
  public var integerValue: Int64? {
    switch self {
    case .integer(let value): value
    case .boolean(let value): value ? 1 : 0
    case .real(let value): Int64(exactly: value)
    case .float(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The value if it is a number of any encoding.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .boolean(let value): value ? 1 : 0
    case .real(let value): value
    case .float(let value): Double(value)
    default: nil
    }
  }

  /// The value if it is text.
  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The value if it is bytes.
  public var dataValue: [UInt8]? {
    if case .data(let value) = self { value } else { nil }
  }

  /// The value if it is a list.
  public var arrayValue: [PropertyList]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The value if it is a mapping.
  public var dictionaryValue: [String: PropertyList]? {
    if case .dictionary(let value) = self { value } else { nil }
  }

  /// The value if it is a reference.
  public var uidValue: UInt32? {
    if case .uid(let value) = self { value } else { nil }
  }
}
