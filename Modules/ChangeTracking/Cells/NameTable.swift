import ObjectStore
import SQLite

/// Numbers for entities and properties, so that bookkeeping rows hold small integers.
///
/// A number once given stays, also when the model changes its names; what only other devices know gets numbers too. A property is
/// told by its names and kind among all entities below one root. So it has one number in all of them, and an object keeps its
/// registers when it turns out to be of another entity of the family.
final class NameTable {
  private let connection: Connection
  let paths: KnownPaths
  /// Indexed by number; the first stands for what is not known yet.
  private(set) var entities: [KnownEntity] = [KnownEntity(.unknown, path: NamePath(""), root: .unknown)]
  /// By present names.
  private var numbers: [String: EntityNumber] = [:]
  private var families: [EntityNumber: PropertyFamily] = [:]
  private var byPosition: [EntityNumber] = []
  /// How many properties of a root's family the local model knows.
  private var localCounts: [EntityNumber: Int] = [:]
  /// Whether names turned out to be of something that the local model shows under another number: ``relatives()``.
  private(set) var hasNewRelatives = false

  /// Properties of one family, so that 13 bits hold a number in the change log.
  static let propertyLimit = 1 << 13
  /// Entities that only others know. What others name takes room for good, and somebody may invent names.
  static let foreignEntityLimit = 256
  /// Properties of one family that only others know.
  static let foreignPropertyLimit = 1_024
  /// Paths of entities, or of the properties of one family and kind, from which on no more names of known things are noted.
  static let aliasLimit = 4_096

  /// Reads the names, after bringing them up to date with the model if that is another one than before.
  ///
  /// As a rule nothing is written, so that a store can be looked at while another process writes to it.
  static func open(connection: Connection, schema: SyncSchema) throws -> NameTable {
    if try !ModelAdoption.isDone(connection, schema) {
      try connection.transaction { try ModelAdoption(connection, schema).run() }
    }
    return try connection.transaction(.deferred) { try NameTable(connection: connection, schema: schema) }
  }

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

  // MARK: What others name

  /// The number of an entity as somebody names it, given now if it has none; `nil` if there are too many that only others know.
  ///
  /// - Parameter root: what a new entity is below; `nil` for nothing.
  func number(of path: NamePath, below root: EntityNumber?) throws -> EntityNumber? {
    let space = KnownPaths.Space.entities
    if let number = try paths.number(of: path, in: space) { return EntityNumber(rawValue: number) }
    let answer = NameResolution(known: try paths.all(in: space), local: localEntityPaths).answer(to: path)
    guard let known = answer.number else {
      let foreign = entities.count - 1 - byPosition.count
      return foreign < Self.foreignEntityLimit ? try add(path, below: root) : nil
    }
    if answer.united != nil { hasNewRelatives = true }
    try noteAlias(path, known, in: space)
    let number = EntityNumber(rawValue: known)
    if let longer = self[number].path.extended(by: path) { try setPath(longer, of: number) }
    return number
  }

  /// The bit of a property as somebody names it, given now if it has none; `nil` if there are too many that only others know.
  ///
  /// - Parameter destination: of a relationship, the root below which its targets are.
  func bit(
    of path: NamePath, kind: EntityNames.Property.Kind, in entity: EntityNumber, destination: EntityNumber?
  ) throws -> PropertyBit? {
    let root = self[entity].root
    let space = KnownPaths.Space.properties(root: root, kind: kind.stored.code)
    if let number = try paths.number(of: path, in: space) { return PropertyBit(rawValue: number) }
    let local = localPropertyPaths(of: self[entity], kind.stored.code)
    let answer = NameResolution(known: try paths.all(in: space), local: local).answer(to: path)
    guard let known = answer.number else {
      return hasRoom(below: root) ? try add(path, kind, below: root, destination: destination) : nil
    }
    if answer.united != nil { hasNewRelatives = true }
    try noteAlias(path, known, in: space)
    let bit = PropertyBit(rawValue: known)
    try extend(bit, below: root, by: path)
    return bit
  }

  private func hasRoom(below root: EntityNumber) -> Bool {
    let (all, local) = (families[root]?.all.count ?? 0, localCounts[root] ?? 0)
    return all - local < Self.foreignPropertyLimit && all < Self.propertyLimit - Self.foreignPropertyLimit
  }

  /// Notes another name of something, as long as there is room.
  private func noteAlias(_ path: NamePath, _ number: Int, in space: KnownPaths.Space) throws {
    if try paths.all(in: space).count < Self.aliasLimit { try paths.insert(path, number, in: space) }
  }

  private var localEntityPaths: [(path: NamePath, number: Int)] {
    byPosition.map { (self[$0].path, $0.rawValue) }
  }

  private func localPropertyPaths(of entity: KnownEntity, _ kind: Int64) -> [(path: NamePath, number: Int)] {
    // An entity that the local model does not know may turn out to be one of the family.
    let owners = entity.local == nil ? entities.filter { $0.root == entity.root } : [entity]
    return owners.flatMap(\.localProperties).filter { $0.kind.stored.code == kind }.map {
      ($0.path, $0.bit.rawValue)
    }
  }

  /// What only other devices know, though the local model shows it under a related name.
  func relatives() throws -> [NameUnion] {
    func unions(_ space: KnownPaths.Space, _ local: [(path: NamePath, number: Int)]) throws -> [NameUnion] {
      try NameResolution(known: paths.all(in: space), local: local).relatives().map {
        NameUnion(space: space, from: $0.foreign, into: $0.local)
      }
    }
    let found = try unions(.entities, localEntityPaths)
    // Uniting entities may join families, so properties come after.
    if !found.isEmpty { return found }
    return try Set(byPosition.map { self[$0].root }).sorted().flatMap { root in
      let local = entities.filter { $0.root == root }.flatMap(\.localProperties)
      return try (Int64(0)...2).flatMap { kind in
        try unions(
          .properties(root: root, kind: kind),
          local.filter { $0.kind.stored.code == kind }.map { ($0.path, $0.bit.rawValue) })
      }
    }
  }

  // MARK: Writing

  func add(_ path: NamePath, below root: EntityNumber?) throws -> EntityNumber {
    let number = EntityNumber(rawValue: entities.count)
    let entity = KnownEntity(number, path: path, root: root ?? number)
    entities.append(entity)
    if numbers[path.name] == nil { numbers[path.name] = number }
    if let family = families[entity.root] { entity.join(family) }
    try connection.run(
      "INSERT INTO TICDS_ENTITY (id, path, root) VALUES (?, ?, ?)", .integer(Int64(number.rawValue)),
      .blob(path.stored), .integer(Int64(entity.root.rawValue)))
    try paths.insert(path, number.rawValue, in: .entities)
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

  /// Notes what else is known of an entity's former names.
  func setPath(_ path: NamePath, of number: EntityNumber) throws {
    self[number].path = path
    try connection.run(
      "UPDATE TICDS_ENTITY SET path = ? WHERE id = ?", .blob(path.stored), .integer(Int64(number.rawValue)))
    try paths.insert(path, number.rawValue, in: .entities)
  }

  /// Notes what else is known of a property's former names.
  func extend(_ bit: PropertyBit, below root: EntityNumber, by path: NamePath) throws {
    for entity in entities where entity.root == root {
      guard let property = try? entity.property(bit), let position = property.local,
        let longer = property.path.extended(by: path)
      else { continue }
      property.path = longer
      try connection.run(
        "UPDATE TICDS_LOCAL SET path = ? WHERE entity = ? AND position = ?", .blob(longer.stored),
        .integer(Int64(entity.number.rawValue)), .integer(Int64(position.rawValue)))
      try paths.insert(longer, bit.rawValue, in: .properties(root: root, kind: property.kind.stored.code))
    }
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

  // MARK: The local model

  private struct Declaration: Hashable {
    var entity: String
    var property: String
  }

  /// Takes the numbers of the local model from what ``ModelAdoption`` has noted.
  private func relate(to schema: SyncSchema) throws {
    let positions = Dictionary(
      entities.compactMap { entity in entity.local.map { ($0, entity.number) } },
      uniquingKeysWith: { first, _ in first })
    byPosition = schema.localEntities.compactMap { positions[$0] }
    var properties: [EntityNumber: [(bit: PropertyBit, path: NamePath)]] = [:]
    for row in try LocalNames(connection).properties() {
      properties[row.entity, default: []].append((row.bit, row.path))
    }
    guard byPosition.count == schema.entities.count,
      zip(byPosition, schema.entities).allSatisfy({ properties[$0, default: []].count == $1.properties.count }
      )
    else {
      throw ReplicaError.damagedBookkeeping(path: connection.path, "The names are those of another model.")
    }
    for (number, entity) in zip(byPosition, schema.entities) { numbers[entity.name] = number }
    var declarations: [Declaration: EntityNumber] = [:]
    for (number, entity) in zip(byPosition, schema.entities) {
      try relate(number, to: entity, properties[number, default: []], &declarations)
    }
  }

  private func relate(
    _ number: EntityNumber, to entity: SyncSchema.Entity, _ known: [(bit: PropertyBit, path: NamePath)],
    _ declarations: inout [Declaration: EntityNumber]
  ) throws {
    for (position, (property, (bit, path))) in zip(entity.properties, known).enumerated() {
      let declaration = Declaration(entity: property.declaredBy ?? entity.name, property: property.name)
      guard self[number].properties.indices.contains(bit.rawValue) else {
        throw ReplicaError.damagedBookkeeping(
          path: connection.path, "A property of \(entity.name) has no number.")
      }
      self[number].relate(
        bit, path: path, to: property, at: LocalProperty(rawValue: position),
        declaration: declarations[declaration, default: number],
        destination: property.kind.wireKind.stored.destination.flatMap { numbers[$0] },
        targets: property.targets.map { Set($0.compactMap { numbers[$0] }) })
      if declarations[declaration] == nil { declarations[declaration] = number }
      self[number].properties[bit.rawValue].declare(property.merge, initialValue: property.initialValue)
    }
    for properties in entity.uniqueness {
      self[number].addUniqueness(of: properties.map { self[number].localBits[$0.rawValue] })
    }
  }

  private func countLocalProperties() {
    var bits: [EntityNumber: Set<PropertyBit>] = [:]
    for number in byPosition { bits[self[number].root, default: []].formUnion(self[number].localBits) }
    localCounts = bits.mapValues(\.count)
  }

  // MARK: Merges that are declared later

  /// Whether the local model declares a merge that cells are not prepared for.
  var hasUnadoptedMerge: Bool { entities.contains { $0.properties.contains(where: \.hasUnadoptedMerge) } }

  /// Notes that cells are prepared for what the local model declares.
  func adoptMerge(of bit: PropertyBit, in entity: EntityNumber) throws {
    let property = try self[entity].property(bit)
    let kind = property.declaredMerge
    if kind.isFolded {
      try connection.run(
        "INSERT OR REPLACE INTO TICDS_MERGE VALUES (?, ?, ?)", .integer(Int64(entity.rawValue)),
        .integer(Int64(bit.rawValue)), .text(kind.text))
    } else {
      try connection.run(
        "DELETE FROM TICDS_MERGE WHERE entity = ? AND bit = ?", .integer(Int64(entity.rawValue)),
        .integer(Int64(bit.rawValue)))
    }
    property.adopt(kind)
    self[entity].gatherMerges()
  }

  private func loadMerges() throws {
    let statement = try connection.cached("SELECT entity, bit, merge FROM TICDS_MERGE")
    while try statement.step() {
      let entity = self[EntityNumber(rawValue: Int(clamping: statement.int64(0)))]
      let bit = PropertyBit(rawValue: Int(clamping: statement.int64(1)))
      try entity.property(bit).adopt(MergeKind(statement.text(2)))
    }
  }

  // MARK: Frontiers

  /// Notes that the insertions of all rows that are there now, up to a number, are accounted for.
  func moveFrontier(of root: EntityNumber, to row: RowNumber) throws {
    guard row > self[root].frontier else { return }
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
        number, path: try NamePath(stored: named.blob(1)),
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
        Int64(join(try NamePath(stored: properties.blob(2)), kind, destination, to: root).rawValue)
          == properties.int64(1)
      else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "The table of properties has a gap.")
      }
    }
  }
}

/// The properties of all entities below one root, in the order of their bits.
private struct PropertyFamily {
  private(set) var all: [(path: NamePath, kind: EntityNames.Property.Kind, destination: EntityNumber?)] = []

  mutating func add(
    _ path: NamePath, _ kind: EntityNames.Property.Kind, _ destination: EntityNumber?
  ) -> PropertyBit {
    all.append((path, kind, destination))
    return PropertyBit(rawValue: all.count - 1)
  }
}

extension KnownEntity {
  /// Takes over the properties of the family that a new entity belongs to.
  fileprivate func join(_ family: PropertyFamily) {
    properties = family.all.enumerated().map { index, property in
      KnownProperty(
        PropertyBit(rawValue: index), path: property.path, kind: property.kind,
        destination: property.destination)
    }
  }
}

extension EntityNames.Property.Kind {
  var stored: (code: Int64, destination: String?) {
    switch self {
    case .attribute: (0, nil)
    case .toOne(let destination): (1, destination)
    case .toMany(let destination): (2, destination)
    }
  }

  /// The same kind, to another root.
  func leading(to destination: String?) -> EntityNames.Property.Kind {
    guard let destination else { return self }
    return switch self {
    case .attribute: .attribute
    case .toOne: .toOne(destination: destination)
    case .toMany: .toMany(destination: destination)
    }
  }

  init?(code: Int64, destination: String) {
    switch code {
    case 0: self = .attribute
    case 1: self = .toOne(destination: destination)
    case 2: self = .toMany(destination: destination)
    default: return nil
    }
  }
}

extension SyncSchema.Property.Kind {
  var wireKind: EntityNames.Property.Kind {
    switch self {
    case .attribute: .attribute
    case .toOne(let destination, _), .partner(let destination): .toOne(destination: destination)
    case .toMany(let destination, _): .toMany(destination: destination)
    }
  }
}
