/// Finds everything about two versions of a model that cannot be inferred, entity by entity.
struct MigrationInference {
  let mapping: ModelMapping
  /// Names of entities of the target whose properties are the business of transformations.
  let transformed: Set<String>

  /// One line for each thing that cannot be inferred; empty if a migration may begin.
  func problems() -> [String] {
    var lines = mapping.ambiguities
    for entity in mapping.target.entities {
      guard let mapped = mapping.entity(to: entity), !isTransformed(entity) else { continue }
      lines += mapping.ambiguousProperties[entity.index] ?? []
      for (index, property) in entity.properties.enumerated()
      where entity.ownPropertyNames.contains(property.name) || isInherited(index, newTo: mapped) {
        if let message = problem(with: property, at: index, of: mapped) {
          lines.append("\(entity.name).\(property.name): \(message)")
        }
      }
    }
    return lines
  }

  /// Whether somebody says what becomes of the objects of an entity.
  private func isTransformed(_ entity: EntityDescription) -> Bool {
    var next: EntityDescription? = entity
    while let current = next {
      if transformed.contains(current.name) { return true }
      next = current.parent
    }
    return false
  }

  /// Whether an inherited property says something that the parent's own line does not.
  private func isInherited(_ index: Int, newTo mapped: ModelMapping.Entity) -> Bool {
    mapped.target.parent.map { mapping.entity(to: $0) == nil } ?? false
  }

  private func problem(
    with property: PropertyDescription, at index: Int, of mapped: ModelMapping.Entity
  ) -> String? {
    if property.isTransient { return nil }
    let old = mapped.properties[index].map { mapped.source.properties[$0] }
    switch (property, old) {
    case (.attribute(let attribute), .attribute(let old)?):
      if old.isTransient { return isNewAttributeProblem(attribute) }
      let isLossless = AttributeConversion.expression("v", from: old.type, to: attribute.type) != nil
      return isLossless ? nil : "values of the type \(old.type) do not all fit into \(attribute.type)"
    case (.attribute(let attribute), nil): return isNewAttributeProblem(attribute)
    case (.relationship(let relationship), .relationship(let old)?):
      return problem(relationship, was: old, of: mapped)
    case (.relationship(let relationship), nil):
      let isFilled = relationship.inverseIndex.flatMap { inverse in
        mapping.relationship(from: mapping.target.entities[relationship.destinationIndex], at: inverse)
      }
      return relationship.isToMany || relationship.isOptional || isFilled != nil
        ? nil : "is new and must have a value"
    case (.attribute, .relationship?): return "was a relationship, and is an attribute"
    case (.relationship, .attribute?): return "was an attribute, and is a relationship"
    }
  }

  private func isNewAttributeProblem(_ attribute: AttributeDescription) -> String? {
    attribute.isOptional || !attribute.defaultValue.isNull
      ? nil : "is new and must have a value, but has no default"
  }

  private func problem(
    _ relationship: RelationshipDescription, was old: RelationshipDescription, of mapped: ModelMapping.Entity
  ) -> String? {
    let destination = mapping.target.entities[relationship.destinationIndex]
    let oldDestination = mapping.source.entities[old.destinationIndex]
    let reaches = oldDestination.familyIndices.contains { index in
      mapping.entity(from: mapping.source.entities[index]).map { $0.target.isKind(of: destination) } ?? false
    }
    if !reaches, mapping.entity(from: oldDestination) != nil || mapping.entity(to: destination) != nil {
      return "led to \(oldDestination.name), and leads to \(destination.name)"
    }
    if old.isToMany, !relationship.isToMany { return "led to many objects, and leads to one" }
    guard let inverse = relationship.inverseIndex,
      let oldInverse = mapping.relationship(from: destination, at: inverse)
    else { return nil }
    let was = oldInverse.entity.relationship(at: oldInverse.index)
    let wereInverse = old.inverse == was?.name && was?.inverse == old.name
    return wereInverse ? nil : "was not the inverse of \(destination.name).\(relationship.inverse ?? "")"
  }
}
