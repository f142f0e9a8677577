/// What happens to the other side of a relationship when an object is deleted.
public enum DeleteRule: Int, Sendable, Hashable {
  /// The other side is left alone, and may dangle.
  case noAction = 0
  /// The other side forgets the object.
  case nullify = 1
  /// The objects on the other side are deleted too.
  case cascade = 2
  /// The deletion is refused while there is an object on the other side.
  case deny = 3
}

/// A relationship of an entity to another, or to itself.
public struct RelationshipDescription: Sendable, Hashable {
  /// The name; a letter, then letters, digits and underscores.
  public var name: String
  /// Name of the entity on the other side.
  public var destination: String
  /// Name of the relationship on the other side that says the same; every relationship should have one.
  public var inverse: String?
  /// Whether an object may be related to more than one other.
  public var isToMany: Bool
  /// Whether the related objects have an order; means nothing where there is only one, but enters the version hash.
  public var isOrdered: Bool
  /// Whether an object may be saved without a related object.
  public var isOptional: Bool
  /// Whether the relationship lives in memory only.
  public var isTransient: Bool
  /// What happens on the other side when an object is deleted.
  public var deleteRule: DeleteRule
  /// The least number of related objects, if there are any or the relationship is not optional.
  public var minimumCount: Int
  /// The greatest number of related objects; 0 and -1 are without limit. Always 1 for a to-one relationship.
  public var maximumCount: Int
  /// Name of the relationship in an earlier version of the model.
  public var renamingIdentifier: String?
  /// A string that makes the version hash differ.
  public var versionHashModifier: String?
  /// Anything that the application wants to say about the relationship.
  public var userInfo: [String: String]

  /// Index in ``ManagedObjectModel/entities`` of the entity that declares it; set when the model is built.
  public internal(set) var ownerIndex = -1
  /// Whether it is its own inverse, as in "friends"; set when the model is built.
  public internal(set) var isOwnInverse = false
  /// Index of the destination in ``ManagedObjectModel/entities``; set when the model is built.
  public internal(set) var destinationIndex = -1
  /// Index of the inverse among the destination's properties; set when the model is built, `nil` without inverse.
  public internal(set) var inverseIndex: Int?
  /// Whether the inverse is to-many; `false` without inverse.
  public internal(set) var inverseIsToMany = false
  /// Whether the inverse is ordered; `false` without inverse.
  public internal(set) var inverseIsOrdered = false

  /// Describes a relationship; ``toOne(_:to:inverse:isOptional:deleteRule:userInfo:)`` and
  /// ``toMany(_:to:inverse:isOrdered:deleteRule:minimumCount:maximumCount:userInfo:)`` are shorter.
  public init(
    _ name: String, to destination: String, inverse: String?, isToMany: Bool, isOrdered: Bool = false,
    isOptional: Bool = true, isTransient: Bool = false, deleteRule: DeleteRule = .nullify,
    minimumCount: Int = 0,
    maximumCount: Int? = nil, renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
    userInfo: [String: String] = [:]
  ) {
    self.name = name
    self.destination = destination
    self.inverse = inverse
    self.isToMany = isToMany
    self.isOrdered = isOrdered
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.deleteRule = deleteRule
    self.minimumCount = minimumCount
    self.maximumCount = maximumCount ?? (isToMany ? 0 : 1)
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
  }

  /// A relationship to at most one object.
  public static func toOne(
    _ name: String, to destination: String, inverse: String? = nil, isOptional: Bool = true,
    deleteRule: DeleteRule = .nullify, userInfo: [String: String] = [:]
  ) -> RelationshipDescription {
    RelationshipDescription(
      name, to: destination, inverse: inverse, isToMany: false, isOptional: isOptional,
      deleteRule: deleteRule,
      userInfo: userInfo)
  }

  /// A relationship to any number of objects.
  public static func toMany(
    _ name: String, to destination: String, inverse: String? = nil, isOrdered: Bool = false,
    deleteRule: DeleteRule = .nullify, minimumCount: Int = 0, maximumCount: Int = 0,
    userInfo: [String: String] = [:]
  ) -> RelationshipDescription {
    RelationshipDescription(
      name, to: destination, inverse: inverse, isToMany: true, isOrdered: isOrdered, deleteRule: deleteRule,
      minimumCount: minimumCount, maximumCount: maximumCount, userInfo: userInfo)
  }

  /// Whether both sides are to-many, or the only side is: the links then live in a table of their own.
  public var isManyToMany: Bool { isToMany && (inverse == nil || inverseIsToMany) }
}
