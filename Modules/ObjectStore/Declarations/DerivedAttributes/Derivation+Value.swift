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
  ) -> [(RelationshipDescription, EntityDescription)] {
    var steps: [(RelationshipDescription, EntityDescription)] = []
    for name in names {
      guard let relationship = (steps.last?.1 ?? entity).property(named: name)?.asRelationship else { break }
      steps.append((relationship, model.entities[relationship.destinationIndex]))
    }
    return steps
  }
}

extension AttributeDescription {
  var parsedDerivation: Derivation? { derivation.flatMap { Derivation($0) } }

  /// Whether it is a sum that is rounded when it is computed.
  var isRoundedSum: Bool {
    guard type.isRounded, case .aggregate(.sum, _, _)? = parsedDerivation?.kind else { return false }
    return true
  }

  /// How many derived attributes it is derived from, one through the other. A model is refused in which such a chain has no end.
  func derivationRank(in entity: EntityDescription, of model: ManagedObjectModel) -> Int {
    var rank = 0
    var (current, holder) = (self, entity)
    while let derivation = current.parsedDerivation {
      let steps = derivation.steps(from: holder, in: model)
      holder = steps.last?.1 ?? holder
      // A number of members has no source.
      guard steps.count < derivation.names.count,
        let source = derivation.names.last.flatMap({ holder.property(named: $0)?.asAttribute }),
        source.derivation != nil
      else { break }
      rank += 1
      current = source
    }
    return rank
  }
}

extension AttributeType {
  /// Whether such numbers are rounded when they are computed.
  var isRounded: Bool { [.double, .float, .decimal, .date].contains(self) }
}
