/// Collects the changes of one set and numbers the names they mention.
struct ChangeSetBuilder {
  private(set) var entities: [EntityNames] = []
  private(set) var changes: [Change] = []
  /// Slots of inserted objects for which something may be waiting.
  var insertedSlots: [Int] = []
  private var entityIndexes: [Int: Int] = [:]
  private var propertyIndexes: [[Int: Int]] = []

  mutating func append(_ action: Change.Action, to object: SyncID, entity: Int, at time: LogicalTime) {
    changes.append(Change(entity: entity, object: object, time: time, action: action))
  }

  /// Position in the set of an entity given by its number.
  mutating func index(of entity: Int, in names: NameTable) -> Int {
    if let index = entityIndexes[entity] { return index }
    let index = entities.count
    entityIndexes[entity] = index
    let known = names.entities[entity]
    entities.append(EntityNames(name: known.name, root: names.entities[known.root].name, properties: []))
    propertyIndexes.append([:])
    return index
  }

  /// Position in the set of a property given by its bit.
  mutating func index(of bit: Int, of entity: Int, at index: Int, in names: NameTable) -> Int {
    if let position = propertyIndexes[index][bit] { return position }
    let position = entities[index].properties.count
    propertyIndexes[index][bit] = position
    let property = names.entities[entity].properties[bit]
    entities[index].properties.append(EntityNames.Property(name: property.name, kind: property.kind))
    return position
  }
}
