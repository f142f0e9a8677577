/// What a property wrapper says about its property; the name comes from reflection, unless one is given.
@usableFromInline struct PropertyDeclaration {
  enum Content {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription, destination: ManagedObject.Type, inversePath: AnyKeyPath?)
  }

  var content: Content
  var isUnique = false
  /// Whether the initial value is another one each time it is computed, as a new identifier is. It is computed once for all objects.
  var isInitialValueChanging = false
  /// Whether a relationship is named as its own inverse. A key path could not say so: a wrapper cannot name its own property.
  var isOwnInverse = false

  /// The name, if it is not that of the Swift property.
  var givenName: String? {
    let name =
      switch content {
      case .attribute(let attribute): attribute.name
      case .relationship(let relationship, _, _): relationship.name
      }
    return name.isEmpty ? nil : name
  }
}

/// A property wrapper of a managed object.
protocol DeclaredProperty {
  /// Which property of the object's entity it is.
  var index: Int16 { get }
}
