import ObjectStore
import SQLite

/// Numbers for the names of entities and properties, so that bookkeeping rows hold small integers.
///
/// A number once given stays, also when the model changes; names that only other devices know get numbers too. A
/// property's number within its entity is its *bit*: its position in the masks of the change log.
struct NameTable {
  struct Property {
    var name: String
    var kind: EntityNames.Property.Kind
    /// Position among the schema's properties; `nil` if the local model does not know the property.
    var local: Int?
    var isExclusive = false
    var isSymmetric = false
    var order: SyncSchema.Order = []
    /// Whether the property shows what was contributed to it.
    private(set) var isFolded = false
    private(set) var merging: PropertyMerging?

    var merge: MergeKind { merging?.adopted ?? .latest }
    var declaredMerge: MergeKind { merging?.declared ?? .latest }
    var initialValue: AttributeValue { merging?.initialValue ?? .null }

    mutating func merge(as adopted: MergeKind, declared: MergeKind, initialValue: AttributeValue) {
      isFolded = adopted.isFolded && local != nil
      merging =
        adopted == .latest && declared == .latest
        ? nil : PropertyMerging(adopted: adopted, declared: declared, initialValue: initialValue)
    }
  }

  struct Entity {
    var name: String
    var root: Int
    /// Position among the schema's entities; `nil` if the local model does not know the entity.
    var local: Int?
    /// Of a root: rows with a greater number came since sets were last made.
    var frontier: Int64 = 0
    var properties: [Property] = []
    var hasExclusiveProperty: Bool { properties.contains { $0.isExclusive } }
    var bits: [String: Int] = [:]
    var merging: EntityMerging?

    var foldedBits: [Int] { merging?.foldedBits ?? [] }
    var groups: [String: [Int]] { merging?.groups ?? [:] }

    /// Whether a property shows what was contributed to it.
    func isFolded(_ bit: Int) -> Bool { properties[bit].isFolded }
  }

  /// Indexed by entity number; index 0 is unused and stands for "not known yet".
  private(set) var entities: [Entity] = [Entity(name: "", root: 0)]
  private var numbers: [String: Int] = [:]
  private let connection: Connection

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
    for (index, entity) in schema.entities.enumerated() {
      let number = try self.number(of: entity.name, root: entity.root)
      entities[number].local = index
      for (position, property) in entity.properties.enumerated() {
        let isNew = entities[number].bits[property.name] == nil
        let bit = try self.bit(of: property.name, kind: property.kind.wireKind, in: number)
        entities[number].properties[bit].local = position
        // The local model's word on the kind is newer than what was noted for an unknown property.
        entities[number].properties[bit].kind = property.kind.wireKind
        switch property.kind {
        case .toOne(_, isExclusive: true): entities[number].properties[bit].isExclusive = true
        case .toMany(_, isSymmetric: true): entities[number].properties[bit].isSymmetric = true
        default: break
        }
        entities[number].properties[bit].order = property.order
        entities[number].properties[bit].merge(
          as: entities[number].properties[bit].merge, declared: property.merge,
          initialValue: property.initialValue)
        // Nothing was written to it yet, so there is nothing to prepare.
        if isNew, property.merge.isFolded { try adoptMerge(of: bit, in: number) }
      }
      entities[number].merging = EntityMerging(entities[number].properties)
    }
  }

  /// Whether the local model declares a merge that cells are not prepared for.
  var hasUnadoptedMerge: Bool {
    entities.contains { entity in
      entity.properties.contains { $0.local != nil && $0.merging?.isUnadopted == true }
    }
  }

  /// Notes that cells are prepared for what the local model declares.
  mutating func adoptMerge(of bit: Int, in entity: Int) throws {
    let property = entities[entity].properties[bit]
    let kind = property.declaredMerge
    try connection.run(
      "UPDATE TICDS_PROPERTY SET merge = ? WHERE entity = ? AND bit = ?",
      kind.isFolded ? .text(kind.text) : .null, .integer(Int64(entity)), .integer(Int64(bit)))
    entities[entity].properties[bit].merge(
      as: kind.isFolded ? kind : .latest, declared: kind, initialValue: property.initialValue)
    entities[entity].merging = EntityMerging(entities[entity].properties)
  }

  /// Notes that the insertions of all rows that are there now are accounted for.
  mutating func moveFrontiers(of schema: SyncSchema, lastRow: (Int) throws -> Int64) throws {
    var seen: Set<Int> = []
    for (index, entity) in schema.entities.enumerated() {
      guard let root = numbers[entity.root], seen.insert(root).inserted else { continue }
      let last = try lastRow(index)
      guard last > entities[root].frontier else { continue }
      try connection.run(
        "UPDATE TICDS_ENTITY SET frontier = ? WHERE id = ?", .integer(last), .integer(Int64(root)))
      entities[root].frontier = last
    }
  }

  /// The number of an entity, given now if it has none.
  mutating func number(of name: String, root: String) throws -> Int {
    if let number = numbers[name] { return number }
    let number = entities.count
    numbers[name] = number
    entities.append(Entity(name: name, root: number))
    try connection.run(
      "INSERT INTO TICDS_ENTITY (id, name, root) VALUES (?, ?, ?)", .integer(Int64(number)), .text(name),
      .text(root))
    if root != name { entities[number].root = try self.number(of: root, root: root) }
    return number
  }

  /// The number of an entity, if it has one.
  func existingNumber(of name: String) -> Int? { numbers[name] }

  /// The bit of a property, given now if it has none.
  mutating func bit(of name: String, kind: EntityNames.Property.Kind, in entity: Int) throws -> Int {
    if let bit = entities[entity].bits[name] { return bit }
    let bit = entities[entity].properties.count
    add(Property(name: name, kind: kind), to: entity)
    let (code, destination) = kind.stored
    try connection.run(
      "INSERT INTO TICDS_PROPERTY VALUES (?, ?, ?, ?, ?, NULL)", .integer(Int64(entity)),
      .integer(Int64(bit)),
      .text(name),
      .integer(code), destination.map { .text($0) } ?? .null)
    return bit
  }

  private mutating func add(_ property: Property, to entity: Int) {
    entities[entity].bits[property.name] = entities[entity].properties.count
    entities[entity].properties.append(property)
  }

  private mutating func load() throws {
    var roots: [String] = [""]
    let named = try connection.cached("SELECT id, name, root, frontier FROM TICDS_ENTITY ORDER BY id")
    while try named.step() {
      guard named.int64(0) == Int64(entities.count) else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "The table of entities has a gap.")
      }
      numbers[named.text(1)] = entities.count
      entities.append(Entity(name: named.text(1), root: 0, frontier: named.int64(3)))
      roots.append(named.text(2))
    }
    for index in entities.indices.dropFirst() { entities[index].root = numbers[roots[index]] ?? index }

    let properties = try connection.cached(
      "SELECT entity, bit, name, kind, destination, merge FROM TICDS_PROPERTY ORDER BY entity, bit")
    while try properties.step() {
      let entity = Int(properties.int64(0))
      guard entities.indices.contains(entity),
        properties.int64(1) == Int64(entities[entity].properties.count),
        let kind = EntityNames.Property.Kind(code: properties.int64(3), destination: properties.text(4))
      else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "The table of properties has a gap.")
      }
      var property = Property(name: properties.text(2), kind: kind)
      if let merge = properties.optionalText(5) {
        property.merge(as: MergeKind(merge), declared: .latest, initialValue: .null)
      }
      add(property, to: entity)
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
    case .toOne(let destination, _): .toOne(destination: destination)
    case .toMany(let destination, _): .toMany(destination: destination)
    }
  }
}
