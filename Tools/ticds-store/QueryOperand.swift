import CommandLineTool
import Foundation
import ObjectStore

/// Something computed that fits a model, ready to be asked of objects.
indirect enum QueryOperand {
  case value(AttributeValue)
  case path(QueryPath)
  case arithmetic(QueryCondition.Arithmetic, QueryOperand, QueryOperand)
  case function(QueryCondition.Function, QueryOperand)
  case subquery(QueryPath, QueryFilter)

  init(
    _ expression: QueryCondition.Expression, entity: EntityDescription, store: StoreFile,
    source: any StoredObjectSource
  ) throws(ToolFailure) {
    switch expression {
    case .literal(let literal): self = .value(QueryTest.value(literal))
    case .path(let names):
      let path = try QueryPath(names, from: entity, in: store.model)
      guard !path.isMany else {
        throw .usage(
          "“\(names.joined(separator: "."))” has several values", advice: "end with @count, or use SUBQUERY")
      }
      self = .path(path)
    case .arithmetic(let function, let left, let right):
      self = .arithmetic(
        function, try QueryOperand(left, entity: entity, store: store, source: source),
        try QueryOperand(right, entity: entity, store: store, source: source))
    case .function(let function, let argument):
      self = .function(function, try QueryOperand(argument, entity: entity, store: store, source: source))
    case .subquery(let names, let condition):
      let path = try QueryPath(names, from: entity, in: store.model)
      guard let destination = path.destination, path.isMany else {
        throw .usage("“\(names.joined(separator: "."))” is no to-many relationship")
      }
      self = .subquery(
        path, try QueryFilter(condition, entity: destination, store: store, source: source))
    }
  }

  /// Computed from a missing value, or by dividing by 0, it is missing.
  func value(of object: StoredObject, in source: any StoredObjectSource) throws -> AttributeValue {
    switch self {
    case .value(let value): return value
    case .path(let path): return try path.values(of: object, in: source).first ?? .null
    case .arithmetic(let function, let left, let right):
      guard let left = QueryTest.number(try left.value(of: object, in: source)),
        let right = QueryTest.number(try right.value(of: object, in: source))
      else { return .null }
      return function.apply(left, right)
    case .function(let function, let argument):
      guard let text = QueryTest.text(of: try argument.value(of: object, in: source)) else { return .null }
      switch function {
      case .length: return .integer(Int64(text.count))
      case .lowercase: return .string(text.lowercased())
      case .uppercase: return .string(text.uppercased())
      }
    case .subquery(let path, let filter):
      var count: Int64 = 0
      for case .reference(let entity, let key) in try path.values(of: object, in: source) {
        guard let member = try source.object(.init(entity: Int(entity), key: key)) else { continue }
        if try filter.holds(for: member) { count += 1 }
      }
      return .integer(count)
    }
  }
}

extension QueryCondition.Arithmetic {
  /// Computes with decimals; what has no result is missing.
  fileprivate func apply(_ left: Decimal, _ right: Decimal) -> AttributeValue {
    let result: Decimal
    switch self {
    case .add: result = left + right
    case .subtract: result = left - right
    case .multiply: result = left * right
    case .divide:
      if right.isZero { return .null }
      result = left / right
    }
    return result.isNaN ? .null : .decimal(result)
  }
}
