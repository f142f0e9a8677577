import ObjectStore
import TICDSSQLite

/// The rows of an object store, as the engine writes them: without objects, delete rules or validation.
public final class ManagedLocalStore: LocalStore {
  /// The replica's own connection to the store.
  package let connection: Connection
  /// The synchronised part of the store's model.
  public let schema: SyncSchema

  let store: PersistentStore
  let editor: RowEditor
  /// By position in ``SyncSchema/entities``.
  private let entities: [ManagedEntity]
  /// By root: keys that are reserved for new rows.
  private var keys: [String: Range<Int64>] = [:]
  private var keyCounts: [String: Int] = [:]
  /// The entities below each root.
  private let families: [String: [LocalEntity]]
  /// By the number that stands in `Z_ENT`.
  private let entitiesByNumber: [Int64: LocalEntity]
  /// By index in the model.
  private let entitiesByIndex: [Int: LocalEntity]
  private var sourceLookups: [PropertyOfEntity: Statement] = [:]

  private struct PropertyOfEntity: Hashable {
    var entity: LocalEntity
    var property: LocalProperty
  }

  /// Opens a connection of its own to a store.
  ///
  /// - Throws: `StoreError` if the store cannot be opened, ``OneOwnerError`` if it cannot show what others may write.
  public init(store: PersistentStore) throws {
    self.store = store
    let schema = store.model.syncSchema
    self.schema = schema
    connection = try store.newConnection()
    // Merging goes through several tables in the order of their identifiers: the upper parts of their trees stay here.
    // Its slices write many pages again and again, which go into the file once for all of them.
    try connection.execute(script: "PRAGMA cache_size = -8000; PRAGMA wal_autocheckpoint = 4000")
    editor = RowEditor(schema: store.schema, connection: connection)
    let entities = schema.entities.compactMap { ManagedEntity($0, in: store.model) }
    try OneOwnerError.check(store, entities)
    self.entities = entities
    let positions = schema.localEntities
    entitiesByNumber = Dictionary(
      zip(entities.map { store.schema.table(of: $0.description).number }, positions),
      uniquingKeysWith: { first, _ in first })
    entitiesByIndex = Dictionary(
      zip(entities.map(\.description.index), positions), uniquingKeysWith: { first, _ in first })
    families = Dictionary(grouping: positions, by: { schema[$0].root })
  }

  /// The replica's own connection to the store.
  public var database: SharedDatabase { SharedDatabase(connection) }

  func managed(_ entity: LocalEntity) -> ManagedEntity { entities[entity.rawValue] }

  private func modelIndex(_ entity: LocalEntity) -> Int { managed(entity).description.index }

  // MARK: Rows

  /// Adds a row.
  public func insertRow(_ entity: LocalEntity, syncID: SyncID, values: [PropertyValue]) throws -> RowNumber {
    let known = managed(entity)
    let key = try newKey(of: entity)
    // Later values replace earlier ones.
    var row = known.blanks
    row.reserveCapacity(row.count + values.count + 1)
    for value in values { row.append((known[value.property], value.value)) }
    row.append((known.syncID, .string(syncID.string)))
    try editor.insert(known.description.index, key: key, row)
    return RowNumber(rawValue: key)
  }

  /// A key for a new row. More and more are reserved at once, the more rows a transaction adds.
  private func newKey(of entity: LocalEntity) throws -> Int64 {
    let root = schema[entity].root
    if let reserved = keys[root], let key = reserved.first {
      keys[root] = reserved.dropFirst()
      return key
    }
    let count = min(256, 2 * (keyCounts[root] ?? 0) + 1)
    let first = try editor.allocateKeys(modelIndex(entity), count: count)
    keyCounts[root] = count
    keys[root] = first + 1..<first + Int64(count)
    return first
  }

  /// Has the store record what every context saves.
  public func startRecording(now: @escaping @Sendable () -> UInt64, random: @escaping @Sendable () -> UInt64)
  {
    store.recordChanges(now: now, random: random)
  }

  /// Forgets the reserved keys: the reservation went with the transaction if that was undone.
  public func transactionDidBegin() {
    keys = [:]
    keyCounts = [:]
  }

  /// Writes attribute values.
  public func updateRow(_ row: RowReference, values: [PropertyValue]) throws {
    let known = managed(row.entity)
    try editor.update(
      known.description.index, key: row.row.rawValue,
      values.map { (property: known[$0.property], value: $0.value) })
  }

  /// Removes a row, its links, and relationships to it.
  public func deleteRow(_ row: RowReference) throws {
    try editor.delete(modelIndex(row.entity), key: row.row.rawValue)
  }

  /// A row's sync ID and contents.
  public func readRow(_ row: RowReference, _ properties: [LocalProperty]) throws -> StoredRow? {
    let known = managed(row.entity)
    let indexes = properties.map { known[$0] }
    guard
      let values = try editor.read(known.description.index, key: row.row.rawValue, indexes + [known.syncID])
    else { return nil }
    var syncID: SyncID?
    if case .string(let text)? = values.last { syncID = SyncID(text) }
    let contents = try zip(properties, values).map { property, value -> StoredContent in
      if known.isAttribute[property.rawValue] {
        if case .null = value, known.isExternal[property.rawValue],
          try editor.isFileMissing(known.description.index, key: row.row.rawValue, property: known[property])
        {
          return .unreadable
        }
        return .value(value)
      }
      if case .reference(_, let key) = value { return .target(RowNumber(rawValue: key)) }
      return .target(nil)
    }
    return StoredRow(syncID: syncID, contents: contents)
  }

  /// Whether an attribute's type accepts a value.
  public func canHold(_ value: AttributeValue, _ entity: LocalEntity, _ property: LocalProperty) -> Bool {
    managed(entity).canHold(value, property)
  }

  /// The entity and sync ID of a row.
  public func identity(of row: RowNumber, below root: String) throws -> RowIdentity? {
    guard let family = families[root], var member = family.first else { return nil }
    if family.count > 1 || managed(member).description.isPartOfFamily {
      guard let index = try editor.rowEntity(modelIndex(member), key: row.rawValue),
        let found = entitiesByIndex[index]
      else { return nil }
      member = found
    }
    let known = managed(member)
    guard let values = try editor.read(known.description.index, key: row.rawValue, [known.syncID]) else {
      return nil
    }
    if case .string(let text)? = values.first { return RowIdentity(entity: member, syncID: SyncID(text)) }
    return RowIdentity(entity: member, syncID: nil)
  }

  // MARK: Relationships

  /// Sets or clears a to-one relationship, with the other side of a one-to-one pair.
  public func setTarget(of row: RowReference, _ property: LocalProperty, to target: RowReference?) throws {
    let known = managed(row.entity)
    let index = known[property]
    if case .toOne(_, isExclusive: true) = schema[row.entity][property].kind,
      let inverse = known.description.relationship(at: index)?.inverse
    {
      let present = try editor.read(known.description.index, key: row.row.rawValue, [index])?.first
      if case .reference(let former, let key)? = present {
        try setInverse(inverse, of: store.model.entities[Int(former)], key: key, to: nil)
      }
      if let target {
        try setInverse(
          inverse, of: managed(target.entity).description, key: target.row.rawValue,
          to: (known.description.index, row.row.rawValue))
      }
    }
    try editor.setTarget(
      known.description.index, key: row.row.rawValue, property: index,
      target: target.map { (entity: modelIndex($0.entity), key: $0.row.rawValue) })
  }

  /// Writes the other side of a pair. The same relationship has other indexes in entities that inherit it.
  private func setInverse(
    _ name: String, of entity: EntityDescription, key: Int64, to target: (entity: Int, key: Int64)?
  ) throws {
    guard let actual = try editor.rowEntity(entity.index, key: key),
      let index = store.model.entities[actual].index(of: name)
    else { return }
    try editor.setTarget(actual, key: key, property: index, target: target)
  }

  /// The rows whose to-one relationship shows a target.
  public func sources(_ entity: LocalEntity, _ property: LocalProperty, to target: RowNumber) throws
    -> [RowNumber]
  {
    let lookup = PropertyOfEntity(entity: entity, property: property)
    let statement: Statement
    if let known = sourceLookups[lookup] {
      statement = known
    } else {
      let known = managed(entity)
      let table = store.schema.table(of: known.description)
      guard case .toOne(let columns) = table.storage[known[property]] else { return [] }
      // Entities that inherit the relationship keep it in the same column.
      let kind = table.isShared ? " AND Z_ENT = \(table.number)" : ""
      statement = try connection.prepare(
        "SELECT Z_PK FROM \"\(table.name)\" WHERE \"\(columns.key)\" = ?\(kind) ORDER BY Z_PK")
      sourceLookups[lookup] = statement
    }
    try statement.bind(target.rawValue, at: 1)
    return try rowNumbers(statement)
  }

  private func rowNumbers(_ statement: Statement) throws -> [RowNumber] {
    var rows: [RowNumber] = []
    while try statement.step() { rows.append(RowNumber(rawValue: statement.int64(0))) }
    return rows
  }

  /// The row that shows some values together.
  public func row(_ entity: LocalEntity, with values: [PropertyValue]) throws -> RowReference? {
    let known = managed(entity)
    let found = try editor.row(
      known.description.index, with: values.map { (property: known[$0.property], value: $0.value) })
    guard let found, let local = entitiesByIndex[found.entity] else { return nil }
    return RowReference(entity: local, row: RowNumber(rawValue: found.key))
  }

  /// Rows of which another shows the same values together.
  public func rowsRepeatingValues(_ entity: LocalEntity, of constraint: [LocalProperty]) throws
    -> [RowReference]
  {
    let known = managed(entity)
    let table = store.schema.table(of: known.description)
    let columns = constraint.compactMap { property -> String? in
      guard case .attribute(let column, _) = table.storage[known[property]] else { return nil }
      return "\"\(column)\""
    }
    guard columns.count == constraint.count else { return [] }
    let list = columns.joined(separator: ", ")
    let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let statement = try connection.prepare(
      """
      SELECT Z_PK FROM "\(table.name)" WHERE Z_ENT = \(table.number) AND (\(list)) IN
        (SELECT \(list) FROM "\(table.name)" WHERE \(present) GROUP BY \(list) HAVING count(*) > 1) ORDER BY Z_PK
      """)
    return try rowNumbers(statement).map { RowReference(entity: entity, row: $0) }
  }

  /// Makes the indexes that a migration has left out.
  public func completeConstraints() throws { try store.schema.completeConstraints(connection) }

  /// Position in ``schema`` of the entity with a number of the store.
  func synchronizedEntity(numbered number: Int64) -> LocalEntity? { entitiesByNumber[number] }

  private func join(_ entity: LocalEntity, _ property: LocalProperty) -> JoinSide? {
    let known = managed(entity)
    guard case .join(let side) = store.schema.table(of: known.description).storage[known[property]] else {
      return nil
    }
    return side
  }

  /// Adds a link.
  public func link(_ row: RowReference, _ property: LocalProperty, to target: RowReference) throws {
    guard let side = join(row.entity, property) else { return }
    let (source, member) = side.isReversed ? (target.row, row.row) : (row.row, target.row)
    try editor.link(side.table.index, source: source.rawValue, target: member.rawValue)
  }

  /// Removes a link.
  public func unlink(_ row: RowReference, _ property: LocalProperty, from target: RowReference) throws {
    guard let side = join(row.entity, property) else { return }
    let (source, member) = side.isReversed ? (target.row, row.row) : (row.row, target.row)
    try editor.unlink(side.table.index, source: source.rawValue, target: member.rawValue)
  }

  /// The members of a many-to-many relationship.
  public func targets(of row: RowReference, _ property: LocalProperty) throws -> [RowNumber] {
    guard let side = join(row.entity, property) else { return [] }
    let key = row.row.rawValue
    let keys =
      side.isReversed
      ? try editor.linkedKeys(side.table.index, target: key)
      : try editor.linkedKeys(side.table.index, source: key)
    return keys.map(RowNumber.init(rawValue:))
  }

  // MARK: Rows that no log mentions

  /// The recorder of saves logs only insertions that do not tell by their keys.
  public var logsInsertions: Bool { false }

  /// The greatest row number below the entity's root.
  public func lastRow(_ entity: LocalEntity, in database: SharedDatabase) throws -> RowNumber {
    RowNumber(rawValue: try store.schema.table(of: managed(entity).description).lastKey(database.connection))
  }

  /// The next rows of an entity.
  public func rows(_ entity: LocalEntity, after row: RowNumber, limit: Int, withoutSyncID: Bool) throws
    -> [RowNumber]
  {
    let known = managed(entity)
    let table = store.schema.table(of: known.description)
    var sql = "SELECT Z_PK FROM \"\(table.name)\" WHERE Z_PK > ?"
    // Rows without a sync ID are few, and its index knows them.
    if table.isShared { sql += " AND \(withoutSyncID ? "+" : "")Z_ENT = \(table.number)" }
    if withoutSyncID, case .attribute(let column, _) = table.storage[known.syncID] {
      sql += " AND \"\(column)\" IS NULL"
    }
    let statement = try connection.cached(sql + " ORDER BY Z_PK LIMIT ?")
    try statement.bind(row.rawValue, at: 1)
    try statement.bind(Int64(limit), at: 2)
    return try rowNumbers(statement)
  }

  /// A row with a sync ID.
  public func row(_ entity: LocalEntity, syncID: SyncID) throws -> RowNumber? {
    let known = managed(entity)
    return try editor.key(known.description.index, property: known.syncID, equals: .string(syncID.string))
      .map(RowNumber.init(rawValue:))
  }

  /// Rows that repeat the sync ID of one before.
  public func rowsRepeatingSyncIDs(
    _ entity: LocalEntity, after row: RowNumber, through last: RowNumber
  ) throws -> [RowNumber] {
    let known = managed(entity)
    let table = store.schema.table(of: known.description)
    guard case .attribute(let name, _) = table.storage[known.syncID] else { return [] }
    let (rows, column) = ("\"\(table.name)\"", "\"\(name)\"")
    let isIndexed = known.description.attribute(at: known.syncID)?.isIndexed ?? false
    // Without an index one pass over all rows is less than a search for each.
    let repeating =
      isIndexed
      ? "EXISTS (SELECT 1 FROM \(rows) o WHERE o.\(column) = t.\(column) AND o.Z_PK < t.Z_PK)"
      : """
      Z_PK IN (SELECT key FROM (SELECT Z_PK AS key, row_number() OVER (PARTITION BY \(column) ORDER BY Z_PK) AS number
        FROM \(rows) WHERE \(column) IS NOT NULL) WHERE number > 1)
      """
    let kind = table.isShared ? " AND +t.Z_ENT = \(table.number)" : ""
    let statement = try connection.cached(
      "SELECT t.Z_PK FROM \(rows) t WHERE t.Z_PK > ? AND t.Z_PK <= ?\(kind) AND \(repeating) ORDER BY t.Z_PK")
    try statement.bind(row.rawValue, at: 1)
    try statement.bind(last.rawValue, at: 2)
    return try rowNumbers(statement)
  }

  /// Writes the attribute that holds the sync ID.
  public func setSyncID(_ syncID: SyncID, of row: RowReference) throws {
    let known = managed(row.entity)
    try editor.update(
      known.description.index, key: row.row.rawValue,
      [(property: known.syncID, value: .string(syncID.string))])
  }

  /// The values of the attributes that make up the natural key.
  public func naturalKey(of row: RowReference) throws -> [AttributeValue] {
    let known = managed(row.entity)
    let key = known.description.naturalKey
    guard !key.isEmpty else { return [] }
    return try editor.read(known.description.index, key: row.row.rawValue, key) ?? []
  }

  /// Informs the store's contexts.
  public func announce(_ changes: ChangedRows) {
    func identifiers(_ rows: Set<RowReference>) -> [ObjectID] {
      rows.map { store.objectID(managed($0.entity).description, key: $0.row.rawValue) }
    }
    store.announce(
      ObjectChanges(
        inserted: identifiers(changes.inserted), updated: identifiers(changes.updated),
        deleted: identifiers(changes.deleted)))
  }
}

extension EntityTable {
  /// The greatest key in the table; 0 without rows.
  func lastKey(_ connection: Connection) throws -> Int64 {
    if case .integer(let key)? = try connection.first("SELECT max(Z_PK) FROM \"\(name)\"") { return key }
    return 0
  }
}
