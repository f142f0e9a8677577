import ObjectStore
import SQLite

/// Numbers for the names of entities and properties, so that bookkeeping rows hold small integers.
///
/// A number once given stays, also when the model changes; names that only other devices know get numbers too. A property is
/// told by its name and kind among all entities below one root. So it has one number in all of them, and an object keeps its
/// registers when it turns out to be of another entity of the family.
final class NameTable {
  private let connection: Connection
  /// Indexed by number; the first stands for what is not known yet.
  private(set) var entities: [KnownEntity] = [KnownEntity(.unknown, name: "", root: .unknown)]
  private var numbers: [String: EntityNumber] = [:]
  private var families: [EntityNumber: PropertyFamily] = [:]
  private var byPosition: [EntityNumber] = []
  /// How many properties of a root's family the local model knows.
  private var localCounts: [EntityNumber: Int] = [:]
  /// Properties that have no number yet in the file as it was read, by root.
  private var new: [EntityNumber: Set<PropertyBit>] = [:]

  /// Properties of one family, so that 13 bits hold a number in the change log.
  static let propertyLimit = 1 << 13
  /// Entities that only others know. What others name takes room for good, and somebody may invent names.
  static let foreignEntityLimit = 256
  /// Properties of one family that only others know.
  static let foreignPropertyLimit = 1_024

  /// Reads the names, and in a transaction of its own gives numbers to those that have none.
  ///
  /// As a rule nothing is written, so that a store can be looked at while another process writes to it.
  static func open(connection: Connection, schema: SyncSchema) throws -> NameTable {
    do {
      return try connection.transaction(.deferred) { try NameTable(connection: connection, schema: schema) }
    } catch let error as SQLiteError where error.code == .busy {
      // Somebody wrote between the reading and the first number: a reader cannot become a writer then.
      return try connection.transaction { try NameTable(connection: connection, schema: schema) }
    }
  }

  /// Reads the names, inside a transaction.
  init(connection: Connection, schema: SyncSchema) throws {
    self.connection = connection
    try load()
    for (position, entity) in schema.entities.enumerated() {
      let number = try self.number(of: entity.name, root: entity.root)
      self[number].local = LocalEntity(rawValue: position)
      byPosition.append(number)
    }
    var declarations: [Declaration: EntityNumber] = [:]
    for (number, entity) in zip(byPosition, schema.entities) {
      try relate(number, to: entity, &declarations)
    }
    countLocalProperties()
    try loadMerges()
    for (number, entity) in zip(byPosition, schema.entities) { try declareMerges(of: number, as: entity) }
  }

  /// An entity by its number. A number without an entity can only come from damage, and is an entity without properties.
  subscript(number: EntityNumber) -> KnownEntity {
    entities.indices.contains(number.rawValue) ? entities[number.rawValue] : entities[0]
  }

  /// An entity of the local store.
  subscript(local: LocalEntity) -> KnownEntity { self[byPosition[local.rawValue]] }

  /// The entity at the top of an entity's family.
  func root(of entity: KnownEntity) -> KnownEntity { self[entity.root] }

  /// The number of an entity, if it has one.
  func existingNumber(of name: String) -> EntityNumber? { numbers[name] }

  /// The number of the root below which the targets of a relationship are, given now if it has none.
  func destination(_ name: String) throws -> EntityNumber {
    self[try number(of: name, root: name)].root
  }

  /// The number of an entity, given now if it has none.
  func number(of name: String, root: String) throws -> EntityNumber {
    if let number = numbers[name] { return number }
    let number = EntityNumber(rawValue: entities.count)
    numbers[name] = number
    let entity = KnownEntity(number, name: name, root: number)
    entities.append(entity)
    try connection.run(
      "INSERT INTO TICDS_ENTITY (id, name, root) VALUES (?, ?, ?)", .integer(Int64(number.rawValue)),
      .text(name), .text(root))
    if root != name { entity.root = try self.number(of: root, root: root) }
    if let family = families[entity.root] { entity.join(family) }
    return number
  }

  /// The number of an entity that another device names; `nil` if it has none and too many have one.
  func foreignNumber(of name: String, root: String) throws -> EntityNumber? {
    if let number = numbers[name] { return number }
    let new = name == root || numbers[root] != nil ? 1 : 2
    let foreign = entities.count - 1 - byPosition.count
    return foreign + new <= Self.foreignEntityLimit ? try number(of: name, root: root) : nil
  }

  /// The bit of a property that another device names; `nil` if it, or its destination, has no number and too many have one.
  func foreignBit(of name: String, kind: EntityNames.Property.Kind, in entity: EntityNumber) throws
    -> PropertyBit?
  {
    let root = self[entity].root
    if let bit = families[root]?.bit(of: name, kind) { return bit }
    let foreign = (families[root]?.all.count ?? 0) - (localCounts[root] ?? 0)
    guard foreign < Self.foreignPropertyLimit,
      foreign + (localCounts[root] ?? 0) < Self.propertyLimit - Self.foreignPropertyLimit
    else { return nil }
    if let destination = kind.stored.destination,
      try foreignNumber(of: destination, root: destination) == nil
    {
      return nil
    }
    return try bit(of: name, kind: kind, in: entity)
  }

  /// The bit of a property of an entity's family, given now if it has none.
  func bit(of name: String, kind: EntityNames.Property.Kind, in entity: EntityNumber) throws -> PropertyBit {
    let root = self[entity].root
    if let bit = families[root]?.bit(of: name, kind) { return bit }
    let bit = add(name, kind, to: root)
    new[root, default: []].insert(bit)
    let (code, destination) = kind.stored
    try connection.run(
      "INSERT INTO TICDS_PROPERTY VALUES (?, ?, ?, ?, ?)", .integer(Int64(root.rawValue)),
      .integer(Int64(bit.rawValue)), .text(name), .integer(code), destination.map { .text($0) } ?? .null)
    return bit
  }

  private func add(_ name: String, _ kind: EntityNames.Property.Kind, to root: EntityNumber) -> PropertyBit {
    let bit = families[root, default: PropertyFamily()].add(name, kind)
    for entity in entities where entity.root == root {
      entity.properties.append(KnownProperty(bit, name: name, kind: kind))
    }
    return bit
  }

  // MARK: The local model

  private struct Declaration: Hashable {
    var entity: String
    var property: String
  }

  private func relate(
    _ number: EntityNumber, to entity: SyncSchema.Entity, _ declarations: inout [Declaration: EntityNumber]
  ) throws {
    for (position, property) in entity.properties.enumerated() {
      let bit = try self.bit(of: property.name, kind: property.kind.wireKind, in: number)
      guard bit.rawValue < Self.propertyLimit else {
        throw ReplicaError.modelTooLarge(
          entity: entity.name, "More than \(Self.propertyLimit) properties share one topmost parent.")
      }
      let declaration = Declaration(entity: property.declaredBy ?? entity.name, property: property.name)
      self[number].relate(
        bit, to: property, at: LocalProperty(rawValue: position),
        declaration: declarations[declaration, default: number])
      if declarations[declaration] == nil { declarations[declaration] = number }
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

  private func declareMerges(of number: EntityNumber, as entity: SyncSchema.Entity) throws {
    for (bit, property) in zip(self[number].localBits, entity.properties) {
      try self[number].property(bit).declare(property.merge, initialValue: property.initialValue)
      // Nothing was written to it yet, so there is nothing to prepare.
      if property.merge.isFolded, new[self[number].root]?.contains(bit) == true {
        try adoptMerge(of: bit, in: number)
      }
    }
    self[number].gatherMerges()
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
    var roots: [String] = [""]
    let named = try connection.cached("SELECT id, name, root, frontier FROM TICDS_ENTITY ORDER BY id")
    while try named.step() {
      guard named.int64(0) == Int64(entities.count) else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "The table of entities has a gap.")
      }
      let number = EntityNumber(rawValue: entities.count)
      numbers[named.text(1)] = number
      let entity = KnownEntity(number, name: named.text(1), root: number)
      entity.frontier = RowNumber(rawValue: named.int64(3))
      entities.append(entity)
      roots.append(named.text(2))
    }
    for entity in entities.dropFirst() {
      entity.root = numbers[roots[entity.number.rawValue]] ?? entity.number
    }

    let properties = try connection.cached(
      "SELECT root, bit, name, kind, destination FROM TICDS_PROPERTY ORDER BY root, bit")
    while try properties.step() {
      let root = EntityNumber(rawValue: Int(clamping: properties.int64(0)))
      guard entities.indices.contains(root.rawValue),
        let kind = EntityNames.Property.Kind(code: properties.int64(3), destination: properties.text(4)),
        Int64(add(properties.text(2), kind, to: root).rawValue) == properties.int64(1)
      else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "The table of properties has a gap.")
      }
    }
  }
}

/// The properties of all entities below one root, in the order of their bits.
private struct PropertyFamily {
  private struct Key: Hashable {
    var name: String
    var code: Int64

    init(_ name: String, _ kind: EntityNames.Property.Kind) {
      self.name = name
      code = kind.stored.code
    }
  }

  private(set) var all: [(name: String, kind: EntityNames.Property.Kind)] = []
  private var bits: [Key: PropertyBit] = [:]

  func bit(of name: String, _ kind: EntityNames.Property.Kind) -> PropertyBit? { bits[Key(name, kind)] }

  mutating func add(_ name: String, _ kind: EntityNames.Property.Kind) -> PropertyBit {
    let bit = PropertyBit(rawValue: all.count)
    bits[Key(name, kind)] = bit
    all.append((name, kind))
    return bit
  }
}

extension KnownEntity {
  /// Takes over the properties of the family that a new entity belongs to.
  fileprivate func join(_ family: PropertyFamily) {
    properties = family.all.enumerated().map { index, property in
      KnownProperty(PropertyBit(rawValue: index), name: property.name, kind: property.kind)
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
