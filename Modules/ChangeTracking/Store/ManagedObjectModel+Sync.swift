import ObjectStore

/// The names by which a model says what is synchronised.
public enum SyncModelKey {
  /// The string attribute that makes an entity synchronised.
  public static let syncID = "ticdsSyncID"
  /// User info of an entity: names of attributes, separated by commas, whose values identify an object. Objects made on
  /// two devices with the same values get the same sync ID and are one.
  public static let naturalKey = "TICDSNaturalKey"
  /// User info of a property: with the value `YES` it stays on this device.
  public static let isLocal = "TICDSLocal"
  /// User info of a property: how what several devices wrote becomes one value. `counter`, `greatest`, `smallest` or
  /// `group:` and a name; anything else is ``MergeKind/latest``.
  public static let merge = "TICDSMerge"
}

extension EntityDescription {
  /// Whether objects of this entity carry a sync ID.
  public var isSynchronized: Bool { attribute(named: SyncModelKey.syncID)?.type == .string }

  func attribute(named name: String) -> AttributeDescription? { property(named: name)?.asAttribute }

  /// Indexes of the attributes that make up the natural key; empty if there is none.
  var naturalKey: [Int] { naturalKeyNames.compactMap { index(of: $0) } }

  private var naturalKeyNames: [String] {
    (userInfo[SyncModelKey.naturalKey] ?? "").split(separator: ",").map { $0.filter { !$0.isWhitespace } }
  }

  /// The topmost entity with the same natural key, from here upwards without a gap: below it, equal keys are of one object.
  ///
  /// Not simply the root: an entity that gets a parent without a key keeps the identifiers of its objects.
  var keyScope: EntityDescription {
    var scope = self
    while let parent = scope.parent, parent.naturalKeyNames == naturalKeyNames { scope = parent }
    return scope
  }
}

extension ManagedObjectModel {
  /// The part of the model that is kept in step: entities with a sync ID, their stored properties that are not local, and
  /// of each relationship pair the canonical end.
  public var syncSchema: SyncSchema {
    let synchronized = entities.filter { $0.isSynchronized && !$0.isAbstract }
    return SyncSchema(
      entities: synchronized.map { entity in
        let properties = entity.properties.enumerated().compactMap { index, property in
          syncKind(of: property).map { kind in
            SyncSchema.Property(
              name: property.name,
              formerNames: Self.formerNames(
                of: property.name, property.renamingIdentifier,
                among: entity.properties.map { ($0.name, $0.renamingIdentifier) }), kind: kind, index: index,
              declaredBy: declaration(of: property), targets: targets(of: property),
              order: syncOrder(of: property), merge: MergeKind(of: property),
              initialValue: property.asAttribute?.defaultValue ?? .null,
              blank: blank(property, in: entity), isDerived: isDerived(property.name, entity))
          }
        }
        return SyncSchema.Entity(
          name: entity.name, root: entity.root.name,
          keyScope: entity.naturalKey.isEmpty ? nil : entity.keyScope.name, properties: properties,
          uniqueness: uniqueness(of: entity, properties),
          unsettledConstraints: unsettledConstraints(of: entity, properties),
          inverses: inverses(of: entity))
      }, formerNames: formerEntityNames, model: versionChecksum)
  }

  private var formerEntityNames: [String: [String]] {
    let names = entities.map { ($0.name, $0.renamingIdentifier) }
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0.0, Self.formerNames(of: $0.0, $0.1, among: names)) }
    ).filter { !$0.value.isEmpty }
  }

  /// What a renaming identifier tells. What bears the name that another had before is not that, whether it is new or had the identifier for a name.
  private static func formerNames(
    of name: String, _ identifier: String?, among all: [(name: String, identifier: String?)]
  ) -> [String] {
    let isReused = all.contains { $0.name != name && $0.identifier == name }
    let former = identifier.flatMap { $0 == name ? nil : [$0] } ?? []
    return (isReused ? [""] : []) + former
  }

  /// What a row shows where no value was written. Of a value that must be unique there cannot be a default.
  private func blank(_ property: PropertyDescription, in entity: EntityDescription) -> AttributeValue {
    guard let attribute = property.asAttribute, !attribute.isOptional,
      !uniquenessConstraints(on: entity).contains(where: { $0.properties.contains(attribute.name) })
    else { return .null }
    return attribute.defaultValue
  }

  /// The uniqueness constraints all of whose attributes travel.
  private func uniqueness(of entity: EntityDescription, _ properties: [SyncSchema.Property])
    -> [[LocalProperty]]
  {
    uniquenessConstraints(on: entity).map(\.properties).compactMap { names in
      let positions = names.compactMap { name in
        properties.firstIndex { $0.name == name && $0.kind == .attribute }.map(LocalProperty.init(rawValue:))
      }
      return positions.count == names.count && !names.isEmpty ? positions : nil
    }
  }

  /// Those with parts that do not travel as attributes, unless every part stays here and is null where a merge makes a row, or a sync ID
  /// is among them.
  private func unsettledConstraints(of entity: EntityDescription, _ properties: [SyncSchema.Property])
    -> [[String]]
  {
    let attributes = Set(properties.filter { $0.kind == .attribute }.map(\.name))
    let others = Set(properties.filter { $0.kind != .attribute }.map(\.name))
    return uniquenessConstraints(on: entity).map(\.properties).filter { names in
      if names.contains(SyncModelKey.syncID) || names.allSatisfy(attributes.contains) { return false }
      let isTouched = names.contains {
        attributes.contains($0) || others.contains($0) || isDerived($0, entity)
      }
      return isTouched || names.allSatisfy { !(entity.attribute(named: $0)?.defaultValue.isNull ?? true) }
    }
  }

  private func isDerived(_ name: String, _ entity: EntityDescription) -> Bool {
    entity.attribute(named: name)?.derivation != nil
  }

  private func declaration(of property: PropertyDescription) -> String? {
    property.asRelationship.map { entities[$0.ownerIndex].name }
  }

  /// Of a relationship to an entity that has a parent: that entity and those that inherit from it.
  private func targets(of property: PropertyDescription) -> Set<String>? {
    guard let destination = property.asRelationship.map({ entities[$0.destinationIndex] }),
      destination.root.name != destination.name
    else { return nil }
    return Set(entities.filter { $0.isKind(of: destination) }.map(\.name))
  }

  private func syncKind(of property: PropertyDescription) -> SyncSchema.Property.Kind? {
    if let relationship = property.asRelationship, !isCanonical(relationship) { return nil }
    return travelingKind(of: property)
  }

  /// The relationships of an entity that are recorded at their other end, with the kind that they would have themselves.
  private func inverses(of entity: EntityDescription) -> [String: SyncSchema.Property.Kind] {
    var kinds: [String: SyncSchema.Property.Kind] = [:]
    for property in entity.properties {
      if let relationship = property.asRelationship, !isCanonical(relationship) {
        kinds[property.name] = travelingKind(of: property)
      }
    }
    return kinds
  }

  /// The kind of a property that is not to stay here, whichever end of a relationship is recorded.
  private func travelingKind(of property: PropertyDescription) -> SyncSchema.Property.Kind? {
    guard !property.isTransient, property.name != SyncModelKey.syncID,
      property.userInfo[SyncModelKey.isLocal] != "YES"
    else { return nil }
    guard let relationship = property.asRelationship else { return .attribute }
    let destination = entities[relationship.destinationIndex]
    guard destination.isSynchronized else { return nil }
    let root = destination.root.name
    if relationship.isToMany {
      return .toMany(destination: root, isSymmetric: relationship.isOwnInverse)
    }
    if relationship.isOwnInverse { return .partner(destination: root) }
    return .toOne(
      destination: root, isExclusive: relationship.inverse != nil && !relationship.inverseIsToMany)
  }

  private func syncOrder(of property: PropertyDescription) -> SyncSchema.Order {
    guard let relationship = property.asRelationship else { return [] }
    var order: SyncSchema.Order = relationship.isToMany && relationship.isOrdered ? .targets : []
    // In a relationship that is its own inverse every list is one of targets.
    if relationship.inverseIsOrdered, !relationship.isOwnInverse { order.insert(.sources) }
    return order
  }

  /// An end by the names of before, for devices with the earlier version must choose the same one.
  private func end(_ owner: EntityDescription, _ relationship: RelationshipDescription)
    -> RelationshipEnd.Description
  {
    RelationshipEnd.Description(
      entity: owner.renamingIdentifier ?? owner.name,
      name: relationship.renamingIdentifier ?? relationship.name, isToMany: relationship.isToMany)
  }

  private func isCanonical(_ relationship: RelationshipDescription) -> Bool {
    // A to-many relationship whose inverse is to-one has no storage of its own.
    if relationship.isToMany && !relationship.isManyToMany { return false }
    guard let inverseName = relationship.inverse, !relationship.isOwnInverse else { return true }
    let owner = entities[relationship.ownerIndex]
    let destination = entities[relationship.destinationIndex]
    let inverse = destination.property(named: inverseName)?.asRelationship
    return RelationshipEnd.isCanonical(
      end(owner, relationship), inverse: inverse.map { end(entities[$0.ownerIndex], $0) })
  }
}
