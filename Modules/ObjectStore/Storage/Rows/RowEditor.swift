import TICDSSQLite

/// Reads and writes rows of a store without making objects of them: for programs that apply many changes at once.
///
/// Belongs to one connection and its isolation domain. Does not begin transactions: wrap many calls in one
/// `Connection.transaction`, or each costs a commit. Delete rules and validation are the caller's business; inverses need none,
/// since each relationship is stored once. Afterwards tell contexts with ``PersistentStore/announce(_:)``.
///
/// Entities are given by index in the model, properties by index in the entity. Statements are compiled once and kept.
public final class RowEditor {
  /// Where the store keeps what.
  public let schema: StoreSchema
  /// The connection that is written to.
  public let connection: Connection
  private var writers: [RowWriter?]
  private var readers: [RowCursor?]
  private var lookups: [Int: Statement] = [:]
  private var deletions: [Int: [Statement]] = [:]
  private var links: [Int: LinkStatements] = [:]

  /// Makes an editor for a connection to the schema's store.
  public init(schema: StoreSchema, connection: Connection) {
    self.schema = schema
    self.connection = connection
    writers = Array(repeating: nil, count: schema.tables.count)
    readers = Array(repeating: nil, count: schema.tables.count)
  }

  // MARK: - Rows

  /// Reserves a key for a new row, or several that follow one another. Gives the first.
  ///
  /// - Throws: `SQLiteError`, or ``StoreError`` if the store has no counter.
  public func allocateKeys(_ entity: Int, count: Int = 1) throws -> Int64 {
    try KeyCounter.reserve(Int64(count), number: schema.tables[entity].rootNumber, on: connection)
  }

  /// Writes a new row with the entity's defaults where no value is given.
  ///
  /// - Parameters:
  ///   - entity: Index of the row's entity in the model.
  ///   - key: The row's key.
  ///   - values: Attributes, and to-one relationships as references, by property index.
  /// - Throws: `SQLiteError`; a uniqueness constraint gives the code `constraint`.
  public func insert(_ entity: Int, key: Int64, _ values: [(property: Int, value: AttributeValue)]) throws {
    var row = schema.model.entities[entity].defaults
    for (property, value) in values where row.indices.contains(property) { row[property] = value }
    try writer(entity).insert(key: key, values: row)
  }

  /// Writes some values of a row and counts its version up; `false` if there is no such row.
  ///
  /// - Parameters:
  ///   - entity: Index of the row's entity in the model.
  ///   - key: The row's key.
  ///   - values: Attributes, and to-one relationships as references, by property index.
  /// - Throws: `SQLiteError`.
  @discardableResult public func update(
    _ entity: Int, key: Int64, _ values: [(property: Int, value: AttributeValue)]
  ) throws -> Bool {
    try writer(entity).update(key: key, values)
  }

  /// Sets the target of a to-one relationship; `nil` clears it. `false` if there is no such row.
  ///
  /// Of a one-to-one relationship, set the other side too.
  /// - Throws: `SQLiteError`.
  @discardableResult public func setTarget(
    _ entity: Int, key: Int64, property: Int, target: (entity: Int, key: Int64)?
  ) throws -> Bool {
    let value = target.map { AttributeValue.reference(entity: Int32($0.entity), key: $0.key) } ?? .null
    return try update(entity, key: key, [(property, value)])
  }

  /// Deletes a row with its links, and clears the to-one relationships that lead to it; `false` if there is no such row.
  ///
  /// - Throws: `SQLiteError`.
  @discardableResult public func delete(_ entity: Int, key: Int64) throws -> Bool {
    let statements: [Statement]
    if let known = deletions[entity] {
      statements = known
    } else {
      statements = try RowRemoval.statements(for: schema.model.entities[entity], schema: schema).map {
        try connection.prepare($0)
      }
      deletions[entity] = statements
    }
    try writer(entity).noteReplacedFiles(key: key)
    for statement in statements {
      try statement.bind(key, at: 1)
      try statement.run()
    }
    // The row itself goes last.
    return connection.changes > 0
  }

  /// Reads values of a row, in the order of the given properties; `nil` if there is no such row of this entity.
  ///
  /// - Throws: `SQLiteError`.
  public func read(_ entity: Int, key: Int64, _ properties: [Int]) throws -> [AttributeValue]? {
    try reader(entity).read(key: key, properties)
  }

  /// The entity of the row with a key, in the table of an entity; `nil` if there is no row.
  ///
  /// - Throws: `SQLiteError`.
  public func rowEntity(_ entity: Int, key: Int64) throws -> Int? {
    let number = try connection.first(
      "SELECT Z_ENT FROM \(quote(schema.tables[entity].name)) WHERE Z_PK = ?", .integer(key))
    guard case .integer(let number)? = number else { return nil }
    return schema.entity(numbered: number)?.index
  }

  /// The key of a row, of this entity or one that inherits from it, that has a value in an attribute; `nil` if there is none.
  ///
  /// - Throws: `SQLiteError`.
  public func key(_ entity: Int, property: Int, equals value: AttributeValue) throws -> Int64? {
    let identifier = entity << 16 | property
    let statement: Statement
    if let known = lookups[identifier] {
      statement = known
    } else {
      guard case .attribute(let column, _) = schema.tables[entity].storage[property] else { return nil }
      let plan = FetchPlan(entity: schema.model.entities[entity], schema: schema)
      let kind = plan.entityCondition(alias: "t").map { " AND \($0)" } ?? ""
      statement = try connection.prepare(
        "SELECT t.Z_PK FROM \(quote(plan.table.name)) t WHERE t.\(quote(column)) = ?\(kind) LIMIT 1")
      lookups[identifier] = statement
    }
    try statement.bind(value, at: 1)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(0) : nil
  }

  // MARK: - Links

  /// Links two rows by a many-to-many relationship; nothing happens if they are linked already, but for the position.
  ///
  /// - Parameters:
  ///   - join: Index in ``StoreSchema/joins``.
  ///   - source: Key of the row on the join's source side.
  ///   - target: Key of the row on the join's target side.
  ///   - position: The place of the target among the source's members, if they are ordered.
  /// - Throws: `SQLiteError`.
  public func link(_ join: Int, source: Int64, target: Int64, position: Int64? = nil) throws {
    try statements(join).link(source, target, position: position)
  }

  /// Removes a link; nothing happens if there is none.
  ///
  /// - Throws: `SQLiteError`.
  public func unlink(_ join: Int, source: Int64, target: Int64) throws {
    try statements(join).unlink(source, target)
  }

  /// Whether two rows are linked.
  ///
  /// - Throws: `SQLiteError`.
  public func isLinked(_ join: Int, source: Int64, target: Int64) throws -> Bool {
    try statements(join).isLinked(source, target)
  }

  /// The keys of all rows on the target side that are linked to one on the source side, or the other way round.
  ///
  /// - Throws: `SQLiteError`.
  public func linkedKeys(_ join: Int, source: Int64? = nil, target: Int64? = nil) throws -> [Int64] {
    try statements(join).linkedKeys(source: source, target: target)
  }

  // MARK: - Parts

  private func writer(_ entity: Int) throws -> RowWriter {
    if let known = writers[entity] { return known }
    let writer = try RowWriter(entity: schema.model.entities[entity], schema: schema, connection: connection)
    writers[entity] = writer
    return writer
  }

  private func reader(_ entity: Int) throws -> RowCursor {
    if let known = readers[entity] { return known }
    let reader = try RowCursor(entity: schema.model.entities[entity], schema: schema, connection: connection)
    readers[entity] = reader
    return reader
  }

  private func statements(_ join: Int) throws -> LinkStatements {
    if let known = links[join] { return known }
    let statements = try LinkStatements(schema.joins[join], connection)
    links[join] = statements
    return statements
  }
}
