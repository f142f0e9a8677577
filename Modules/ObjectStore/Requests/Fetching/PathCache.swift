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

  /// Whether a key path leads into a collection, by its description: each step ends with its type, as in `(Array<Int>)>`.
  private static func goesIntoCollection(_ description: String) -> Bool {
    let steps = description.split(separator: ")>")
    return zip(steps, steps.dropFirst()).contains { step, next in
      (next.hasPrefix(".") || next.hasPrefix("?."))
        && ["Array<", "ArraySlice<", "ContiguousArray<", "Dictionary<", "Data"].contains { name in
          step.contains("(\(name)") || step.contains("(Optional<\(name)")
        }
    }
  }

  private static func trace(
    _ keyPath: AnyKeyPath, from entity: EntityDescription, in model: ManagedObjectModel
  ) throws(ContextError) -> ResolvedPath {
    // Following these would stop the program: what the relationship leads to is not there, nor are members of an empty list.
    let description = keyPath.debugDescription
    if description.contains("!") { throw .forcedPath(entity: entity.name) }
    if goesIntoCollection(description) {
      let type = "\(type(of: keyPath).valueType)"
      throw .computedProperty(entity: entity.name, type: type, reads: "a list of values")
    }
    var path: ResolvedPath?
    for probe in PathProbe.allCases {
      let (names, result, target) = follow(keyPath, probe, from: entity, in: model)
      guard let last = names.last else { throw .unknownPath(entity: entity.name) }
      guard let found = try? follow(names, from: entity, in: model),
        path == nil || path?.indices == found.indices,
        probe.accepts(result, type(of: keyPath).valueType, found, target: target)
      else {
        throw .computedProperty(entity: entity.name, type: "\(type(of: keyPath).valueType)", reads: last)
      }
      path = found
    }
    guard let path else { throw .unknownPath(entity: entity.name) }
    return path
  }

  /// Reads a key path of objects that only note what is read of them: the names of the properties, what came out, and the object
  /// that the last relationship led to.
  private static func follow(
    _ keyPath: AnyKeyPath, _ probe: PathProbe, from entity: EntityDescription, in model: ManagedObjectModel
  ) -> (names: [String], result: Any, target: ManagedObject?) {
    var current = entity
    var prototypes: [ManagedObject] = [model.prototype(of: entity)]
    var result: Any = ()
    let indices = PathTracer.trace(probe) { index in
      guard let relationship = current.relationship(at: index) else { return nil }
      current = model.entities[relationship.destinationIndex]
      let prototype = model.prototype(of: current)
      prototypes.append(prototype)
      return prototype
    } _: {
      result = prototypes[0][keyPath: keyPath] as Any
      // A projected to-many relationship is not read by the key path; it tells itself where it leads.
      if let members = result as? any TracedMembers { _ = PathTracer.note(members.index) }
    }
    var names: [String] = []
    var step = entity
    for index in indices {
      // What reads several properties of one object leads to none.
      guard step.properties.indices.contains(index) else { break }
      names.append(step.properties[index].name)
      if let relationship = step.relationship(at: index) {
        step = model.entities[relationship.destinationIndex]
      }
    }
    return (names, result, prototypes.count > 1 ? prototypes.last : nil)
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
