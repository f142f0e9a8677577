/// Collects the changes of one set and numbers the names they mention.
struct ChangeSetBuilder {
  private(set) var entities: [EntityNames] = []
  private(set) var changes: [Change] = []
  private let names: NameTable
  private var entityIndexes: [EntityNumber: ChangeSet.EntityIndex] = [:]
  private var propertyIndexes: [[PropertyBit: ChangeSet.PropertyIndex]] = []
  private var propertyCount = 0
  private var formerNameCount = 0
  private var size = SetSize()

  init(_ names: NameTable) { self.names = names }

  mutating func append(
    _ action: Change.Action, to object: SyncID, _ entity: ChangeSet.EntityIndex, at time: LogicalTime
  ) {
    let change = Change(entity: entity, object: object, time: time, action: action)
    changes.append(change)
    size.add(change)
  }

  /// Whether one set can say all.
  var fits: Bool { size.fits }

  /// Whether it is time to make a set, for what more may be said of one row still has to fit: as many names as a family of
  /// entities can have.
  var isFull: Bool {
    !size.fits || entities.count > SetLimits.entities / 2
      || propertyCount > SetLimits.properties - NameTable.propertyLimit
  }

  /// The names of an entity by its position in the set.
  func entity(_ index: ChangeSet.EntityIndex) -> EntityNames? {
    entities.indices.contains(index.rawValue) ? entities[index.rawValue] : nil
  }

  /// Position in the set of an entity.
  mutating func index(of entity: KnownEntity) -> ChangeSet.EntityIndex {
    if let index = entityIndexes[entity.number] { return index }
    let index = ChangeSet.EntityIndex(rawValue: entities.count)
    entityIndexes[entity.number] = index
    let root = names.root(of: entity)
    entities.append(
      EntityNames(
        name: entity.name, formerNames: formerNames(in: entity.path), root: root.name, properties: []))
    propertyIndexes.append([:])
    mention(root)
    return index
  }

  /// Lets the set tell the former names of an entity that it names as a root or destination.
  private mutating func mention(_ entity: KnownEntity) {
    if !entity.path.formerNames.isEmpty { _ = index(of: entity) }
  }

  /// The former names in a path, as many as the set has room for: the rest can be told by another set.
  private mutating func formerNames(in path: NamePath) -> [String] {
    let names = path.formerNames.prefix(SetLimits.allFormerNames - formerNameCount).prefix {
      $0.utf8.count <= SetLimits.nameLength
    }
    formerNameCount += names.count
    return Array(names)
  }

  /// Position in the set of a property.
  mutating func index(of property: KnownProperty, in entity: ChangeSet.EntityIndex) -> ChangeSet.PropertyIndex
  {
    if let index = propertyIndexes[entity.rawValue][property.bit] { return index }
    let index = ChangeSet.PropertyIndex(rawValue: entities[entity.rawValue].properties.count)
    propertyIndexes[entity.rawValue][property.bit] = index
    propertyCount += 1
    entities[entity.rawValue].properties.append(
      EntityNames.Property(
        name: property.name, formerNames: formerNames(in: property.path),
        kind: property.kind.leading(to: names.destination(of: property)?.name)))
    if let destination = names.destination(of: property) { mention(destination) }
    return index
  }
}
