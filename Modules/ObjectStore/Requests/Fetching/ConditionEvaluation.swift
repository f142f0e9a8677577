/// Decides in memory what SQL decides in the store, for objects with unsaved changes.
struct ConditionEvaluation {
  let context: ManagedObjectContext
  let resolve: PathResolver
  // The values of each subfetch, in the order in which they are met; fetched once, however many objects are looked at.
  private let subfetches = SubfetchValues()
  private let lists = ListedValues()

  init(_ context: ManagedObjectContext) {
    self.context = context
    resolve = context.resolver
  }

  /// Whether a condition holds for an object.
  ///
  /// - Parameter entity: The entity that the condition is about: the object's, or one that it inherits from.
  func holds(
    _ condition: Condition, for object: ManagedObject, _ entity: EntityDescription
  ) throws -> Bool {
    switch condition {
    case .constant(let isTrue): return isTrue
    case .all(let parts): return try parts.allSatisfy { try holds($0, for: object, entity) }
    case .any(let parts): return try parts.contains { try holds($0, for: object, entity) }
    case .not(let part): return try !holds(part, for: object, entity)
    case .comparison(let left, let comparison, let right):
      return Self.compare(
        try value(left, of: object, entity), comparison, try value(right, of: object, entity))
    case .among(let operand, let values):
      let value = try value(operand, of: object, entity)
      return lists.contains(value, among: values)
    case .amongFetched(let operand, let subfetch):
      let value = try value(operand, of: object, entity)
      return try !value.isNull && subfetches.values(of: subfetch, self).contains(value.grouping)
    case .text(let operand, let match, let wanted, let options):
      switch try value(operand, of: object, entity) {
      case .string(let text), .uri(let text):
        return TextMatching.matches(text, wanted, code: TextMatching.code(match, options))
      default: return false
      }
    case .related(let path, let target):
      guard case .reference(_, let key) = try value(path, of: object, entity) else { return target == nil }
      return key == target?.key
    case .identified(let path, let identifiers):
      guard let path else { return identifiers.contains { $0.key == object.key } }
      guard case .reference(_, let key) = try value(path, of: object, entity) else { return false }
      return identifiers.contains { $0.key == key }
    case .exists(let members):
      let (objects, destination) = try self.members(members.path, of: object, entity)
      guard let condition = members.condition else { return !objects.isEmpty }
      return try objects.contains { try holds(condition, for: $0, destination) }
    }
  }

  /// The value at the end of a path; null if it ends before.
  func value(
    _ path: PropertyPath, of object: ManagedObject, _ entity: EntityDescription
  ) throws(ContextError) -> AttributeValue {
    guard let (owner, index) = try end(of: path, from: object, entity) else { return .null }
    return owner.value(at: index).stored
  }

  /// The objects of the to-many relationship at the end of a path, and the entity that they are of.
  func members(
    _ path: PropertyPath, of object: ManagedObject, _ entity: EntityDescription
  ) throws(ContextError) -> ([ManagedObject], EntityDescription) {
    let resolved = try resolve(path, entity)
    guard let relationship = resolved.property.asRelationship, relationship.isToMany,
      !relationship.isTransient
    else { throw .unknownProperty(entity: entity.name, property: resolved.property.name) }
    let destination = context.model.entities[relationship.destinationIndex]
    guard let (owner, index) = try end(of: path, from: object, entity) else { return ([], destination) }
    return (owner.members(at: index), destination)
  }

  /// The object that has the property at the end of a path; `nil` if the path ends before.
  private func end(
    of path: PropertyPath, from object: ManagedObject, _ entity: EntityDescription
  ) throws(ContextError) -> (ManagedObject, index: Int)? {
    let resolved = try resolve(path, entity)
    var current = object
    var entity = resolved.start
    for (position, index) in resolved.indices.enumerated() {
      // The object may be of an entity that inherits, where the property has another index.
      let name = entity.properties[index].name
      guard let own = current.entity === entity ? index : current.entity.index(of: name) else { return nil }
      if position == resolved.indices.count - 1 { return (current, own) }
      guard let next = current.target(at: own), let relationship = entity.relationship(at: index) else {
        return nil
      }
      entity = context.model.entities[relationship.destinationIndex]
      current = next
    }
    return nil
  }

  static func compare(
    _ value: AttributeValue, _ comparison: Comparison, _ wanted: AttributeValue
  ) -> Bool {
    if value.isNull || wanted.isNull {
      let areBoth = value.isNull && wanted.isNull
      return comparison == .equal ? areBoth : comparison == .notEqual ? !areBoth : false
    }
    let isLess = value.precedes(wanted)
    let isGreater = wanted.precedes(value)
    return switch comparison {
    case .equal: !isLess && !isGreater
    case .notEqual: isLess || isGreater
    case .less: isLess
    case .lessOrEqual: !isGreater
    case .greater: isGreater
    case .greaterOrEqual: !isLess
    }
  }
}

/// Remembers what the requests inside of a condition gave.
private final class SubfetchValues {
  private var known: [(subfetch: Subfetch, values: Set<AttributeValue>)] = []

  func values(of subfetch: Subfetch, _ evaluation: ConditionEvaluation) throws -> Set<AttributeValue> {
    if let found = known.first(where: { $0.subfetch.identity === subfetch.identity }) { return found.values }
    let context = evaluation.context
    guard let entity = context.model.entity(named: subfetch.entity) else {
      throw ContextError.unknownEntity(subfetch.entity)
    }
    var request = FetchRequest<ManagedObject>(entity: subfetch.entity)
    request.predicate = subfetch.condition.map { FetchPredicate($0) }
    var values: Set<AttributeValue> = []
    for object in try context.fetch(request) {
      let value = try evaluation.value(subfetch.value, of: object, entity)
      if !value.isNull { values.insert(value.grouping) }
    }
    known.append((subfetch, values))
    return values
  }
}
