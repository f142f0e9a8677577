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
  }

  private let root: Node
  private let source: any StoredObjectSource

  init(
    _ condition: QueryCondition, entity: EntityDescription, store: StoreFile, source: any StoredObjectSource
  ) throws(ToolFailure) {
    self.source = source
    root = try Self.node(condition, entity, store)
  }

  func holds(for object: StoredObject) throws -> Bool { try holds(root, object) }

  private func holds(_ node: Node, _ object: StoredObject) throws -> Bool {
    switch node {
    case .all(let parts): return try parts.allSatisfy { try holds($0, object) }
    case .any(let parts): return try parts.contains { try holds($0, object) }
    case .not(let part): return try !holds(part, object)
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
    _ condition: QueryCondition, _ entity: EntityDescription, _ store: StoreFile
  ) throws(ToolFailure) -> Node {
    switch condition {
    case .all(let parts): return .all(try nodes(parts, entity, store))
    case .any(let parts): return .any(try nodes(parts, entity, store))
    case .not(let part): return .not(try node(part, entity, store))
    case .comparison(let quantifier, let names, let comparison, let literals, let options):
      let path = try QueryPath(names, from: entity, in: store.model)
      guard !path.isMany || quantifier != nil else {
        throw .usage(
          "“\(names.joined(separator: "."))” has several values",
          advice: "begin with ANY, ALL or NONE, or end with @count")
      }
      let test = try QueryTest(path: path, name: names.joined(separator: "."), store: store)
        .test(comparison, literals, options)
      return .test(path, quantifier, test)
    }
  }

  private static func nodes(
    _ conditions: [QueryCondition], _ entity: EntityDescription, _ store: StoreFile
  ) throws(ToolFailure) -> [Node] {
    var nodes: [Node] = []
    for condition in conditions { nodes.append(try node(condition, entity, store)) }
    return nodes
  }
}
