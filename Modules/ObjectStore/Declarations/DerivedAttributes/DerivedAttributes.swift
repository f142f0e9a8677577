/// The derived attributes of a model, and which changes of other objects concern them.
struct DerivedAttributes {
  struct Attribute {
    let index: Int
    let type: AttributeType
    let derivation: Derivation
    /// How many derived attributes it is derived from, one through the other.
    let rank: Int
  }

  /// The relationships through which objects of another entity bear on derived attributes, from those that have the attributes.
  private typealias Dependency = [RelationshipDescription]

  /// By entity.
  private let attributes: [[Attribute]]
  private let lastRank: Int
  /// By the entity that is depended on.
  private let dependencies: [[Dependency]]

  /// `nil` if there are none.
  init?(_ model: ManagedObjectModel) {
    guard model.hasDerivedAttributes else { return nil }
    var dependencies: [[Dependency]] = Array(repeating: [], count: model.entities.count)
    attributes = model.entities.map { entity in
      var attributes: [Attribute] = []
      for (index, property) in entity.properties.enumerated() {
        guard let attribute = property.asAttribute, let derivation = attribute.parsedDerivation else {
          continue
        }
        attributes.append(
          Attribute(
            index: index, type: attribute.type, derivation: derivation,
            rank: attribute.derivationRank(in: entity, of: model)))
        var path: Dependency = []
        for (relationship, reached) in derivation.steps(from: entity, in: model) {
          path.append(relationship)
          for other in reached.familyIndices where !dependencies[other].contains(path) {
            dependencies[other].append(path)
          }
        }
      }
      return attributes
    }
    lastRank = attributes.joined().map(\.rank).max() ?? 0
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
      owners(of: object).forEach(add)
    }
    let evaluation = ConditionEvaluation(context)
    let time = context.now().timeIntervalSinceReferenceDate
    context.saveClock.time = time
    var timed: [ManagedObject] = []
    repeat {
      for rank in 0...lastRank {
        let changed = try objects.filter { try compute(rank, of: $0, evaluation) }
        if rank < lastRank { changed.flatMap(owners).forEach(add) }
      }
      // The time of a save counts for what is saved because of it, too. Each object has it once, so that this comes to an end.
      timed = objects.filter { setTime(.date(time), of: $0) }
      timed.flatMap(owners).forEach(add)
    } while lastRank > 0 && !timed.isEmpty && time.isFinite
  }

  /// Returns whether any value has changed.
  private func compute(_ rank: Int, of object: ManagedObject, _ evaluation: ConditionEvaluation) throws
    -> Bool
  {
    var isChanged = false
    for attribute in attributes[object.entity.index] where attribute.rank == rank {
      guard case .operand(let operand) = attribute.derivation.value else { continue }
      let value: AttributeValue
      do { value = try evaluation.value(operand, of: object, object.entity) } catch ContextError.sumTooGreat {
        let name = object.entity.properties[attribute.index].name
        throw SaveError([
          .invalidValue(object.objectID, property: name, reason: "is a sum that does not fit 64 bits")
        ])
      }
      isChanged = set(attribute.type.converted(value), attribute, of: object) || isChanged
    }
    return isChanged
  }

  /// Returns whether it had another time.
  private func setTime(_ time: AttributeValue, of object: ManagedObject) -> Bool {
    guard object.isInserted || object.state.contains(.updated) else { return false }
    var isChanged = false
    for attribute in attributes[object.entity.index] {
      if case .now = attribute.derivation.value {
        isChanged = set(time, attribute, of: object) || isChanged
      }
    }
    return isChanged
  }

  private func set(_ value: AttributeValue, _ attribute: Attribute, of object: ManagedObject) -> Bool {
    if object.value(at: attribute.index) == value { return false }
    object.setValue(value, at: attribute.index)
    return true
  }

  /// The objects from which derivations lead to an object, as far as the inverses of their relationships lead back.
  private func owners(of object: ManagedObject) -> [ManagedObject] {
    dependencies[object.entity.index].flatMap { path in
      path.reversed().reduce([object]) { reached, relationship in
        reached.flatMap { object -> [ManagedObject] in
          guard let inverse = object.entity.inverseIndex(of: relationship) else { return [] }
          return inverse >= object.entity.slotCount
            ? Array(object.members(at: inverse)) : object.target(at: inverse).map { [$0] } ?? []
        }
      }
    }
  }
}
