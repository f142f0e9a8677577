import ObjectStore

/// What a local store knows how to hold: the synchronised part of its model.
///
/// Each relationship pair appears once, at its canonical end (``RelationshipEnd``); the other end follows from it.
public struct SyncSchema: Sendable {
  /// A synchronised entity.
  public struct Entity: Sendable {
    /// The entity's name.
    public var name: String
    /// Name of its topmost parent; row numbers and sync IDs are unique below it.
    public var root: String
    /// Name of the entity below which equal natural keys are of one object; `nil` for ``root``.
    public var keyScope: String?
    /// The properties that travel.
    public var properties: [Property]
    /// Attributes of which no two rows may show the same values together.
    public var uniqueness: [[LocalProperty]]
    /// Uniqueness constraints that a merge may meet without being able to settle who keeps what: they have a part that does not travel, or
    /// that is a relationship. A store with such a constraint is refused.
    public var unsettledConstraints: [[String]]
    /// The relationships that travel as their inverses, by name.
    public var inverses: [String: Property.Kind]

    /// Describes an entity.
    public init(
      name: String, root: String, keyScope: String? = nil, properties: [Property],
      uniqueness: [[LocalProperty]] = [], unsettledConstraints: [[String]] = [],
      inverses: [String: Property.Kind] = [:]
    ) {
      self.name = name
      self.root = root
      self.keyScope = keyScope
      self.properties = properties
      self.uniqueness = uniqueness
      self.unsettledConstraints = unsettledConstraints
      self.inverses = inverses
    }

    /// A property by its position.
    public subscript(property: LocalProperty) -> Property { properties[property.rawValue] }
  }

  /// A property that travels.
  public struct Property: Sendable {
    /// What kind of property it is.
    public enum Kind: Sendable, Hashable {
      /// A value.
      case attribute
      /// A relationship to at most one object below the named root. If it is exclusive, a target belongs to at most one
      /// source (a one-to-one pair); if that pair is its own inverse, it is a ``partner(destination:)``.
      case toOne(destination: String, isExclusive: Bool)
      /// A one-to-one relationship that is its own inverse: two objects show each other if each was told so.
      case partner(destination: String)
      /// A relationship to any number of objects below the named root. If it is symmetric, it is its own inverse.
      case toMany(destination: String, isSymmetric: Bool)

      /// Of a relationship, the root below which its targets are.
      package var destination: String? {
        switch self {
        case .attribute: nil
        case .toOne(let destination, _), .partner(let destination), .toMany(let destination, _): destination
        }
      }

      var isToMany: Bool { if case .toMany = self { true } else { false } }
    }

    /// The property's name.
    public var name: String
    /// What the property was called in earlier versions of the model, as far as this version tells, the latest first. A single
    /// empty name says that it is new though another property of the entity bore its name before.
    public var formerNames: [String]
    /// What kind of property it is.
    public var kind: Kind
    /// The store's own number for the property.
    public var index: Int
    /// Name of the entity that declares the property, if that is another: relationships of the same name that siblings
    /// declare lead to different lists.
    public var declaredBy: String?
    /// Names of the entities of which targets of a relationship must be; `nil` if any below the named root will do.
    public var targets: Set<String>?
    /// Which ends of a relationship have an order.
    public var order: Order
    /// How what several devices wrote becomes one value.
    public var merge: MergeKind
    /// What the attribute holds while nobody has written it, if it is not merged as ``MergeKind/latest``.
    public var initialValue: AttributeValue
    /// What a row shows where no value was written, or one that the attribute cannot hold: null, or the default of an
    /// attribute that may not be null.
    public var blank: AttributeValue
    /// Whether the store computes the attribute, so that rows show values that nobody wrote.
    public var isDerived: Bool

    /// Describes a property.
    public init(
      name: String, formerNames: [String] = [], kind: Kind, index: Int, declaredBy: String? = nil,
      targets: Set<String>? = nil, order: Order = [],
      merge: MergeKind = .latest,
      initialValue: AttributeValue = .null, blank: AttributeValue = .null, isDerived: Bool = false
    ) {
      self.name = name
      self.formerNames = formerNames
      self.kind = kind
      self.index = index
      self.declaredBy = declaredBy
      self.targets = targets
      self.order = order
      self.merge = merge
      self.initialValue = initialValue
      self.blank = blank
      self.isDerived = isDerived
    }
  }

  /// Which ends of a relationship pair show their members in an order that the user gives them.
  public struct Order: OptionSet, Sendable, Hashable {
    /// One bit for each end.
    public let rawValue: Int

    /// Wraps the bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The targets of a source are ordered.
    public static let targets = Order(rawValue: 1)
    /// The sources of a target are ordered: the inverse relationship is an ordered one.
    public static let sources = Order(rawValue: 2)
  }

  /// The synchronised entities. Their positions are the numbers (``LocalEntity``) by which a ``LocalStore`` is addressed.
  public var entities: [Entity]
  /// What entities were called in earlier versions of the model, by name, as ``Property/formerNames`` is for properties. Roots
  /// that are not synchronised themselves are named too.
  public var formerNames: [String: [String]]
  /// Checksum of the whole model, for ``ChangeSet/model``.
  public var model: String

  /// Describes a schema.
  public init(entities: [Entity], formerNames: [String: [String]] = [:], model: String) {
    self.entities = entities
    self.formerNames = formerNames
    self.model = model
  }

  /// An entity by its position.
  public subscript(entity: LocalEntity) -> Entity { entities[entity.rawValue] }

  /// The positions of all entities.
  var localEntities: [LocalEntity] { entities.indices.map(LocalEntity.init(rawValue:)) }
}

/// Chooses the end of a relationship pair that is recorded, so that both devices record the same one.
///
/// The classic rules: the to-one end of a pair with one to-one; otherwise the end whose name sorts first without regard
/// to case. Ties, which the classic system recorded twice, are broken by exact name, then entity name.
public enum RelationshipEnd {
  /// One end of a pair.
  public struct Description: Sendable {
    /// The entity that declares the relationship.
    public var entity: String
    /// The relationship's name.
    public var name: String
    /// Whether it has many targets.
    public var isToMany: Bool

    /// Describes an end.
    public init(entity: String, name: String, isToMany: Bool) {
      self.entity = entity
      self.name = name
      self.isToMany = isToMany
    }

    var sortKey: (String, String, String) { (name.lowercased(), name, entity) }
  }

  /// Whether `end` is the one that is recorded. Without an inverse it always is.
  public static func isCanonical(_ end: Description, inverse: Description?) -> Bool {
    guard let inverse else { return true }
    if end.isToMany != inverse.isToMany { return !end.isToMany }
    return end.sortKey <= inverse.sortKey
  }
}
