/// An attribute or a relationship of an entity.
public enum PropertyDescription: Sendable, Hashable {
  /// An attribute.
  case attribute(AttributeDescription)
  /// A relationship.
  case relationship(RelationshipDescription)

  /// The name.
  public var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    }
  }

  /// Whether the property lives in memory only.
  public var isTransient: Bool {
    switch self {
    case .attribute(let attribute): attribute.isTransient
    case .relationship(let relationship): relationship.isTransient
    }
  }

  /// Whether an object may be saved without it.
  public var isOptional: Bool {
    switch self {
    case .attribute(let attribute): attribute.isOptional
    case .relationship(let relationship): relationship.isOptional
    }
  }

  /// Name of the property in an earlier version of the model.
  public var renamingIdentifier: String? {
    switch self {
    case .attribute(let attribute): attribute.renamingIdentifier
    case .relationship(let relationship): relationship.renamingIdentifier
    }
  }

  /// A string that makes the version hash differ.
  public var versionHashModifier: String? {
    switch self {
    case .attribute(let attribute): attribute.versionHashModifier
    case .relationship(let relationship): relationship.versionHashModifier
    }
  }

  /// What the application says about the property.
  public var userInfo: [String: String] {
    switch self {
    case .attribute(let attribute): attribute.userInfo
    case .relationship(let relationship): relationship.userInfo
    }
  }

  /// The attribute, if it is one.
  public var asAttribute: AttributeDescription? {
    if case .attribute(let attribute) = self { attribute } else { nil }
  }

  /// The relationship, if it is one.
  public var asRelationship: RelationshipDescription? {
    if case .relationship(let relationship) = self { relationship } else { nil }
  }

  /// Groups properties as ``EntityDescription/properties`` orders them.
  var group: Int {
    switch self {
    case .attribute(let attribute): attribute.isTransient ? 1 : 0
    case .relationship(let relationship) where !relationship.isToMany: relationship.isTransient ? 3 : 2
    case .relationship(let relationship):
      (relationship.isTransient ? 6 : 4) + (relationship.isOrdered ? 1 : 0)
    }
  }
}
