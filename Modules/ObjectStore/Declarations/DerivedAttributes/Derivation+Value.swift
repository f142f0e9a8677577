extension Derivation {
  enum Value: Sendable {
    /// The time of the save.
    case now
    /// Computed from the object and those it leads to.
    case operand(Operand)
  }

  var value: Value {
    switch kind {
    case .now: .now
    case .path(let names, let function):
      .operand(function.map { .text($0, .path(.names(names))) } ?? .path(.names(names)))
    case .aggregate(let aggregate, let members, let attribute):
      .operand(
        .members(
          aggregate, .init(path: .names(members), condition: nil), attribute.map { .path(.names([$0])) }))
    }
  }
}

extension Derivation {
  /// The relationships that the path leads over, each with the entity that it leads to.
  func steps(
    from entity: EntityDescription, in model: ManagedObjectModel
  ) -> [(relationship: RelationshipDescription, destination: EntityDescription)] {
    var steps: [(relationship: RelationshipDescription, destination: EntityDescription)] = []
    for name in names {
      let reached = steps.last?.destination ?? entity
      guard let relationship = reached.property(named: name)?.asRelationship else { break }
      steps.append((relationship, model.entities[relationship.destinationIndex]))
    }
    return steps
  }

  /// The attribute at the end of the path, and an entity that has it; `nil` for the time and for numbers of members, which have none.
  func source(
    from entity: EntityDescription, in model: ManagedObjectModel
  ) -> (attribute: AttributeDescription, holder: EntityDescription)? {
    let steps = steps(from: entity, in: model)
    let holder = steps.last?.destination ?? entity
    guard steps.count < names.count, let name = names.last,
      let attribute = holder.property(named: name)?.asAttribute
    else { return nil }
    return (attribute, holder)
  }
}

extension AttributeDescription {
  /// Whether it is a sum that is rounded when it is computed.
  var isRoundedSum: Bool {
    guard type.isRounded, case .aggregate(.sum, _, _)? = parsedDerivation?.kind else { return false }
    return true
  }

  /// Whether it is the least or greatest of values that have another type.
  func isConvertedBound(in entity: EntityDescription, of model: ManagedObjectModel) -> Bool {
    guard let derivation = parsedDerivation, case .aggregate(let function, _, _) = derivation.kind,
      [.minimum, .maximum].contains(function)
    else { return false }
    return derivation.source(from: entity, in: model)?.attribute.type != type
  }

  /// How many derived attributes it is derived from, one through the other. A model is refused in which such a chain has no end.
  func derivationRank(in entity: EntityDescription, of model: ManagedObjectModel) -> Int {
    var rank = 0
    var (current, holder) = (self, entity)
    while let source = current.parsedDerivation?.source(from: holder, in: model),
      source.attribute.derivation != nil
    {
      rank += 1
      (current, holder) = source
    }
    return rank
  }
}

extension AttributeType {
  /// Whether such numbers are rounded when they are computed.
  var isRounded: Bool { [.double, .float, .decimal, .date].contains(self) }
}
