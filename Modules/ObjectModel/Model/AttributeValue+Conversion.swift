import Foundation

extension AttributeValue {
  /// The value as SQLite keeps it, where not a number is nothing.
  package var stored: AttributeValue {
    switch self {
    case .double(let value): value.isNaN ? .null : self
    case .float(let value): value.isNaN ? .null : self
    default: self
    }
  }

  /// A number of 64 bits with a fraction; null if there is no number.
  package var asReal: AttributeValue {
    switch self {
    case .boolean(let value): .double(value ? 1 : 0)
    case .integer(let value): .double(Double(value))
    case .double, .null: stored
    case .float(let value): AttributeValue.double(Double(value)).stored
    case .date(let value): AttributeValue.double(value).stored
    case .decimal(let value): .double(NSDecimalNumber(decimal: value).doubleValue)
    case .string, .data, .uuid, .uri, .reference: .null
    }
  }
}

extension AttributeType {
  /// What was computed, as a value of this type if it can be one.
  package func converted(_ value: AttributeValue) -> AttributeValue {
    switch (self, value) {
    case (.double, .integer), (.double, .float): value.asReal
    case (.float, .double(let number)): .float(Float(number))
    case (.float, .integer(let number)): .float(Float(number))
    case (.decimal, .double(let number)): .decimal(Decimal(nearest: number) ?? .nan)
    case (.decimal, .integer(let number)): .decimal(Decimal(number))
    case (.date, .double(let number)): .date(number)
    case (.boolean, .integer(let number)): .boolean(number != 0)
    default: value
    }
  }
}

extension AttributeValidation {
  /// The same with whole numbers as bounds turned into numbers of an attribute's type.
  package func withBounds(of type: AttributeType) -> AttributeValidation {
    var validation = self
    validation.minimum = minimum.map { type.converted($0) }
    validation.maximum = maximum.map { type.converted($0) }
    return validation
  }
}
