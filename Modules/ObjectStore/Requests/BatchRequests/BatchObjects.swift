import Foundation

/// Does with objects what a batch does with rows, for contexts whose participants have to be told of each.
struct BatchObjects {
  let context: ManagedObjectContext

  func insert(
    _ rows: some Sequence<ContiguousArray<AttributeValue>>, _ entity: EntityDescription
  ) throws -> ObjectChanges {
    var objects: [ManagedObject] = []
    for values in rows { objects.append(try insert(values, entity)) }
    try context.save()
    return ObjectChanges(inserted: objects.map(\.objectID))
  }

  func insert(
    _ values: ContiguousArray<AttributeValue>, _ entity: EntityDescription
  ) throws -> ManagedObject {
    let object = try context.insert(entity)
    for (index, value) in values.enumerated() where index < entity.slotCount {
      // What a hook or a participant has set stays, unless the row says something else.
      let isSet = index < entity.attributeCount ? value != entity.defaults[index] : !value.isNull
      if isSet { set(value, at: index, of: object) }
    }
    return object
  }

  /// Sets an attribute or the target of a to-one relationship.
  func set(_ value: AttributeValue, at index: Int, of object: ManagedObject) {
    if index < object.entity.attributeCount {
      object.setValue(value, at: index)
    } else if case .reference(let entity, let key) = value {
      object.setTarget(context.object(entity: Int(entity), key: key), at: index)
    } else {
      object.setTarget(nil, at: index)
    }
  }

  func update<Object>(
    _ request: FetchRequest<Object>, _ entity: EntityDescription, _ assignments: [BatchAssignment<Object>]
  ) throws -> ObjectChanges {
    let objects = try context.fetch(request)
    let evaluation = ConditionEvaluation(context)
    let rules = ValueRules()
    var indices: [Int] = []
    for assignment in assignments {
      let resolved = try context.resolver(assignment.path, entity)
      guard resolved.indices.count == 1, let index = resolved.indices.first, index < entity.slotCount else {
        throw ContextError.notInBatch(entity: entity.name, property: resolved.property.name)
      }
      indices.append(index)
    }
    // All values come from the objects as they were before.
    let values = try objects.map { object in
      try zip(assignments, indices).map { assignment, index -> AttributeValue in
        guard case .operand(let operand) = assignment.value else { return .null }
        let type = entity.attribute(at: index)?.type ?? .undefined
        let value = type.converted(try evaluation.value(operand, of: object, entity))
        try entity.checkBatch(value, at: index)
        try entity.checkRules(value, at: index, rules)
        return value
      }
    }
    for (object, values) in zip(objects, values) {
      for (position, assignment) in assignments.enumerated() {
        let name = entity.properties[indices[position]].name
        guard let index = object.entity.index(of: name) else { continue }
        switch assignment.value {
        case .operand: object.setValue(values[position], at: index)
        case .target(let identifier):
          let target = identifier.flatMap { context.object(for: $0) }
          if let identifier, target == nil { throw ContextError.objectGone("\(identifier)") }
          object.setTarget(target, at: index)
        }
      }
    }
    try context.save()
    return ObjectChanges(updated: objects.map(\.objectID))
  }

  func delete<Object>(_ request: FetchRequest<Object>) throws -> ObjectChanges {
    for object in try context.fetch(request) { context.delete(object) }
    let changes = ObjectChanges(
      updated: context.updatedObjects.map(\.objectID), deleted: context.deletedObjects.map(\.objectID))
    try context.save()
    return changes
  }
}
