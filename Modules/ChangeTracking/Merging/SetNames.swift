/// The entities and properties of a set, in the numbers of this device.
struct SetNames {
  struct Entity {
    let known: KnownEntity
    fileprivate let properties: [Property]
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
  private let entities: [Entity]

  /// Gives numbers to the names that have none.
  init(_ set: ChangeSet, in names: NameTable) throws {
    self.set = set
    entities = try set.entities.map { entity in
      let number = try names.number(of: entity.name, root: entity.root)
      return Entity(
        known: names[number],
        properties: try entity.properties.map {
          Property(bit: try names.bit(of: $0.name, kind: $0.kind, in: number), kind: $0.kind)
        })
    }
  }

  /// - Throws: ``ReplicaError`` with `invalidSet` if the set does not declare the entity.
  subscript(entity: ChangeSet.EntityIndex) -> Entity {
    get throws {
      guard entities.indices.contains(entity.rawValue) else { throw ReplicaError.undeclared(set) }
      return entities[entity.rawValue]
    }
  }

  /// - Throws: ``ReplicaError`` with `invalidSet` if the set does not declare the property.
  func property(_ index: ChangeSet.PropertyIndex, of entity: Entity) throws -> Property {
    guard entity.properties.indices.contains(index.rawValue) else { throw ReplicaError.undeclared(set) }
    return entity.properties[index.rawValue]
  }
}
