import ObjectStore
import TICDSSQLite

/// Numbers for entities and properties, so that bookkeeping rows hold small integers.
///
/// A number once given stays, also when the model changes its names; what only other devices know gets numbers too. A property is
/// told by its names and kind among all entities below one root. So it has one number in all of them, and an object keeps its
/// registers when it turns out to be of another entity of the family.
final class NameTable {
  let connection: Connection
  let paths: KnownPaths
  /// Indexed by number; the first stands for what is not known yet.
  private(set) var entities: [KnownEntity] = [KnownEntity(.unknown, path: NamePath(""), root: .unknown)]
  /// By present names.
  var numbers: [String: EntityNumber] = [:]
  private(set) var families: [EntityNumber: PropertyFamily] = [:]
  var byPosition: [EntityNumber] = []
  /// Whether it is known what of this the local model shows.
  var isRelated: Bool { !byPosition.isEmpty }
  /// What others may name something of the local model by.
  var relatedNames = RelatedNames()
  /// How many properties of a root's family the local model knows.
  var localCounts: [EntityNumber: Int] = [:]
  /// Whether names turned out to be of something that the local model shows under another number: ``relatives()``.
  var hasNewRelatives = false
  /// What the local model calls its own, and what others tell, as far as it has been looked at.
  var knownOwn: [KnownPaths.Space: OwnNames] = [:]
  var knownClaims: [KnownPaths.Space: NameClaims] = [:]
  /// Where others have told something new: ``learn(all:)``.
  var unlearnt: Set<KnownPaths.Space> = []
  var contradictions: [NameContradiction] = []

  /// Properties of one family, so that 13 bits hold a number in the change log.
  static let propertyLimit = 1 << 13
  /// Entities that only others know. What others name takes room for good, and somebody may invent names.
  static let foreignEntityLimit = 256
  /// Properties of one family that only others know.
  static let foreignPropertyLimit = 1_024
  /// Paths of entities, or of the properties of one family and kind, from which on no more names of known things are noted.
  static let aliasLimit = 4_096

  /// Reads the names, inside a transaction.
  convenience init(connection: Connection, schema: SyncSchema) throws {
    try self.init(connection: connection)
    try relate(to: schema)
    countLocalProperties()
    try loadMerges()
    for number in byPosition { self[number].gatherMerges() }
  }

  /// Reads the names as they are in the file, whatever the local model is.
  init(connection: Connection) throws {
    self.connection = connection
    paths = KnownPaths(connection)
    try load()
  }

  /// An entity by its number. A number without an entity can only come from damage, and is an entity without properties.
  subscript(number: EntityNumber) -> KnownEntity {
    entities.indices.contains(number.rawValue) ? entities[number.rawValue] : entities[0]
  }

  /// An entity of the local store.
  subscript(local: LocalEntity) -> KnownEntity { self[byPosition[local.rawValue]] }

  /// The entity at the top of an entity's family.
  func root(of entity: KnownEntity) -> KnownEntity { self[entity.root] }

  /// The number of an entity by its present name, if it has one.
  func existingNumber(of name: String) -> EntityNumber? { numbers[name] }

  /// The root below which the targets of a relationship are.
  func destination(of property: KnownProperty) -> KnownEntity? {
    property.destination.map { root(of: self[$0]) }
  }

  // MARK: Writing

  func add(_ path: NamePath, below root: EntityNumber?, in space: KnownPaths.Space = .entities) throws
    -> EntityNumber
  {
    let number = EntityNumber(rawValue: entities.count)
    let entity = KnownEntity(number, path: path, root: root ?? number)
    entities.append(entity)
    if numbers[path.name] == nil { numbers[path.name] = number }
    if let family = families[entity.root] { entity.join(family) }
    try connection.run(
      "INSERT INTO TICDS_ENTITY (id, path, root) VALUES (?, ?, ?)", .integer(Int64(number.rawValue)),
      .blob(path.stored), .integer(Int64(entity.root.rawValue)))
    try paths.insert(path, number.rawValue, in: space)
    return number
  }

  func add(
    _ path: NamePath, _ kind: EntityNames.Property.Kind, below root: EntityNumber, destination: EntityNumber?
  ) throws -> PropertyBit {
    let (code, _) = kind.stored
    let bit = join(path, kind, destination, to: root)
    try connection.run(
      "INSERT INTO TICDS_PROPERTY VALUES (?, ?, ?, ?, ?)", .integer(Int64(root.rawValue)),
      .integer(Int64(bit.rawValue)), .blob(path.stored), .integer(code),
      destination.map { .integer(Int64($0.rawValue)) } ?? .null)
    try paths.insert(path, bit.rawValue, in: .properties(root: root, kind: code))
    return bit
  }

  /// Notes what the local model calls an entity.
  func setPath(_ path: NamePath, of number: EntityNumber) throws {
    self[number].path = path
    relatedNames.add(path, in: .entities)
    try connection.run(
      "UPDATE TICDS_ENTITY SET path = ? WHERE id = ?", .blob(path.stored), .integer(Int64(number.rawValue)))
    try paths.insert(path, number.rawValue, in: .entities)
  }

  private func join(
    _ path: NamePath, _ kind: EntityNames.Property.Kind, _ destination: EntityNumber?, to root: EntityNumber
  ) -> PropertyBit {
    let bit = families[root, default: PropertyFamily()].add(path, kind, destination)
    for entity in entities where entity.root == root {
      entity.properties.append(KnownProperty(bit, path: path, kind: kind, destination: destination))
    }
    return bit
  }

  // MARK: Frontiers

  /// Notes that the insertions of all rows that are there now, up to a number, are accounted for.
  func moveFrontier(of root: EntityNumber, to row: RowNumber) throws {
    guard row > self[root].frontier else { return }
    try setFrontier(of: root, row)
  }

  /// Notes that rows beyond a number are not accounted for.
  func lowerFrontier(of root: EntityNumber, to row: RowNumber) throws {
    guard row < self[root].frontier else { return }
    try setFrontier(of: root, row)
  }

  private func setFrontier(of root: EntityNumber, _ row: RowNumber) throws {
    try connection.run(
      "UPDATE TICDS_ENTITY SET frontier = ? WHERE id = ?", .integer(row.rawValue),
      .integer(Int64(root.rawValue)))
    self[root].frontier = row
  }

  // MARK: Reading

  private func load() throws {
    let named = try connection.cached("SELECT id, path, root, frontier, local FROM TICDS_ENTITY ORDER BY id")
    while try named.step() {
      guard named.int64(0) == Int64(entities.count) else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "The table of entities has a gap.")
      }
      let number = EntityNumber(rawValue: entities.count)
      let entity = KnownEntity(
        number, path: try NamePath(stored: named.blob(1), in: connection),
        root: EntityNumber(rawValue: Int(clamping: named.int64(2))))
      entity.frontier = RowNumber(rawValue: named.int64(3))
      entity.local = named.optionalInt64(4).map { LocalEntity(rawValue: Int(clamping: $0)) }
      entities.append(entity)
    }
    for entity in entities where !entity.name.isEmpty && (entity.local != nil || numbers[entity.name] == nil)
    {
      numbers[entity.name] = entity.number
    }
    let properties = try connection.cached(
      "SELECT root, bit, path, kind, destination FROM TICDS_PROPERTY ORDER BY root, bit")
    while try properties.step() {
      let root = EntityNumber(rawValue: Int(clamping: properties.int64(0)))
      let destination = properties.optionalInt64(4).map { EntityNumber(rawValue: Int(clamping: $0)) }
      guard entities.indices.contains(root.rawValue),
        let kind = EntityNames.Property.Kind(
          code: properties.int64(3), destination: destination.map { self[$0].name } ?? ""),
        Int64(
          join(try NamePath(stored: properties.blob(2), in: connection), kind, destination, to: root).rawValue
        )
          == properties.int64(1)
      else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "The table of properties has a gap.")
      }
    }
  }
}
