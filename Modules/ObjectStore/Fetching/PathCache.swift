/// A path through to-one relationships to a property, as indices into the entities on the way.
struct ResolvedPath {
  /// The entity it starts from.
  let start: EntityDescription
  /// One index per step; all but the last are to-one relationships.
  let indices: [Int]
  /// The property at the end.
  let property: PropertyDescription
}

/// Finds out where a path from an entity leads.
typealias PathResolver = (PropertyPath, EntityDescription) throws(ContextError) -> ResolvedPath

/// Remembers where key paths lead: a literal is the same object each time it is evaluated.
struct PathCache {
  private struct Key: Hashable {
    let path: ObjectIdentifier
    let entity: Int
  }

  // Holding on to the key path keeps its identity from being used again.
  private var known: [Key: (path: AnyKeyPath, resolved: ResolvedPath)] = [:]
  private static let limit = 4_096

  mutating func resolve(
    _ path: PropertyPath, from entity: EntityDescription, in model: ManagedObjectModel
  ) throws(ContextError) -> ResolvedPath {
    switch path {
    case .names(let names):
      return try Self.follow(names, from: entity, in: model)
    case .keyPath(let keyPath):
      let key = Key(path: ObjectIdentifier(keyPath), entity: entity.index)
      if let found = known[key] { return found.resolved }
      let resolved = try Self.trace(keyPath, from: entity, in: model)
      if known.count >= Self.limit { known.removeAll() }
      known[key] = (keyPath, resolved)
      return resolved
    }
  }

  private static func trace(
    _ keyPath: AnyKeyPath, from entity: EntityDescription, in model: ManagedObjectModel
  ) throws(ContextError) -> ResolvedPath {
    var current = entity
    var prototypes: [ManagedObject] = [model.prototype(of: entity)]
    let indices = PathTracer.trace { index in
      guard let relationship = current.relationship(at: index) else { return nil }
      current = model.entities[relationship.destinationIndex]
      let prototype = model.prototype(of: current)
      prototypes.append(prototype)
      return prototype
    } _: {
      // A projected to-many relationship is not read by the key path; it tells itself where it leads.
      if let members = prototypes[0][keyPath: keyPath] as? any TracedMembers {
        _ = PathTracer.note(members.index)
      }
    }
    var names: [String] = []
    var step = entity
    for index in indices {
      guard step.properties.indices.contains(index) else { throw .unknownPath(entity: entity.name) }
      names.append(step.properties[index].name)
      if let relationship = step.relationship(at: index) {
        step = model.entities[relationship.destinationIndex]
      }
    }
    if names.isEmpty { throw .unknownPath(entity: entity.name) }
    return try follow(names, from: entity, in: model)
  }

  private static func follow(
    _ names: [String], from entity: EntityDescription, in model: ManagedObjectModel
  ) throws(ContextError) -> ResolvedPath {
    var indices: [Int] = []
    var current = entity
    for (position, name) in names.enumerated() {
      guard let index = current.index(of: name) else {
        throw .unknownProperty(entity: current.name, property: name)
      }
      indices.append(index)
      if position == names.count - 1 {
        return ResolvedPath(start: entity, indices: indices, property: current.properties[index])
      }
      guard let relationship = current.relationship(at: index), !relationship.isToMany else {
        throw .unknownProperty(entity: current.name, property: name)
      }
      current = model.entities[relationship.destinationIndex]
    }
    throw .unknownPath(entity: entity.name)
  }
}

extension ManagedObjectModel {
  /// An object of an entity's class that only notes which properties are read.
  func prototype(of entity: EntityDescription) -> ManagedObject {
    instantiationScope(for: entity).make(
      objectClass(of: entity), Instantiation(entity: entity, table: nil, key: 0, state: .tracing))
  }
}
