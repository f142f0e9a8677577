/// Looks at everything that is about to be saved and finds all that is wrong with it.
struct SaveValidation {
  private var problems: [SaveError.Problem] = []
  private let rules = ValueRules()
  // By index of the entity.
  private var checks: [Int: [(index: Int, check: ValueCheck)]] = [:]

  // By index of the entity; empty if there are none.
  private var immutableSlots: [[Int]] = []

  mutating func check(_ context: ManagedObjectContext) -> [SaveError.Problem] {
    immutableSlots = context.root.adopted.immutableSlots
    problems = context.refusals.map { .misuse($0) }
    for object in context.inserted { check(object, all: true) }
    for object in context.updated where !object.isDeleted && !object.isInserted { check(object, all: false) }
    for object in context.touched where object.state.isDisjoint(with: [.inserted, .deleted, .gone]) {
      checkCounts(object)
      if !object.state.contains(.updated) { check(object, all: false) }
    }
    for object in context.deleted { checkDenials(object) }
    return problems
  }

  private mutating func check(_ object: ManagedObject, all: Bool) {
    let entity = object.entity
    for index in entity.checks.required where all || object.changed.contains(index) {
      if object.values[index].isNull {
        problems.append(.missingValue(object.objectID, property: entity.properties[index].name))
      }
    }
    if !immutableSlots.isEmpty, !object.isInserted { checkImmutable(object) }
    for index in entity.checks.validated where all || object.changed.contains(index) {
      if let attribute = entity.properties[index].asAttribute {
        for reason in rules.violations(attribute.validation, by: object.values[index]) {
          problems.append(.invalidValue(object.objectID, property: attribute.name, reason: reason))
        }
      }
    }
    object.changed.forEach { index in
      guard index < entity.attributeCount else { return }
      let type = entity.checks.types[index]
      if object.values[index].isNotANumber {
        problems.append(
          .invalidValue(
            object.objectID, property: entity.properties[index].name,
            reason: "is no number (NaN), in whose place a store keeps nothing"))
      } else if !type.accepts(object.values[index]) {
        problems.append(
          .invalidValue(
            object.objectID, property: entity.properties[index].name, reason: "is not of the type \(type)"))
      }
    }
    if all, !entity.checks.counted.isEmpty { checkCounts(object) }
    runValueChecks(object, all: all)
    do {
      if all { try object.validateForInsert() } else { try object.validateForUpdate() }
    } catch {
      problems.append(.refused(object.objectID, reason: String(describing: error)))
    }
  }

  /// A child's objects have what their parents have not saved either; so what is in the store tells only the context above all.
  private mutating func checkImmutable(_ object: ManagedObject) {
    if object.contextReference?.parent != nil { return }
    for index in immutableSlots[object.entity.index] where object.changed.contains(index) {
      let committed = object.committedValue(at: index)
      if !committed.isNull, object.values[index] != committed {
        problems.append(
          .invalidValue(
            object.objectID, property: object.entity.properties[index].name,
            reason: "identifies the object and cannot change once it is saved"))
      }
    }
  }

  private mutating func runValueChecks(_ object: ManagedObject, all: Bool) {
    let entity = object.entity
    if checks[entity.index] == nil {
      do {
        checks[entity.index] = try object.contextReference?.valueChecks(of: entity) ?? []
      } catch {
        problems.append(.misuse(error))
        checks[entity.index] = []
      }
    }
    for (index, check) in checks[entity.index] ?? [] {
      let isChanged =
        index < entity.slotCount ? object.changed.contains(index) : object.hasChangedMembers(at: index)
      if !all, !isChanged { continue }
      do {
        try check.run(object)
      } catch {
        problems.append(
          .invalidValue(
            object.objectID, property: entity.properties[index].name, reason: String(describing: error)))
      }
    }
  }

  private mutating func checkCounts(_ object: ManagedObject) {
    for index in object.entity.checks.counted {
      guard let relationship = object.entity.relationship(at: index) else { continue }
      let count = object.members(at: index).count
      // Without a minimum a to-many relationship may be empty even if it is not optional: stores of Core Data have such.
      let isTooFew = count < relationship.minimumCount && !(relationship.isOptional && count == 0)
      if isTooFew || relationship.maximumCount > 0 && count > relationship.maximumCount {
        problems.append(.invalidCount(object.objectID, property: relationship.name, count: count))
      }
    }
  }

  private mutating func checkDenials(_ object: ManagedObject) {
    for (index, property) in object.entity.properties.enumerated() {
      guard let relationship = property.asRelationship, relationship.deleteRule == .deny else { continue }
      let others =
        relationship.isToMany ? object.members(at: index) : object.target(at: index).map { [$0] } ?? []
      if others.contains(where: { !$0.isDeleted && !$0.isGone }) {
        problems.append(.deletionDenied(object.objectID, property: relationship.name))
      }
    }
    do {
      try object.validateForDelete()
    } catch {
      problems.append(.refused(object.objectID, reason: String(describing: error)))
    }
  }
}
