/// The type of an attribute.
///
/// The raw values are the codes that Core Data writes into compiled models and that enter the version hash of an entity.
public enum AttributeType: Int32, Sendable, Hashable, CaseIterable {
  /// No type; only transient attributes may have it.
  case undefined = 0
  /// A signed integer of 16 bits.
  case integer16 = 100
  /// A signed integer of 32 bits.
  case integer32 = 200
  /// A signed integer of 64 bits.
  case integer64 = 300
  /// A decimal number. Files keep 15 digits, and whole numbers of up to 64 bits.
  case decimal = 400
  /// An IEEE 754 number of 64 bits.
  case double = 500
  /// An IEEE 754 number of 32 bits.
  case float = 600
  /// Text.
  case string = 700
  /// True or false.
  case boolean = 800
  /// A point in time.
  case date = 900
  /// Bytes.
  case binary = 1000
  /// A universally unique identifier.
  case uuid = 1100
  /// A uniform resource identifier.
  case uri = 1200
  /// Any value that a transformer turns into bytes.
  case transformable = 1800
  /// An object identifier; never stored in a file.
  case objectID = 2000
  /// A group of attributes that are stored as one.
  case composite = 2100

  /// The type that Core Data declares for a column of this type.
  public var columnType: String {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .objectID: "INTEGER"
    case .decimal: "DECIMAL"
    case .double, .float: "FLOAT"
    case .string, .uri: "VARCHAR"
    case .date: "TIMESTAMP"
    case .undefined, .binary, .uuid, .transformable, .composite: "BLOB"
    }
  }

  /// Whether a value may stand in an attribute of this type. `null` may stand in any.
  public func accepts(_ value: AttributeValue) -> Bool {
    switch (self, value) {
    case (_, .null): true
    case (.integer16, .integer(let number)): Int16(exactly: number) != nil
    case (.integer32, .integer(let number)): Int32(exactly: number) != nil
    case (.integer64, .integer), (.decimal, .decimal), (.double, .double), (.float, .float): true
    case (.string, .string), (.boolean, .boolean), (.date, .date), (.binary, .data): true
    case (.uuid, .uuid), (.uri, .uri), (.transformable, .data), (.objectID, .reference): true
    case (.undefined, _), (.composite, .data): true
    default: false
    }
  }
}
