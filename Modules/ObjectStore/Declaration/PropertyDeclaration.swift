/// What a property wrapper says about its property; the name comes from reflection.
@usableFromInline struct PropertyDeclaration {
  enum Content {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription, destination: ManagedObject.Type, inversePath: AnyKeyPath?)
  }

  var content: Content
  var isUnique = false
  /// Whether a relationship is named as its own inverse. A key path could not say so: a wrapper cannot name its own property.
  var isOwnInverse = false
}

/// A property wrapper of a managed object.
protocol DeclaredProperty {
  /// Which property of the object's entity it is.
  var index: Int16 { get }
}
