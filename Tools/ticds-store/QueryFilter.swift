import CommandLineTool
import Foundation
import ObjectStore

/// A condition that fits a model, ready to be asked of objects.
///
/// A comparison with a missing value is false, except with `nil` itself; `!=` to a value is true for a missing one, as in Core Data.
struct QueryFilter {
  private indirect enum Node {
    case all([Node])
    case any([Node])
    case not(Node)
    case test(QueryPath, QueryCondition.Quantifier?, (AttributeValue) -> Bool)
    case computed(QueryOperand, (AttributeValue) -> Bool)
    case compared([(left: QueryOperand, right: QueryOperand)], QueryCondition.Comparison)
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
    case .compared(let pairs, let comparison):
      return try pairs.contains { pair in
        let left = try pair.left.value(of: object, in: source)
        let right = try pair.right.value(of: object, in: source)
        return QueryTest.holds(comparison, left, right, isNil: pair.left.isNil || pair.right.isNil)
      }
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
      if literals.count == right.count, let end = operand.end {
        let test = try QueryTest(end: end, name: operand.text, store: store)
          .test(comparison, literals, options)
        return .computed(operand, test)
      }
      guard options.isEmpty else {
        throw .usage("a comparison with [c] or [d] needs text in quotes on its right")
      }
      guard comparison.isOfAnyValues else {
        throw .usage("“\(comparison.rawValue)” needs a value in quotes on its right")
      }
      var pairs: [(left: QueryOperand, right: QueryOperand)] = []
      for expression in right {
        let other = try QueryOperand(expression, entity: entity, store: store, source: source)
        pairs.append(try QueryOperand.pair(operand, other, store))
      }
      return .compared(pairs, comparison)
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

extension QueryCondition.Comparison {
  /// Whether it takes whatever can be ordered, and not only text or two bounds.
  fileprivate var isOfAnyValues: Bool {
    switch self {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .among: true
    case .contains, .beginsWith, .endsWith, .like, .matches, .between: false
    }
  }
}
