import CommandLineTool
import ObjectStore

/// A chain of relationships that ends in an attribute, a relationship, or the number of a relationship's objects.
struct QueryPath {
  enum End {
    case attribute(AttributeType)
    case relationship
    case count
  }

  let names: [String]
  let end: End
  /// Whether there may be several values, because a to-many relationship is on the way.
  let isMany: Bool

  /// Follows the names in the model.
  init(_ names: [String], from start: EntityDescription, in model: ManagedObjectModel) throws(ToolFailure) {
    var names = names
    let isCount = names.last == "@count"
    if isCount { names.removeLast() }
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
    self.names = names
    self.end = isCount ? .count : end
    self.isMany = isMany
  }

  /// The values of an object. None at all where the path ends before its end; a missing value at its end is null.
  func values(of object: StoredObject, in source: any StoredObjectSource) throws -> [AttributeValue] {
    try values(of: object, names[...], source)
  }

  private func values(
    of object: StoredObject, _ names: ArraySlice<String>, _ source: any StoredObjectSource
  ) throws -> [AttributeValue] {
    let entity = source.model.entities[object.reference.entity]
    guard let name = names.first, let index = entity.index(of: name) else { return [] }
    if index < entity.attributeCount { return [object.attributes[index]] }
    let targets = object.relationships[index - entity.attributeCount]
    let rest = names.dropFirst()
    if rest.isEmpty {
      if case .count = end { return [.integer(Int64(targets.count))] }
      let references = targets.map { AttributeValue.reference(entity: Int32($0.entity), key: $0.key) }
      return references.isEmpty && !isMany ? [.null] : references
    }
    var values: [AttributeValue] = []
    for target in targets {
      guard let object = try source.object(target) else { continue }
      values += try self.values(of: object, rest, source)
    }
    return values
  }
}
