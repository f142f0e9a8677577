/// The entities and properties of a set, in the numbers of this device.
///
/// A class, for every change of the set looks its entity up, and a structure of arrays is dear to copy.
final class SetNames {
  final class Entity {
    let known: KnownEntity
    /// `nil` for those that cannot be kept.
    fileprivate let properties: [Property?]
    /// Whether the set tells two properties apart that are one here.
    let hasOneTwice: Bool

    fileprivate init(known: KnownEntity, properties: [Property?]) {
      self.known = known
      self.properties = properties
      let bits = properties.compactMap { $0?.bit }
      hasOneTwice = Set(bits).count < bits.count
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
    // What the set says of former names holds wherever it names the entity. Roots come first, for others are below them.
    var numbers: [String: EntityNumber] = [:]
    // Its author may know two of one name, of which versions of his model or of others' tell different things.
    let declared = Dictionary(set.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    func number(of root: String) throws -> EntityNumber? {
      if let number = numbers[root] { return number }
      let number = try names.number(of: NamePath(root, declared[root]?.formerNames ?? []), below: nil)
      numbers[root] = number
      return number
    }
    func number(of entity: EntityNames) throws -> EntityNumber? {
      let isFirst = declared[entity.name] == entity
      if isFirst, let number = numbers[entity.name] { return number }
      let path = NamePath(entity.name, entity.formerNames)
      if !isFirst, entity.name == entity.root { return try names.number(of: path, below: nil) }
      guard let root = try number(of: entity.root) else { return nil }
      return try names.number(of: path, below: root)
    }
    for entity in set.entities where entity.name == entity.root { _ = try number(of: entity.name) }
    entities = try set.entities.map { entity in
      guard let known = try number(of: entity) else { return nil }
      return Entity(
        known: names[known],
        properties: try entity.properties.map { property in
          let destination = try property.kind.stored.destination.map { try number(of: $0) }
          if case .some(nil) = destination { return nil }
          return try names.bit(
            of: NamePath(property.name, property.formerNames), kind: property.kind, in: known,
            destination: destination.flatMap { $0 }.map { names[$0].root }
          ).map { Property(bit: $0, kind: property.kind) }
        })
    }
    if !names.unlearnt.isEmpty { try noteWhatIsOne(names) }
    try names.learn()
  }

  /// Notes for the next report what the set tells apart and the local model takes for one.
  private func noteWhatIsOne(_ names: NameTable) throws {
    var told: [EntityNumber: String] = [:]
    for (entity, declared) in zip(entities, set.entities) {
      guard let entity, entity.known.local != nil else { continue }
      if let other = told.updateValue(declared.name, forKey: entity.known.number), other != declared.name {
        try names.noteContradiction([other, declared.name], entity.known.name)
      }
      var toldProperties: [PropertyBit: String] = [:]
      for (property, declared) in zip(entity.properties, declared.properties) {
        guard let property, let known = try? entity.known.property(property.bit), known.local != nil,
          let other = toldProperties.updateValue(declared.name, forKey: property.bit), other != declared.name
        else { continue }
        try names.noteContradiction([other, declared.name], known.name, of: entity.known.name)
      }
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
