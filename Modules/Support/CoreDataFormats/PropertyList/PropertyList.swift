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
