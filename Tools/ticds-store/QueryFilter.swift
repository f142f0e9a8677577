import CommandLineTool
import Foundation
import ObjectStore

/// A condition that fits a model, ready to be asked of objects.
///
/// A comparison with a missing value is false, except with `== nil` and `!= nil`; `!=` to a value is true for a missing one,
/// as in Core Data.
struct QueryFilter {
  private indirect enum Node {
    case all([Node])
    case any([Node])
    case not(Node)
    case test(QueryPath, QueryCondition.Quantifier?, (AttributeValue) -> Bool)
    case computed(QueryOperand, (AttributeValue) -> Bool)
    case compared(QueryOperand, (ComparisonResult?) -> Bool, [QueryOperand])
  }

  private let root: Node
  private let source: any StoredObjectSource

  init(
    _ condition: QueryCondition, entity: EntityDescription, store: StoreFile, source: any StoredObjectSource
  ) throws(ToolFailure) {
    self.source = source
    root = try Self.node(condition, entity, store, source)
  }

  func holds(for object: StoredObject) throws -> Bool { try holds(root, object) }

  private func holds(_ node: Node, _ object: StoredObject) throws -> Bool {
    switch node {
    case .all(let parts): return try parts.allSatisfy { try holds($0, object) }
    case .any(let parts): return try parts.contains { try holds($0, object) }
    case .not(let part): return try !holds(part, object)
    case .computed(let operand, let test): return test(try operand.value(of: object, in: source))
    case .compared(let left, let test, let right):
      let value = try left.value(of: object, in: source)
      return try right.contains { test(QueryTest.order(value, try $0.value(of: object, in: source))) }
    case .test(let path, let quantifier, let test):
      let values = try path.values(of: object, in: source)
      switch quantifier {
      case nil: return test(values.first ?? .null)
      case .any: return values.contains(where: test)
      case .all: return values.allSatisfy(test)
      case QueryCondition.Quantifier.none?: return !values.contains(where: test)
      }
    }
  }

  private static func node(
    _ condition: QueryCondition, _ entity: EntityDescription, _ store: StoreFile,
    _ source: any StoredObjectSource
  ) throws(ToolFailure) -> Node {
    switch condition {
    case .all(let parts): return .all(try nodes(parts, entity, store, source))
    case .any(let parts): return .any(try nodes(parts, entity, store, source))
    case .not(let part): return .not(try node(part, entity, store, source))
    case .comparison(let quantifier, let names, let comparison, let literals, let options):
      let path = try QueryPath(names, from: entity, in: store.model)
      guard !path.isMany || quantifier != nil else {
        throw .usage(
          "“\(names.joined(separator: "."))” has several values",
          advice: "begin with ANY, ALL or NONE, or end with @count")
      }
      let test = try QueryTest(end: path.end, name: names.joined(separator: "."), store: store)
        .test(comparison, literals, options)
      return .test(path, quantifier, test)
    case .computed(let left, let comparison, let right, let options):
      let operand = try QueryOperand(left, entity: entity, store: store, source: source)
      let literals = right.compactMap { if case .literal(let literal) = $0 { literal } else { nil } }
      if literals.count == right.count {
        let test = try QueryTest(end: .computed, name: "this", store: store)
          .test(comparison, literals, options)
        return .computed(operand, test)
      }
      guard let test = Self.test(comparison), options.isEmpty else {
        throw .usage("“\(comparison.rawValue)” needs a value in quotes on its right")
      }
      var others: [QueryOperand] = []
      for expression in right {
        others.append(try QueryOperand(expression, entity: entity, store: store, source: source))
      }
      return .compared(operand, test, others)
    }
  }

  /// What a comparison says of the order of its sides, which is `nil` if they cannot be compared.
  private static func test(_ comparison: QueryCondition.Comparison) -> ((ComparisonResult?) -> Bool)? {
    switch comparison {
    case .equal, .among: { $0 == .orderedSame }
    case .notEqual: { $0 != .orderedSame }
    case .less: { $0 == .orderedAscending }
    case .lessOrEqual: { $0 == .orderedAscending || $0 == .orderedSame }
    case .greater: { $0 == .orderedDescending }
    case .greaterOrEqual: { $0 == .orderedDescending || $0 == .orderedSame }
    case .contains, .beginsWith, .endsWith, .like, .matches, .between: nil
    }
  }

  private static func nodes(
    _ conditions: [QueryCondition], _ entity: EntityDescription, _ store: StoreFile,
    _ source: any StoredObjectSource
  ) throws(ToolFailure) -> [Node] {
    var nodes: [Node] = []
    for condition in conditions { nodes.append(try node(condition, entity, store, source)) }
    return nodes
  }
}
