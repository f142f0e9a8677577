import TICDSSQLite

/// What the entities and properties of the local model were when the names were last brought up to date with it.
struct NameLineage {
  struct Entity {
    var number: EntityNumber
    var path: NamePath
    /// By present name and kind.
    var properties: [PropertyKey: Property] = [:]
    /// What migrations have left behind.
    var dropped: Set<PropertyKey> = []
  }

  struct PropertyKey: Hashable {
    var name: String
    var kind: Int64
  }

  struct Property {
    /// Below the root that the entity had.
    var bit: PropertyBit
    var path: NamePath
  }

  /// By the names that migrations have left them with.
  private(set) var entities: [String: Entity] = [:]
  /// Entities that migrations have left behind.
  private var dropped: Set<String> = []
  /// Whether migrations say for sure what became of what. A store of another kind may keep no journal.
  private let isCertain: Bool

  init(_ names: NameTable, _ connection: Connection, _ journal: MigrationJournal) throws {
    isCertain = !journal.steps.isEmpty
    for entity in names.entities where names.existingNumber(of: entity.name) == entity.number {
      // What only others know has no past here, and what they say that something was is not for good.
      guard try entity.local != nil || names.ownNames(in: .entities).contains(entity.number.rawValue) else {
        continue
      }
      entities[entity.name] = Entity(number: entity.number, path: try names.ownPath(of: entity))
    }
    for property in try LocalNames(connection).properties() {
      let entity = names[property.entity]
      let kind = try entity.property(property.bit).kind.stored.code
      entities[entity.name]?.properties[PropertyKey(name: property.path.name, kind: kind)] = Property(
        bit: property.bit,
        path: try names.ownPath(of: property.bit, called: property.path, kind, below: entity.root))
    }
    for step in journal.steps { follow(step) }
    try refuseTakenNames()
  }

  /// Who has not got the version yet, and who has begun with it, would take what was dropped for what bears its name now.
  private func refuseTakenNames() throws {
    for (name, entity) in entities.sorted(by: { $0.key < $1.key }) {
      if dropped.contains(name) { throw ReplicaError.nameOfDropped(name) }
      for key in entity.properties.keys.sorted(by: { $0.name < $1.name }) where entity.dropped.contains(key) {
        throw ReplicaError.nameOfDropped("\(name).\(key.name)")
      }
    }
  }

  private mutating func follow(_ step: [MigrationJournal.Entry]) {
    let former = entities
    entities = entities.filter { name, _ in !step.contains { $0.entity == name } }
    for entry in step where entry.property == nil {
      if entry.newEntity == nil, former[entry.entity] != nil { dropped.insert(entry.entity) }
      guard let name = entry.newEntity, var entity = former[entry.entity] else { continue }
      entity.path = entity.path.renamed(to: name)
      let renamed = step.filter { $0.entity == entry.entity && $0.property != nil }
      let before = entity.properties
      entity.properties = before.filter { key, _ in !renamed.contains { $0.property == key.name } }
      for property in renamed {
        guard let name = property.newProperty else {
          entity.dropped.formUnion(before.keys.filter { $0.name == property.property })
          continue
        }
        for (key, known) in before where key.name == property.property {
          entity.properties[PropertyKey(name: name, kind: key.kind)] = Property(
            bit: known.bit, path: known.path.renamed(to: name))
        }
      }
      entities[name] = entity
    }
  }

  /// What an entity was.
  func entity(_ declared: NamePath, taken: Set<EntityNumber>) -> Entity? {
    candidates(declared).lazy.compactMap { entities[$0] }.first { !taken.contains($0.number) }
  }

  /// What a property was.
  func property(_ declared: NamePath, kind: Int64, of entity: Entity) -> Property? {
    candidates(declared).lazy.compactMap { entity.properties[PropertyKey(name: $0, kind: kind)] }.first
  }

  /// The names under which something may have been known, the likeliest first.
  private func candidates(_ declared: NamePath) -> [String] {
    isCertain ? [declared.name] : [declared.name] + declared.formerNames.filter { !$0.isEmpty }
  }
}
