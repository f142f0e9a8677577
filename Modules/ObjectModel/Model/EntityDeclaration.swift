/// What is said about one entity before a model is built from it.
///
/// Only properties of its own are listed; those of the parent are inherited.
public struct EntityDeclaration: Sendable {
  /// The name; a letter, then letters, digits and underscores.
  public var name: String
  /// Name of the class of its objects, as Core Data's models give it. Has no effect here.
  public var className: String?
  /// Name of the parent entity.
  public var parent: String?
  /// Whether objects of this very entity cannot be made.
  public var isAbstract: Bool
  /// Attributes and relationships.
  public var properties: [PropertyDescription]
  /// Lists of properties whose values together identify an object.
  public var uniquenessConstraints: [[String]]
  /// Indexes over several attributes.
  public var indexes: [IndexDescription]
  /// Name of the entity in an earlier version of the model.
  public var renamingIdentifier: String?
  /// A string that makes the version hash differ.
  public var versionHashModifier: String?
  /// Anything that the application wants to say about the entity.
  public var userInfo: [String: String]

  /// Declares an entity.
  public init(
    _ name: String, parent: String? = nil, isAbstract: Bool = false, attributes: [AttributeDescription] = [],
    relationships: [RelationshipDescription] = [], uniquenessConstraints: [[String]] = [],
    indexes: [IndexDescription] = [], className: String? = nil, renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil, userInfo: [String: String] = [:]
  ) {
    self.name = name
    self.className = className
    self.parent = parent
    self.isAbstract = isAbstract
    self.properties =
      attributes.map { .attribute($0) } + relationships.map { .relationship($0) }
    self.uniquenessConstraints = uniquenessConstraints
    self.indexes = indexes
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
  }
}

/// An index over one or more attributes of an entity.
public struct IndexDescription: Sendable, Hashable {
  /// The name, unique within the entity.
  public var name: String
  /// Names of the indexed properties, most significant first.
  public var properties: [String]
  /// Names of the properties whose greatest values come first.
  public var descending: Set<String>

  /// Describes an index.
  public init(_ name: String, on properties: [String], descending: Set<String> = []) {
    self.name = name
    self.properties = properties
    self.descending = descending
  }
}
