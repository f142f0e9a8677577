import Foundation

extension ConditionEvaluation {
  /// The value of an operand for one object, as SQLite computes it.
  func value(
    _ operand: Operand, of object: ManagedObject, _ entity: EntityDescription
  ) throws -> AttributeValue {
    switch operand {
    case .path(let path): return try value(path, of: object, entity)
    case .constant(let value): return value.stored
    case .arithmetic(let function, let left, let right):
      return function.apply(try value(left, of: object, entity), try value(right, of: object, entity))
    case .otherwise(let first, let second):
      let value = try value(first, of: object, entity)
      return value.isNull ? try self.value(second, of: object, entity) : value
    case .real(let operand): return try value(operand, of: object, entity).asReal
    case .text(let function, let operand):
      switch try value(operand, of: object, entity) {
      case .string(let text), .uri(let text):
        switch function.apply(to: text) {
        case .integer(let number): return .integer(number)
        case .text(let text): return .string(text)
        case .null, .real, .blob: return .null
        }
      default: return .null
      }
    case .members(let function, let members, let operand):
      var (objects, destination) = try self.members(members.path, of: object, entity)
      if let condition = members.condition {
        objects = try objects.filter { try holds(condition, for: $0, destination) }
      }
      return try aggregate(function, operand, of: objects, destination, isDistinct: false)
    case .group: return .null
    }
  }

  /// What a function gives for the values of an operand, one from each object.
  func aggregate(
    _ function: AggregateFunction, _ operand: Operand?, of objects: [ManagedObject],
    _ entity: EntityDescription, isDistinct: Bool
  ) throws -> AttributeValue {
    guard let operand else { return .integer(Int64(objects.count)) }
    var values = try objects.map { try value(operand, of: $0, entity) }.filter { !$0.isNull }
    if isDistinct { values = Array(Set(values.map(\.grouping))) }
    switch function {
    case .count: return .integer(Int64(values.count))
    case .sum: return try sum(values, entity)
    case .average:
      if values.isEmpty { return .null }
      let sum = values.reduce(AttributeValue.double(0)) { Arithmetic.add.apply($0, $1.asReal) }
      return Arithmetic.divide.apply(sum, .double(Double(values.count)))
    case .minimum: return values.min { $0.precedes($1) } ?? .null
    case .maximum: return values.max { $0.precedes($1) } ?? .null
    }
  }

  /// Whole numbers are summed as such, and SQLite sums none that do not fit 64 bits.
  private func sum(_ values: [AttributeValue], _ entity: EntityDescription) throws -> AttributeValue {
    let areWhole = values.allSatisfy(\.isWholeNumber)
    return try values.reduce(.integer(0)) { sum, value in
      let next = Arithmetic.add.apply(sum, value)
      if areWhole, !next.isWholeNumber { throw ContextError.sumTooGreat(entity: entity.name) }
      return next
    }
  }
}

extension Arithmetic {
  /// Computes as SQLite does: whole numbers that do not fit 64 bits any more become others, what has no result is null.
  func apply(_ left: AttributeValue, _ right: AttributeValue) -> AttributeValue {
    if case .integer(let left) = left.wholeNumber, case .integer(let right) = right.wholeNumber {
      let (result, overflows): (Int64, Bool)
      switch self {
      case .add: (result, overflows) = left.addingReportingOverflow(right)
      case .subtract: (result, overflows) = left.subtractingReportingOverflow(right)
      case .multiply: (result, overflows) = left.multipliedReportingOverflow(by: right)
      case .divide:
        if right == 0 { return .null }
        (result, overflows) = left.dividedReportingOverflow(by: right)
      }
      if !overflows { return .integer(result) }
    }
    guard case .double(let left) = left.asReal, case .double(let right) = right.asReal else { return .null }
    let result: Double
    switch self {
    case .add: result = left + right
    case .subtract: result = left - right
    case .multiply: result = left * right
    case .divide: result = right == 0 ? .nan : left / right
    }
    return AttributeValue.double(result).stored
  }
}

extension AttributeValue {
  fileprivate var wholeNumber: AttributeValue {
    if case .boolean(let value) = self { .integer(value ? 1 : 0) } else { self }
  }

  fileprivate var isWholeNumber: Bool {
    switch self {
    case .integer, .boolean: true
    default: false
    }
  }

  /// A value that is equal to another where SQLite says so: text is the same if its bytes are.
  var grouping: AttributeValue {
    switch self {
    case .string(let text), .uri(let text): .data(Array(text.utf8))
    case .float, .decimal: asReal
    default: self
    }
  }
}
