import Foundation
import TICDSSQLite

extension Statement {
  /// Reads a column as a value of an attribute type; `nil` if its content is of another kind than values of that type.
  func fittingValue(_ column: Int, as type: AttributeType) -> AttributeValue? {
    let stored = value(column)
    if stored == .null { return .null }
    switch (type, stored) {
    case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer), (.boolean, .integer),
      (.double, .integer), (.double, .real), (.float, .integer), (.float, .real), (.date, .integer),
      (.date, .real), (.string, .text), (.uri, .text), (.binary, .blob), (.transformable, .blob),
      (.composite, .blob), (.undefined, _):
      return attributeValue(column, as: type)
    case (.decimal, .integer), (.decimal, .real), (.decimal, .text):
      return Decimal.isStored(text(column)) ? attributeValue(column, as: type) : nil
    case (.uuid, .blob):
      let value = attributeValue(column, as: type)
      return value == .null ? nil : value
    default: return nil
    }
  }

  /// Whether a column's text is UTF-8. What is not has replacement characters where it is read.
  func isUTF8(_ column: Int) -> Bool {
    withText(column) { String(validating: $0, as: UTF8.self) != nil }
  }
}
