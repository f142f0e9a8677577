/// What a request looks at besides the objects themselves.
struct ConditionReach {
  /// The entities at the top of those to which relationships lead on the way to an answer, by index.
  private(set) var roots: Set<Int> = []
  /// Whether to-many relationships of the objects themselves are looked at.
  private(set) var includesMembers = false
  /// The first steps of all paths that lead on: names of relationships of the objects.
  private(set) var firstSteps: Set<String> = []
  private let model: ManagedObjectModel
  private let resolve: PathResolver

  init(_ context: ManagedObjectContext) {
    model = context.model
    resolve = context.resolver
  }

  mutating func add(_ condition: Condition, _ entity: EntityDescription, isFirst: Bool = true)
    throws(ContextError)
  {
    switch condition {
    case .constant: break
    case .all(let parts), .any(let parts):
      for part in parts { try add(part, entity, isFirst: isFirst) }
    case .not(let part): try add(part, entity, isFirst: isFirst)
    case .comparison(let left, _, let right):
      try add(left, entity, isFirst: isFirst)
      try add(right, entity, isFirst: isFirst)
    case .among(let operand, _), .text(let operand, _, _, _): try add(operand, entity, isFirst: isFirst)
    case .amongFetched(let operand, let subfetch):
      try add(operand, entity, isFirst: isFirst)
      guard let other = model.entity(named: subfetch.entity) else { throw .unknownEntity(subfetch.entity) }
      roots.insert(other.rootIndex)
      if let condition = subfetch.condition { try add(condition, other, isFirst: false) }
      try add(subfetch.value, other, isFirst: false)
    case .related(let path, _): try add(path, entity, isFirst: isFirst)
    case .identified(let path, _): if let path { try add(path, entity, isFirst: isFirst) }
    case .exists(let members): try add(members, entity, isFirst: isFirst)
    }
  }

  mutating func add(_ operand: Operand, _ entity: EntityDescription, isFirst: Bool = true)
    throws(ContextError)
  {
    switch operand {
    case .path(let path): try add(path, entity, isFirst: isFirst)
    case .constant: break
    case .arithmetic(_, let left, let right), .otherwise(let left, let right):
      try add(left, entity, isFirst: isFirst)
      try add(right, entity, isFirst: isFirst)
    case .real(let operand), .text(_, let operand): try add(operand, entity, isFirst: isFirst)
    case .members(_, let members, let operand):
      let destination = try add(members, entity, isFirst: isFirst)
      if let operand { try add(operand, destination, isFirst: false) }
    case .group(_, let operand, _): if let operand { try add(operand, entity, isFirst: isFirst) }
    }
  }

  @discardableResult private mutating func add(
    _ members: Operand.Members, _ entity: EntityDescription, isFirst: Bool
  ) throws(ContextError) -> EntityDescription {
    let resolved = try resolve(members.path, entity)
    try add(members.path, entity, isFirst: isFirst)
    guard let relationship = resolved.property.asRelationship else {
      throw .unknownProperty(entity: entity.name, property: resolved.property.name)
    }
    let destination = model.entities[relationship.destinationIndex]
    roots.insert(destination.rootIndex)
    if isFirst {
      includesMembers = true
      if resolved.indices.count == 1 { firstSteps.insert(relationship.name) }
    }
    if let condition = members.condition { try add(condition, destination, isFirst: false) }
    return destination
  }

  private mutating func add(
    _ path: PropertyPath, _ entity: EntityDescription, isFirst: Bool
  ) throws(ContextError) {
    let resolved = try resolve(path, entity)
    var current = resolved.start
    for (position, index) in resolved.indices.dropLast().enumerated() {
      guard let relationship = current.relationship(at: index) else { continue }
      if position == 0, isFirst { firstSteps.insert(relationship.name) }
      current = model.entities[relationship.destinationIndex]
      roots.insert(current.rootIndex)
    }
  }
}
