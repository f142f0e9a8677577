/// The entities and properties of a set, in the numbers of this device.
///
/// A class, for every change of the set looks its entity up, and a structure of arrays is dear to copy.
final class SetNames {
  final class Entity {
    let known: KnownEntity
    /// `nil` for those that cannot be kept.
    fileprivate let properties: [Property?]

    fileprivate init(known: KnownEntity, properties: [Property?]) {
      self.known = known
      self.properties = properties
    }
  }

  struct Property {
    let bit: PropertyBit
    let kind: EntityNames.Property.Kind

    /// Whether the property may hold a content, by what the set itself says of it.
    func fits(_ content: Register.Content) -> Bool {
      switch (content, kind) {
      case (.value, .attribute), (.longValue, .attribute), (.target, .toOne): true
      default: false
      }
    }
  }

  private let set: ChangeSet
  /// `nil` for those that cannot be kept.
  private let entities: [Entity?]

  /// Assigns numbers to the names that have none, as long as there is room.
  init(_ set: ChangeSet, in names: NameTable) throws {
    self.set = set
    entities = try set.entities.map { entity in
      guard let number = try names.foreignNumber(of: entity.name, root: entity.root) else { return nil }
      return Entity(
        known: names[number],
        properties: try entity.properties.map { property in
          try names.foreignBit(of: property.name, kind: property.kind, in: number).map {
            Property(bit: $0, kind: property.kind)
          }
        })
    }
  }

  /// The first name of the set for which there is no room; `nil` if there is room for all.
  var firstExcess: (entity: String, key: String?)? {
    for (names, entity) in zip(set.entities, entities) {
      guard let entity else { return (names.name, nil) }
      if let index = entity.properties.firstIndex(where: { $0 == nil }) {
        return (names.name, names.properties[index].name)
      }
    }
    return nil
  }

  /// An entity; `nil` if it cannot be kept.
  ///
  /// - Throws: ``ReplicaError`` with `invalidSet` if the set does not declare the entity.
  subscript(entity: ChangeSet.EntityIndex) -> Entity? {
    get throws {
      guard entities.indices.contains(entity.rawValue) else { throw ReplicaError.undeclared(set) }
      return entities[entity.rawValue]
    }
  }

  /// A property; `nil` if it cannot be kept.
  ///
  /// - Throws: ``ReplicaError`` with `invalidSet` if the set does not declare the property.
  func property(_ index: ChangeSet.PropertyIndex, of entity: Entity) throws -> Property? {
    guard entity.properties.indices.contains(index.rawValue) else { throw ReplicaError.undeclared(set) }
    return entity.properties[index.rawValue]
  }
}
