import CommandLineTool
import Foundation
import ObjectStore

/// Something computed that fits a model, ready to be asked of objects.
struct QueryOperand {
  private indirect enum Node {
    case value(AttributeValue)
    case path(QueryPath)
    case arithmetic(QueryCondition.Arithmetic, QueryOperand, QueryOperand)
    case function(QueryCondition.Function, QueryOperand)
    case subquery(QueryPath, QueryFilter)
  }

  private let node: Node
  /// How it is called where something is said about it.
  let text: String
  /// What its values are; `nil` for the word `nil`.
  let end: QueryPath.End?
  /// What was written, if it is a value.
  private let literal: QueryCondition.Literal?

  var kind: QueryKind? { end?.kind }

  /// Whether it is the word `nil`, and not only missing for some objects.
  var isNil: Bool { literal == QueryCondition.Literal.null }

  private init(_ node: Node, text: String, end: QueryPath.End?, literal: QueryCondition.Literal? = nil) {
    self.node = node
    self.text = text
    self.end = end
    self.literal = literal
  }

  init(
    _ expression: QueryCondition.Expression, entity: EntityDescription, store: StoreFile,
    source: any StoredObjectSource
  ) throws(ToolFailure) {
    let text = expression.text
    switch expression {
    case .literal(let literal): try self.init(literal, store)
    case .path(let names):
      let path = try QueryPath(names, from: entity, in: store.model)
      guard !path.isMany else {
        throw .usage("“\(text)” has several values", advice: "end with @count, or use SUBQUERY")
      }
      self.init(.path(path), text: text, end: path.end)
    case .arithmetic(let operation, let left, let right):
      let left = try QueryOperand(left, entity: entity, store: store, source: source)
      let right = try QueryOperand(right, entity: entity, store: store, source: source)
      let first = try left.asDate(beside: right, store)
      let second = try right.asDate(beside: left, store)
      let end = try Self.end(of: operation, first, second, text)
      self.init(.arithmetic(operation, first, second), text: text, end: end)
    case .function(let function, let argument):
      let argument = try QueryOperand(argument, entity: entity, store: store, source: source)
      if let kind = argument.kind, kind != .text {
        throw .usage("“\(argument.text)” is \(kind.words), and \(function.rawValue) takes text")
      }
      self.init(
        .function(function, argument), text: text,
        end: function == .length ? .computed : .attribute(.string))
    case .subquery(let names, let condition):
      let path = try QueryPath(names, from: entity, in: store.model)
      guard let destination = path.destination, path.isMany else {
        throw .usage("“\(names.joined(separator: "."))” is no to-many relationship")
      }
      let filter = try QueryFilter(condition, entity: destination, store: store, source: source)
      self.init(.subquery(path, filter), text: text, end: .count)
    }
  }

  private init(_ literal: QueryCondition.Literal, _ store: StoreFile) throws(ToolFailure) {
    let end: QueryPath.End? =
      switch literal {
      case .null: nil
      case .text: .attribute(.string)
      case .boolean, .number: .computed
      }
    var value = AttributeValue.null
    if let end { value = try QueryTest(end: end, name: literal.words, store: store).value(literal) }
    self.init(.value(value), text: literal.words, end: end, literal: literal)
  }

  /// Computed from a missing value, or by dividing by 0, it is missing.
  func value(of object: StoredObject, in source: any StoredObjectSource) throws -> AttributeValue {
    switch node {
    case .value(let value): return value
    case .path(let path): return try path.values(of: object, in: source).first ?? .null
    case .arithmetic(let operation, let left, let right):
      return operation.result(try left.value(of: object, in: source), try right.value(of: object, in: source))
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

extension QueryOperand {
  /// Both sides of a comparison, where a value that is written out is read as one of the other side.
  static func pair(
    _ left: QueryOperand, _ right: QueryOperand, _ store: StoreFile
  ) throws(ToolFailure) -> (left: QueryOperand, right: QueryOperand) {
    let first = try left.read(as: right, store)
    let second = try right.read(as: first, store)
    if let one = first.kind, let other = second.kind, one != other {
      throw .usage(
        "“\(first.text)” is \(one.words) and “\(second.text)” is \(other.words), so they cannot be compared")
    }
    return (first, second)
  }

  private func read(as other: QueryOperand, _ store: StoreFile) throws(ToolFailure) -> QueryOperand {
    guard let literal, !isNil, let end = other.end else { return self }
    let value = try QueryTest(end: end, name: other.text, store: store).value(literal)
    return QueryOperand(.value(value), text: text, end: end, literal: literal)
  }

  /// Dates are written as text.
  private func asDate(beside other: QueryOperand, _ store: StoreFile) throws(ToolFailure) -> QueryOperand {
    guard case .text? = literal, other.kind == .date else { return self }
    return try read(as: other, store)
  }

  /// What an operation makes of its operands.
  private static func end(
    of operation: QueryCondition.Arithmetic, _ left: QueryOperand, _ right: QueryOperand, _ text: String
  ) throws(ToolFailure) -> QueryPath.End {
    switch (left.kind ?? .number, operation, right.kind ?? .number) {
    case (.number, _, .number), (.date, .subtract, .date): return .computed
    case (.date, .add, .number), (.date, .subtract, .number), (.number, .add, .date): return .attribute(.date)
    default: break
    }
    let culprit = [left, right].first { !$0.isComputable } ?? (left.kind == .date ? left : right)
    throw .usage(
      "“\(culprit.text)” is \(culprit.kind?.words ?? "no number"), so “\(text)” cannot be computed",
      advice:
        "+, -, * and / take numbers; seconds are added to a date or taken from it, and dates from one another"
    )
  }

  private var isComputable: Bool { kind == nil || kind == .number || kind == .date }
}

extension QueryCondition.Arithmetic {
  /// Dates count as their seconds; what has no result is missing.
  fileprivate func result(_ left: AttributeValue, _ right: AttributeValue) -> AttributeValue {
    guard let first = Self.number(left), let second = Self.number(right) else { return .null }
    let result = first.computing(self, with: second)
    switch (left, right) {
    case (.date, .date): return result.value
    case (.date, _), (_, .date): return result.value.isNull ? .null : .date(result.asDouble)
    default: return result.value
    }
  }

  private static func number(_ value: AttributeValue) -> QueryNumber? {
    if case .date(let seconds) = value { QueryNumber(.double(seconds)) } else { QueryNumber(value) }
  }
}
