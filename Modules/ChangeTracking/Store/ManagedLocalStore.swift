import ObjectStore
import SQLite

/// The rows of an object store, as the engine writes them: without objects, delete rules or validation.
public final class ManagedLocalStore: LocalStore {
  /// The replica's own connection to the store.
  public let connection: Connection
  /// The synchronised part of the store's model.
  public let schema: SyncSchema

  private let store: PersistentStore
  private let editor: RowEditor
  /// By position in ``SyncSchema/entities``.
  private let entities: [EntityDescription]
  private let syncIDs: [Int]
  /// Of each entity's properties, the type; `nil` for relationships.
  private let types: [[AttributeType?]]
  /// By root: keys that are reserved for new rows.
  private var keys: [String: Range<Int64>] = [:]
  private var keyCounts: [String: Int] = [:]
  /// The synchronised attributes of each entity as nulls, for rows that came from elsewhere have no defaults of ours.
  private let blanks: [[(property: Int, value: AttributeValue)]]
  /// Positions of the entities below each root.
  private let families: [String: [Int]]
  /// By the number that stands in `Z_ENT`.
  private let entitiesByNumber: [Int64: Int]
  private var sourceLookups: [SourceLookup: Statement] = [:]

  private struct SourceLookup: Hashable {
    var entity: Int
    var property: Int
  }

  /// Opens a connection of its own to a store.
  ///
  /// - Throws: `StoreError` if the store cannot be opened.
  public init(store: PersistentStore) throws {
    self.store = store
    schema = store.model.syncSchema
    connection = try store.newConnection()
    // Merging goes through several tables in the order of their identifiers: the upper parts of their trees stay here.
    try connection.execute(script: "PRAGMA cache_size = -8000")
    editor = RowEditor(schema: store.schema, connection: connection)
    entities = schema.entities.compactMap { store.model.entity(named: $0.name) }
    syncIDs = entities.compactMap { $0.index(of: SyncModelKey.syncID) }
    types = zip(schema.entities, entities).map { entity, description in
      entity.properties.map { description.attribute(at: $0.index)?.type }
    }
    blanks = schema.entities.map { entity in
      entity.properties.filter { $0.kind == .attribute }.map { ($0.index, .null) }
    }
    entitiesByNumber = Dictionary(
      entities.enumerated().map { (store.schema.table(of: $1).number, $0) },
      uniquingKeysWith: { first, _ in first })
    families = Dictionary(grouping: schema.entities.indices, by: { [schema] in schema.entities[$0].root })
  }

  private func index(_ entity: Int, _ property: Int) -> Int {
    schema.entities[entity].properties[property].index
  }

  // MARK: Rows

  /// Adds a row.
  public func insertRow(entity: Int, syncID: SyncID, values: [PropertyValue]) throws -> Int64 {
    let key = try newKey(of: entity)
    // Later values replace earlier ones.
    var row = blanks[entity]
    row.reserveCapacity(row.count + values.count + 1)
    for value in values { row.append((index(entity, value.property), value.value)) }
    row.append((syncIDs[entity], .string(syncID.string)))
    try editor.insert(entities[entity].index, key: key, row)
    return key
  }

  /// A key for a new row. More and more are reserved at once, the more rows a transaction adds.
  private func newKey(of entity: Int) throws -> Int64 {
    let root = schema.entities[entity].root
    if let reserved = keys[root], let key = reserved.first {
      keys[root] = reserved.dropFirst()
      return key
    }
    let count = min(256, 2 * (keyCounts[root] ?? 0) + 1)
    let first = try editor.allocateKeys(entities[entity].index, count: count)
    keyCounts[root] = count
    keys[root] = first + 1..<first + Int64(count)
    return first
  }

  /// Forgets the reserved keys: the reservation went with the transaction if that was undone.
  public func transactionDidBegin() {
    keys = [:]
    keyCounts = [:]
  }

  /// Writes attribute values.
  public func updateRow(entity: Int, row: Int64, values: [PropertyValue]) throws {
    try editor.update(
      entities[entity].index, key: row, values.map { (property: index(entity, $0.property), value: $0.value) }
    )
  }

  /// Removes a row, its links, and relationships to it.
  public func deleteRow(entity: Int, row: Int64) throws {
    try editor.delete(entities[entity].index, key: row)
  }

  /// A row's sync ID and contents.
  public func readRow(entity: Int, row: Int64, properties: [Int]) throws -> StoredRow? {
    let indexes = properties.map { index(entity, $0) }
    guard let values = try editor.read(entities[entity].index, key: row, indexes + [syncIDs[entity]]) else {
      return nil
    }
    var syncID: SyncID?
    if case .string(let text)? = values.last { syncID = SyncID(text) }
    let contents = zip(properties, values).map { property, value -> StoredContent in
      guard case .toOne = schema.entities[entity].properties[property].kind else { return .value(value) }
      if case .reference(_, let key) = value { return .target(key) }
      return .target(nil)
    }
    return StoredRow(syncID: syncID, contents: contents)
  }

  /// Whether an attribute's type accepts a value.
  public func canHold(_ value: AttributeValue, entity: Int, property: Int) -> Bool {
    types[entity][property]?.accepts(value) ?? false
  }

  /// The sync ID of a row.
  public func syncID(root: String, row: Int64) throws -> SyncID? {
    guard let family = families[root], let first = family.first else { return nil }
    var member = first
    if family.count > 1 {
      guard let entity = try editor.rowEntity(entities[first].index, key: row),
        let found = family.first(where: { entities[$0].index == entity })
      else { return nil }
      member = found
    }
    guard
      case .string(let text)? = try editor.read(entities[member].index, key: row, [syncIDs[member]])?.first
    else {
      return nil
    }
    return SyncID(text)
  }

  // MARK: Relationships

  /// Sets or clears a to-one relationship, with the other side of a one-to-one pair.
  public func setTarget(entity: Int, row: Int64, property: Int, target: RowReference?) throws {
    let model = entities[entity].index
    let index = index(entity, property)
    if case .toOne(_, isExclusive: true) = schema.entities[entity].properties[property].kind,
      let relationship = entities[entity].relationship(at: index), let inverse = relationship.inverseIndex
    {
      if case .reference(let former, let key)? = try editor.read(model, key: row, [index])?.first {
        try editor.setTarget(Int(former), key: key, property: inverse, target: nil)
      }
      if let target {
        try editor.setTarget(
          entities[target.entity].index, key: target.row, property: inverse, target: (entity: model, key: row)
        )
      }
    }
    try editor.setTarget(
      model, key: row, property: index,
      target: target.map { (entity: entities[$0.entity].index, key: $0.row) })
  }

  /// The rows whose to-one relationship shows a target.
  public func sources(entity: Int, property: Int, target: Int64) throws -> [Int64] {
    let lookup = SourceLookup(entity: entity, property: property)
    let statement: Statement
    if let known = sourceLookups[lookup] {
      statement = known
    } else {
      let table = store.schema.table(of: entities[entity])
      guard case .toOne(let columns) = table.storage[index(entity, property)] else { return [] }
      statement = try connection.prepare(
        "SELECT Z_PK FROM \"\(table.name)\" WHERE \"\(columns.key)\" = ? ORDER BY Z_PK")
      sourceLookups[lookup] = statement
    }
    try statement.bind(target, at: 1)
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.int64(0)) }
    return rows
  }

  /// Where the canonical end of an ordered relationship is kept.
  func storage(of list: OrderedList) -> (EntityTable, PropertyStorage) {
    let table = store.schema.table(of: entities[list.entity])
    return (table, table.storage[index(list.entity, list.property)])
  }

  /// The table with the rows on one side of a join table.
  func tableOfMembers(_ side: JoinSide, isSource: Bool) -> String {
    store.schema.tables[isSource ? side.table.sourceEntity : side.table.targetEntity].name
  }

  /// Position in ``schema`` of the entity with a number of the store.
  func synchronizedEntity(numbered number: Int64) -> Int? { entitiesByNumber[number] }

  private func join(_ entity: Int, _ property: Int) -> JoinSide? {
    guard case .join(let side) = store.schema.table(of: entities[entity]).storage[index(entity, property)]
    else {
      return nil
    }
    return side
  }

  /// Adds a link.
  public func link(entity: Int, row: Int64, property: Int, target: RowReference) throws {
    guard let side = join(entity, property) else { return }
    let (source, member) = side.isReversed ? (target.row, row) : (row, target.row)
    try editor.link(side.table.index, source: source, target: member)
  }

  /// Removes a link.
  public func unlink(entity: Int, row: Int64, property: Int, target: RowReference) throws {
    guard let side = join(entity, property) else { return }
    let (source, member) = side.isReversed ? (target.row, row) : (row, target.row)
    try editor.unlink(side.table.index, source: source, target: member)
  }

  // MARK: Rows that no log mentions

  /// A ``SaveRecorder`` logs only insertions that do not tell by their keys.
  public var logsInsertions: Bool { false }

  /// The greatest row number below the entity's root.
  public func lastRow(entity: Int, in connection: Connection) throws -> Int64 {
    try store.schema.table(of: entities[entity]).lastKey(connection)
  }

  /// The next rows of an entity.
  public func rows(entity: Int, after row: Int64, limit: Int, withoutSyncID: Bool) throws -> [Int64] {
    let table = store.schema.table(of: entities[entity])
    var sql = "SELECT Z_PK FROM \"\(table.name)\" WHERE Z_PK > ?"
    if table.isShared { sql += " AND Z_ENT = \(table.number)" }
    if withoutSyncID, case .attribute(let column, _) = table.storage[syncIDs[entity]] {
      sql += " AND \"\(column)\" IS NULL"
    }
    let statement = try connection.cached(sql + " ORDER BY Z_PK LIMIT ?")
    try statement.bind(row, at: 1)
    try statement.bind(Int64(limit), at: 2)
    defer { statement.reset() }
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.int64(0)) }
    return rows
  }

  /// A row with a sync ID.
  public func row(entity: Int, syncID: SyncID) throws -> Int64? {
    try editor.key(entities[entity].index, property: syncIDs[entity], equals: .string(syncID.string))
  }

  /// Writes the attribute that holds the sync ID.
  public func setSyncID(_ syncID: SyncID, entity: Int, row: Int64) throws {
    try editor.update(
      entities[entity].index, key: row, [(property: syncIDs[entity], value: .string(syncID.string))])
  }

  /// The values of the attributes that make up the natural key.
  public func naturalKey(entity: Int, row: Int64) throws -> [AttributeValue] {
    let key = entities[entity].naturalKey
    guard !key.isEmpty else { return [] }
    return try editor.read(entities[entity].index, key: row, key) ?? []
  }

  /// The members of a many-to-many relationship.
  public func targets(entity: Int, row: Int64, property: Int) throws -> [Int64] {
    guard let side = join(entity, property) else { return [] }
    return side.isReversed
      ? try editor.linkedKeys(side.table.index, target: row)
      : try editor.linkedKeys(side.table.index, source: row)
  }

  /// Tells the store's contexts.
  public func announce(_ changes: ChangedRows) {
    func identifiers(_ rows: Set<RowReference>) -> [ObjectID] {
      rows.map { store.objectID(entities[$0.entity], key: $0.row) }
    }
    store.announce(
      ObjectChanges(
        inserted: identifiers(changes.inserted), updated: identifiers(changes.updated),
        deleted: identifiers(changes.deleted)))
  }
}

extension PersistentStore {
  /// Opens the replica of this store, on a connection of its own.
  ///
  /// Contexts record their changes through a ``SaveRecorder``; they and the replica may work side by side.
  /// - Throws: as ``ManagedLocalStore/init(store:)`` and ``Replica/init(store:configuration:)``.
  public func newReplica(_ configuration: Replica.Configuration) throws -> Replica {
    try Replica(store: try ManagedLocalStore(store: self), configuration: configuration)
  }
}

extension EntityTable {
  /// The greatest key in the table; 0 without rows.
  func lastKey(_ connection: Connection) throws -> Int64 {
    if case .integer(let key)? = try connection.first("SELECT max(Z_PK) FROM \"\(name)\"") { return key }
    return 0
  }
}
