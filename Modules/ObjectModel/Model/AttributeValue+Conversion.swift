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
    // Foundation's own conversion loses the last digits.
    case .decimal(let value): .double(Double(value.description) ?? .nan)
    case .string, .data, .uuid, .uri, .reference: .null
    }
  }
}

extension AttributeType {
  /// What was computed, as a value of this type if it can be one.
  package func converted(_ value: AttributeValue) -> AttributeValue {
    switch (self, value) {
    case (.integer16, _), (.integer32, _), (.integer64, _): value.asWhole ?? value
    case (.double, .integer), (.double, .float), (.double, .decimal), (.double, .boolean), (.double, .date):
      value.asReal
    case (.float, .double), (.float, .integer), (.float, .decimal), (.float, .boolean): value.asFloat ?? value
    case (.decimal, .double(let number)): .decimal(Decimal(nearest: number) ?? .nan)
    case (.decimal, .float(let number)): .decimal(Decimal(nearest: Double(number)) ?? .nan)
    case (.decimal, .integer(let number)): .decimal(Decimal(number))
    case (.decimal, .boolean(let flag)): .decimal(flag ? 1 : 0)
    case (.date, .double(let number)): .date(number)
    case (.boolean, .integer(let number)): .boolean(number != 0)
    default: value
    }
  }
}

extension AttributeValue {
  /// The whole number that it is; `nil` if it is none.
  fileprivate var asWhole: AttributeValue? {
    if case .integer = self { return self }
    if case .boolean(let flag) = self { return .integer(flag ? 1 : 0) }
    guard case .double(let number) = asReal else { return nil }
    return Int64(exactly: number).map { .integer($0) }
  }

  /// The nearest number of 32 bits; `nil` if it is beyond those.
  fileprivate var asFloat: AttributeValue? {
    guard case .double(let number) = asReal else { return nil }
    let nearest = Float(number)
    return nearest.isInfinite && number.isFinite ? nil : .float(nearest)
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
