/// An entity of a model: what its objects are called and what they have. Immutable.
///
/// ``properties`` holds inherited properties too, in an order that stays the same for the life of the model: attributes,
/// transient attributes, to-one, transient to-one, to-many relationships; in each group first the parent's in the parent's
/// order, then the entity's own by name. The position of a property in it is its *index*, used wherever speed matters.
public final class EntityDescription: Sendable {
  /// The name.
  public let name: String
  /// Name of the class of its objects, as Core Data's models give it.
  public let className: String?
  /// Position in ``ManagedObjectModel/entities``.
  public let index: Int
  /// The entity it inherits from.
  public let parent: EntityDescription?
  /// Positions in the model of the entities that inherit from it directly.
  public let subentityIndices: [Int]
  /// Positions in the model of this entity and all that inherit from it, directly or not.
  public let familyIndices: [Int]
  /// Whether objects of this very entity cannot be made.
  public let isAbstract: Bool
  /// All properties; see above for their order.
  public let properties: [PropertyDescription]
  /// Names of the properties that are not inherited.
  public let ownPropertyNames: Set<String>
  /// Lists of properties whose values together identify an object; inherited ones too.
  public let uniquenessConstraints: [[String]]
  /// Lists of the entity's own, as they enter the version hash.
  public let ownUniquenessConstraints: [[String]]
  /// Indexes over several attributes; the entity's own.
  public let indexes: [IndexDescription]
  /// Name of the entity in an earlier version of the model.
  public let renamingIdentifier: String?
  /// A string that makes the version hash differ.
  public let versionHashModifier: String?
  /// What the application says about the entity.
  public let userInfo: [String: String]
  /// SHA-256 over everything that decides how objects are stored, as Core Data computes it: 32 bytes.
  public let versionHash: [UInt8]
  // Index of the entity at the top of the inheritance.
  package let rootIndex: Int
  /// Number of attributes: they have the indices below it.
  public let attributeCount: Int
  /// Number of attributes and to-one relationships: they have the indices below it, and each has a value.
  public let slotCount: Int

  // Where an object keeps its place among its siblings in an ordered one-to-many relationship: slot by to-one index.
  package let orderSlots: [Int: Int]
  // Number of slots, those of `orderSlots` included.
  package let valueCount: Int
  package let defaults: ContiguousArray<AttributeValue>
  package let checks: SaveChecks
  private let indexByName: [String: Int]

  /// An entity of no model, without properties.
  package convenience init(undeclared name: String) {
    self.init(
      EntityParts(
        declaration: EntityDeclaration(name), index: 0, parent: nil, subentityIndices: [], familyIndices: [0],
        properties: [], versionHash: []))
  }

  init(_ parts: EntityParts) {
    name = parts.declaration.name
    className = parts.declaration.className
    index = parts.index
    parent = parts.parent
    subentityIndices = parts.subentityIndices
    familyIndices = parts.familyIndices
    isAbstract = parts.declaration.isAbstract
    properties = parts.properties
    ownPropertyNames = Set(parts.declaration.properties.map(\.name))
    ownUniquenessConstraints = parts.declaration.uniquenessConstraints
    uniquenessConstraints =
      (parts.parent?.uniquenessConstraints ?? []) + parts.declaration.uniquenessConstraints
    indexes = parts.declaration.indexes
    renamingIdentifier = parts.declaration.renamingIdentifier
    versionHashModifier = parts.declaration.versionHashModifier
    userInfo = parts.declaration.userInfo
    versionHash = parts.versionHash

    rootIndex = parts.parent?.rootIndex ?? parts.index
    attributeCount = properties.count { $0.asAttribute != nil }
    let slotCount = properties.count { $0.asRelationship.map { !$0.isToMany } ?? true }
    self.slotCount = slotCount
    var orderSlots: [Int: Int] = [:]
    var defaults = ContiguousArray<AttributeValue>()
    for (index, property) in properties.enumerated() where index < slotCount {
      defaults.append(property.asAttribute?.defaultValue ?? .null)
      if property.asRelationship?.inverseIsOrdered == true {
        orderSlots[index] = slotCount + orderSlots.count
      }
    }
    for _ in orderSlots { defaults.append(.null) }
    self.orderSlots = orderSlots
    self.defaults = defaults
    valueCount = defaults.count
    checks = SaveChecks(properties)
    indexByName = Dictionary(uniqueKeysWithValues: properties.enumerated().map { ($1.name, $0) })
  }

  /// The index of a property, or `nil` if there is none of this name.
  public func index(of name: String) -> Int? { indexByName[name] }

  /// The property of this name.
  public func property(named name: String) -> PropertyDescription? {
    indexByName[name].map { properties[$0] }
  }

  /// The attribute at an index, or `nil` if it is a relationship or there is none.
  public func attribute(at index: Int) -> AttributeDescription? {
    properties.indices.contains(index) ? properties[index].asAttribute : nil
  }

  /// The relationship at an index, or `nil` if it is an attribute or there is none.
  public func relationship(at index: Int) -> RelationshipDescription? {
    properties.indices.contains(index) ? properties[index].asRelationship : nil
  }

  /// The entity at the top of the inheritance; its table holds the objects of the whole family.
  public var root: EntityDescription { parent?.root ?? self }

  /// Whether objects of this entity are objects of `other` too.
  public func isKind(of other: EntityDescription) -> Bool {
    other.index == index || (parent?.isKind(of: other) ?? false)
  }

  /// Where the inverse of a relationship is found in this entity, which is the destination or inherits from it.
  package func inverseIndex(of relationship: RelationshipDescription) -> Int? {
    guard let index = relationship.inverseIndex else { return nil }
    return relationship.destinationIndex == self.index
      ? index : relationship.inverse.flatMap { indexByName[$0] }
  }
}

extension EntityDescription: Hashable {
  /// Entities are equal if they are the same object of the same model.
  public static func == (left: EntityDescription, right: EntityDescription) -> Bool { left === right }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
