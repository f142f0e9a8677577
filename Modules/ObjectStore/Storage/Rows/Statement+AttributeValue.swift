import Foundation
import TICDSSQLite

extension Statement {
  /// Binds a value as Core Data stores it. A reference binds its key.
  func bind(_ value: AttributeValue, at parameter: Int) throws(SQLiteError) {
    switch value {
    case .null: try bindNull(parameter)
    case .boolean(let value): try bind(value ? 1 : 0 as Int64, at: parameter)
    case .integer(let value): try bind(value, at: parameter)
    case .double(let value): try bind(value, at: parameter)
    case .float(let value): try bind(Double(value), at: parameter)
    case .decimal(let value): try bind(value.description, at: parameter)
    case .string(let value), .uri(let value): try bind(value, at: parameter)
    case .date(let value): try bind(value, at: parameter)
    case .data(let value): try bind(value, at: parameter)
    case .uuid(let value): try bind(withUnsafeBytes(of: value.uuid) { [UInt8]($0) }, at: parameter)
    case .reference(_, let key): try bind(key, at: parameter)
    }
  }

  /// Reads a column as the value of an attribute type. What cannot be a value of the type reads as `null`.
  package func attributeValue(_ column: Int, as type: AttributeType) -> AttributeValue {
    if isNull(column) { return .null }
    switch type {
    case .integer16, .integer32, .integer64: return .integer(int64(column))
    case .boolean: return .boolean(int64(column) != 0)
    case .double: return .double(double(column))
    case .float: return .float(Float(double(column)))
    // Numeric affinity makes a number of any text that is one: 15 digits of it remain, or a whole number of 64 bits.
    case .decimal: return Decimal(stored: text(column)).map { .decimal($0) } ?? .null
    case .string: return .string(text(column))
    case .uri: return .uri(text(column))
    case .date: return .date(double(column))
    case .binary, .transformable, .composite, .undefined: return .data(blob(column))
    case .uuid:
      return withBlob(column) { bytes in
        bytes.count == 16 ? .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) : .null
      }
    case .objectID: return .null
    }
  }
}
