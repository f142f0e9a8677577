/// A uniqueness constraint that the objects of an entity are under.
package struct UniquenessConstraint: Sendable {
  /// The entity that declares it; of several that declare the same, the first of the model.
  package let owner: EntityDescription
  /// Position among the constraints of its owner.
  package let position: Int
  /// The properties whose values together are to be unique.
  package let properties: [String]
}

extension ManagedObjectModel {
  /// The uniqueness constraints that the objects of an entity are under: its own, those that it inherits, and those of others of its
  /// family to properties that it has too. Objects of a family share a table, and the index of a constraint takes in all of it.
  package func uniquenessConstraints(on entity: EntityDescription) -> [UniquenessConstraint] {
    var constraints: [UniquenessConstraint] = []
    for owner in entity.root.familyIndices.map({ entities[$0] }) {
      for (position, names) in owner.ownUniquenessConstraints.enumerated()
      where !constraints.contains(where: { $0.properties == names }) {
        let isShared = names.allSatisfy { name in
          owner.declaringEntity(of: name).map { $0 === entity.declaringEntity(of: name) } ?? false
        }
        if isShared {
          constraints.append(UniquenessConstraint(owner: owner, position: position, properties: names))
        }
      }
    }
    return constraints
  }
}

extension EntityDescription {
  /// The entity from which this one has a property, or this one itself; `nil` if it has none of this name.
  fileprivate func declaringEntity(of property: String) -> EntityDescription? {
    sequence(first: self, next: \.parent).first { $0.ownPropertyNames.contains(property) }
  }
}
