import ObjectStore

/// An entity that this device or another has named.
///
/// A class, for entities are looked up for every change that is merged, and a structure of arrays is dear to copy.
final class KnownEntity {
  let number: EntityNumber
  /// What it is called, and was.
  var path: NamePath
  /// The entity at the top of the family.
  var root: EntityNumber
  /// `nil` if the local model does not know the entity.
  var local: LocalEntity?
  /// Of a root: rows with a greater number came since sets were last made.
  var frontier = RowNumber.none
  /// Those of all entities of the family, by their bits.
  var properties: [KnownProperty] = []
  /// Of the properties of the local schema, by their positions.
  private(set) var localBits: [PropertyBit] = []
  /// Attributes of which no two rows may show the same values together, the first of which gives way. In the order in which they are settled.
  private(set) var uniqueness: [[PropertyBit]] = []
  var hasUniqueValues: Bool { !uniqueness.isEmpty }
  /// The constraints of all entities of the family.
  private(set) var uniquenessOfFamily: [[PropertyBit]] = []
  /// Properties that are folded from contributions.
  private(set) var foldedBits: [PropertyBit] = []
  /// Properties that merge as one cell, by the name of their group.
  private(set) var groups: [String: [PropertyBit]] = [:]

  init(_ number: EntityNumber, path: NamePath, root: EntityNumber) {
    self.number = number
    self.path = path
    self.root = root
  }

  var name: String { path.name }

  /// Whether another entity decides over this one of what entity an object is, of two insertions with one stamp. By the first names that are
  /// known of both, which a version of the model does not change.
  func precedes(_ other: KnownEntity) -> Bool {
    firstName.utf8.lexicographicallyPrecedes(other.firstName.utf8)
  }

  private var firstName: String { path.namesByAge.first ?? name }

  /// The entity of whose first name identifiers of natural keys are made: they stay the same when it is renamed, and when an
  /// entity gets another parent that has no such key.
  var keyScope = EntityNumber.unknown

  /// A property of the family.
  ///
  /// - Throws: ``ReplicaError`` with `damagedBookkeeping` if there is none with this number.
  func property(_ bit: PropertyBit) throws(ReplicaError) -> KnownProperty {
    guard properties.indices.contains(bit.rawValue) else {
      throw ReplicaError.damagedBookkeeping(
        path: name,
        "The bookkeeping names property \(bit.rawValue) of \(name), which has \(properties.count).")
    }
    return properties[bit.rawValue]
  }

  /// The properties that the local model knows, by their positions in the schema.
  var localProperties: [KnownProperty] { localBits.map { properties[$0.rawValue] } }

  /// Notes that a property is one of the local schema.
  ///
  /// - Parameter declaration: the first entity that has the property from where this one has it.
  func relate(
    _ bit: PropertyBit, path: NamePath, to property: SyncSchema.Property, at position: LocalProperty,
    declaration: EntityNumber, destination: EntityNumber?, targets: Set<EntityNumber>?
  ) {
    properties[bit.rawValue] = KnownProperty(
      bit, path: path, local: position, as: property, declaration: declaration, destination: destination,
      targets: targets)
    localBits.append(bit)
  }

  /// Notes a uniqueness constraint.
  func addUniqueness(of bits: [PropertyBit]) {
    uniqueness.append(bits)
    for bit in bits { properties[bit.rawValue].isUnique = true }
  }

  /// The attributes of a uniqueness constraint, with those of all in the family that have attributes in common with it.
  ///
  /// They are one claim, whatever entity an object is of, so that of several objects one is always the last: otherwise these could displace
  /// each other in turn.
  func claimedBits(of constraint: [PropertyBit]) -> Set<PropertyBit> {
    var bits = Set(constraint)
    while let more = uniquenessOfFamily.first(where: {
      !bits.isDisjoint(with: $0) && !bits.isSuperset(of: $0)
    }) {
      bits.formUnion(more)
    }
    return bits
  }

  /// Notes the constraints of all entities of the family.
  func joinUniqueness(of family: [[PropertyBit]], _ order: ConstraintOrder) {
    uniquenessOfFamily = family
    uniqueness = order.sorted(uniqueness)
  }

  /// Brings ``foldedBits`` and ``groups`` up to date.
  func gatherMerges() {
    foldedBits = properties.filter(\.isFolded).map(\.bit)
    groups = [:]
    for property in localProperties {
      if case .group(let name) = property.declaredMerge { groups[name, default: []].append(property.bit) }
    }
  }
}

/// A property as one entity has it.
final class KnownProperty {
  let bit: PropertyBit
  /// What it is called, and was.
  var path: NamePath
  let kind: EntityNames.Property.Kind
  /// Of a relationship, an entity of the family to which its targets belong: ``NameTable/destination(of:)``.
  let destination: EntityNumber?
  /// The entities of which targets must be to show; `nil` if all below the destination's root will do.
  private let targets: Set<EntityNumber>?
  /// `nil` if the local model does not know the property, or not in this entity.
  let local: LocalProperty?
  /// Stands for all entities that have the same property, by inheritance; `unknown` if the local model does not know it.
  let declaration: EntityNumber
  /// Whether a target belongs to one source at most.
  let isExclusive: Bool
  /// Whether two objects show each other if each was told so: a one-to-one relationship that is its own inverse.
  let isPartner: Bool
  /// Whether a to-many relationship is its own inverse.
  let isSymmetric: Bool
  let order: SyncSchema.Order
  /// What a row shows where nothing was written, or what it cannot hold.
  let blank: AttributeValue
  /// How the local model wants the property merged.
  private(set) var declaredMerge = MergeKind.latest
  /// How the property is merged here: of kinds that fold, what the cells have been prepared for.
  private var adoptedMerge = MergeKind.latest
  private(set) var initialValue = AttributeValue.null
  /// Whether the property shows what was contributed to it.
  private(set) var isFolded = false
  /// Whether a uniqueness constraint names it.
  fileprivate(set) var isUnique = false

  /// A property that the local model does not know.
  init(_ bit: PropertyBit, path: NamePath, kind: EntityNames.Property.Kind, destination: EntityNumber?) {
    self.bit = bit
    self.path = path
    self.kind = kind
    self.destination = destination
    targets = nil
    local = nil
    declaration = .unknown
    isExclusive = false
    isPartner = false
    isSymmetric = false
    order = []
    blank = .null
  }

  fileprivate init(
    _ bit: PropertyBit, path: NamePath, local: LocalProperty, as property: SyncSchema.Property,
    declaration: EntityNumber, destination: EntityNumber?, targets: Set<EntityNumber>?
  ) {
    self.bit = bit
    self.path = path
    self.destination = destination
    self.targets = targets
    self.local = local
    self.declaration = declaration
    // The local model's word on the destination is newer than what was noted for an unknown property.
    kind = property.kind.wireKind
    if case .toOne(_, isExclusive: true) = property.kind { isExclusive = true } else { isExclusive = false }
    if case .partner = property.kind { isPartner = true } else { isPartner = false }
    if case .toMany(_, isSymmetric: true) = property.kind { isSymmetric = true } else { isSymmetric = false }
    order = property.order
    blank = property.blank
  }

  var name: String { path.name }

  /// How the property is merged: of kinds that fold, only what the cells have been prepared for.
  var merge: MergeKind { adoptedMerge }

  /// Whether the cells are not prepared for what the model declares.
  var hasUnadoptedMerge: Bool {
    local != nil && adoptedMerge != (declaredMerge.isFolded ? declaredMerge : .latest)
  }

  /// Whether a relationship can show an object of an entity. A target may become one of another: see ``Showing/move(_:_:)``.
  func admits(_ entity: EntityNumber) -> Bool { targets?.contains(entity) ?? true }

  /// Whether it holds values rather than targets.
  var isAttribute: Bool { kind == .attribute }

  /// Whether a row holds it: attributes and to-one relationships that the local model knows.
  var isRegister: Bool {
    if case .toMany = kind { false } else { true }
  }

  func declare(_ merge: MergeKind, initialValue: AttributeValue) {
    declaredMerge = merge
    self.initialValue = initialValue
  }

  func adopt(_ merge: MergeKind) {
    adoptedMerge = merge.isFolded ? merge : .latest
    isFolded = adoptedMerge.isFolded && local != nil
  }
}
