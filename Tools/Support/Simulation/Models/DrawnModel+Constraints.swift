import ChangeTracking
import ObjectStore

/// Uniqueness constraints that a family shares.
extension DrawnModel {
  /// Sub-entities declare constraints on attributes that they inherit, alone or with one of their own.
  ///
  /// Each with an own attribute has one that no entity above knows. So what gives way for a constraint is never what lets another one of it
  /// be, in a circle.
  mutating func constrainInherited(using random: inout SeededRandomSource) {
    for entity in declarations.indices where declarations[entity].parent != nil && random.oneIn(2) {
      let inherited = above(declarations[entity].name).flatMap(\.properties).compactMap(\.asAttribute).filter
      {
        isFit($0)
      }
      guard let attribute = inherited.randomElement(using: &random) else { continue }
      var names = [attribute.name]
      let own = declarations[entity].properties.compactMap(\.asAttribute).filter(isFit)
      if features.has(.compoundUnique), random.oneIn(2), let own = own.randomElement(using: &random) {
        names.insert(own.name, at: random.oneIn(2) ? 0 : 1)
      }
      declarations[entity].uniquenessConstraints.append(names)
    }
  }

  /// The entities from which another inherits, from the root on.
  func above(_ name: String) -> [EntityDeclaration] {
    guard let parent = declaration(name)?.parent, let entity = declaration(parent) else { return [] }
    return above(parent) + [entity]
  }

  private func isFit(_ attribute: AttributeDescription) -> Bool {
    [.string, .integer64].contains(attribute.type) && isPlain(attribute)
  }

  /// Whether nothing else is demanded of an attribute.
  func isPlain(_ attribute: AttributeDescription) -> Bool {
    attribute.name != SyncModelKey.syncID && attribute.isOptional && attribute.validation.isEmpty
      && attribute.userInfo[SyncModelKey.merge] == nil && attribute.defaultValue.isNull
      && !declarations.contains { $0.naturalKey == attribute.name }
  }

  /// Whether a uniqueness constraint of any entity names an attribute.
  func isConstrained(_ attribute: String) -> Bool {
    declarations.contains { $0.uniquenessConstraints.joined().contains(attribute) }
  }
}

extension ManagedObjectModel {
  /// The attributes that uniqueness constraints of an entity's family name: of all of it, for the objects of a family are under those of
  /// its sub-entities as well.
  func constrainedAttributes(of entity: EntityDescription) -> Set<String> {
    Set(entity.root.familyIndices.flatMap { entities[$0].ownUniquenessConstraints.joined() })
  }
}
