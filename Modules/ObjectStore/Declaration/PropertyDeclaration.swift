/// What a property wrapper says about its property; the name comes from reflection.
@usableFromInline struct PropertyDeclaration {
  enum Content {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription, destination: ManagedObject.Type, inversePath: AnyKeyPath?)
  }

  var content: Content
  var isUnique = false
}

/// A property wrapper of a managed object.
protocol DeclaredProperty {
  /// Which property of the object's entity it is.
  var index: Int32 { get }
}
