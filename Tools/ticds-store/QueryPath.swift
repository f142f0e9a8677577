import CommandLineTool
import Foundation
import ObjectStore

/// A chain of relationships that ends in an attribute, a relationship, or the number of a relationship's objects.
struct QueryPath {
  enum End {
    case attribute(AttributeType)
    case relationship
    case count
    /// A number that is computed from a property of several objects.
    case computed
  }

  /// What is computed from several values.
  enum Aggregate: String, CaseIterable { case sum = "@sum", avg = "@avg", min = "@min", max = "@max" }

  let names: [String]
  let end: End
  private let aggregate: Aggregate?
  /// The entity of the objects where the path ends; `nil` if it ends in something else.
  let destination: EntityDescription?
  /// Whether there may be several values, because a to-many relationship is on the way.
  let isMany: Bool

  /// Follows the names in the model.
  init(_ names: [String], from start: EntityDescription, in model: ManagedObjectModel) throws(ToolFailure) {
    var names = names
    let isCount = names.last == "@count"
    if isCount { names.removeLast() }
    let aggregate = names.lazy.compactMap { Aggregate(rawValue: $0) }.first
    if let place = names.firstIndex(where: { $0 == aggregate?.rawValue }) { names.remove(at: place) }
    var entity = start
    var isMany = false
    var end = End.relationship
    for (position, name) in names.enumerated() {
      switch entity.property(named: name) {
      case .attribute(let attribute):
        guard position == names.count - 1, !isCount else {
          throw .usage("“\(name)” of \(entity.name) is an attribute, so nothing can follow it")
        }
        end = .attribute(attribute.type)
      case .relationship(let relationship):
        let isCounted = isCount && position == names.count - 1
        if relationship.isToMany, !isCounted { isMany = true }
        entity = model.entities[relationship.destinationIndex]
      case nil:
        let known = entity.properties.map(\.name).sorted().joined(separator: ", ")
        throw ToolFailure(.notFound, "\(entity.name) has no property “\(name)”", advice: "it has \(known)")
      }
    }
    guard !names.isEmpty else { throw .usage("@count needs a relationship before it") }
    if let aggregate {
      guard isMany, case .attribute = end else {
        throw .usage("\(aggregate.rawValue) needs a to-many relationship before it and an attribute after it")
      }
      if aggregate == .sum || aggregate == .avg, let kind = end.kind, kind != .number {
        throw .usage(
          "“\(names.joined(separator: "."))” is \(kind.words), and \(aggregate.rawValue) takes numbers")
      }
    }
    if case .relationship = end, !isCount { destination = entity } else { destination = nil }
    self.names = names
    self.aggregate = aggregate
    self.end = aggregate == .sum || aggregate == .avg ? .computed : isCount ? .count : end
    self.isMany = isMany && aggregate == nil
  }

  /// The values of an object: one for each object that the path leads to, and none where a to-many relationship leads to nothing. What is missing, or
  /// would belong to an object that is missing, is null.
  ///
  /// - Throws: ``ToolFailure`` if what is computed leads along too many ways, `CancellationError`.
  func values(of object: StoredObject, in source: any StoredObjectSource) throws -> [AttributeValue] {
    var walk = QueryWalk(from: object, in: source, isDistinct: aggregate == nil)
    for name in names.dropLast() { try walk.follow(name) }
    let values = walk.values(of: names[names.count - 1], isCount: end.isCount)
    return aggregate.map { [$0.value(of: values)] } ?? values
  }
}

extension QueryPath.End {
  fileprivate var isCount: Bool {
    if case .count = self { true } else { false }
  }
}

extension QueryPath.Aggregate {
  /// The sum of nothing is 0; everything else of nothing is missing.
  func value(of values: [AttributeValue]) -> AttributeValue {
    let known = values.filter { !$0.isNull }
    switch self {
    case .sum: return Self.total(known.compactMap { QueryNumber($0) }).value
    case .avg:
      let numbers = known.compactMap { QueryNumber($0) }
      let count = QueryNumber.decimal(Decimal(numbers.count))
      return numbers.isEmpty ? .null : Self.total(numbers).computing(.divide, with: count).value
    case .min: return known.min { QueryTest.order($0, $1) == .orderedAscending } ?? .null
    case .max: return known.max { QueryTest.order($0, $1) == .orderedAscending } ?? .null
    }
  }

  private static func total(_ numbers: [QueryNumber]) -> QueryNumber {
    numbers.reduce(.decimal(0)) { $0.computing(.add, with: $1) }
  }
}
