/// The derived attributes of a model, and which changes of other objects concern them.
struct DerivedAttributes {
  struct Attribute {
    let index: Int
    let type: AttributeType
    let derivation: Derivation
  }

  /// A relationship through which objects of another entity bear on derived attributes.
  private struct Dependency {
    let entity: EntityDescription
    let relationship: RelationshipDescription
  }

  /// By entity.
  private let attributes: [[Attribute]]
  /// By the entity that is depended on.
  private let dependencies: [[Dependency]]

  /// `nil` if there are none.
  init?(_ model: ManagedObjectModel) {
    guard model.hasDerivedAttributes else { return nil }
    var dependencies: [[Dependency]] = Array(repeating: [], count: model.entities.count)
    attributes = model.entities.map { entity in
      var attributes: [Attribute] = []
      for (index, property) in entity.properties.enumerated() {
        guard let attribute = property.asAttribute, let text = attribute.derivation,
          let derivation = Derivation(text)
        else { continue }
        attributes.append(Attribute(index: index, type: attribute.type, derivation: derivation))
        if let relationship = derivation.names.first.flatMap({ entity.property(named: $0)?.asRelationship }) {
          for other in model.entities[relationship.destinationIndex].familyIndices {
            dependencies[other].append(Dependency(entity: entity, relationship: relationship))
          }
        }
      }
      return attributes
    }
    self.dependencies = dependencies
  }

  /// Computes the derived attributes of all objects that are about to be saved, and of those that depend on them.
  func compute(in context: ManagedObjectContext) throws {
    var objects: [ManagedObject] = []
    var seen: Set<ObjectIdentifier> = []
    func add(_ object: ManagedObject) {
      if !object.isDeleted, !object.isGone, seen.insert(ObjectIdentifier(object)).inserted {
        objects.append(object)
      }
    }
    let changed = [context.inserted, context.updated, context.touched, context.deleted].flatMap(\.self)
    for object in changed where !object.isGone {
      add(object)
      for dependency in dependencies[object.entity.index] {
        guard let inverse = object.entity.inverseIndex(of: dependency.relationship) else { continue }
        if inverse >= object.entity.slotCount {
          for owner in object.members(at: inverse) { add(owner) }
        } else if let owner = object.target(at: inverse) {
          add(owner)
        }
      }
    }
    let evaluation = ConditionEvaluation(context)
    for object in objects {
      for attribute in attributes[object.entity.index] {
        guard case .operand(let operand) = attribute.derivation.value else { continue }
        set(attribute, of: object, to: try evaluation.value(operand, of: object, object.entity))
      }
    }
    // The time of a save counts for what is saved because of it, too.
    let time = context.now().timeIntervalSinceReferenceDate
    let now = AttributeValue.date(time)
    context.saveClock.time = time
    for object in objects where object.isInserted || object.state.contains(.updated) {
      for attribute in attributes[object.entity.index] {
        if case .now = attribute.derivation.value { object.setValue(now, at: attribute.index) }
      }
    }
  }

  private func set(_ attribute: Attribute, of object: ManagedObject, to value: AttributeValue) {
    let value = attribute.type.converted(value)
    if object.value(at: attribute.index) != value { object.setValue(value, at: attribute.index) }
  }
}
