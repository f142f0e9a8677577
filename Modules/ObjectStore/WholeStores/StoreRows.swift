import SQLite

/// Reads the objects of an SQLite store row by row, one at a time, without a context.
///
/// Holds a connection of its own, so it belongs to one isolation domain. Everything that one ``forEachObject(of:_:)`` reads
/// comes from one snapshot of the store.
public final class StoreRows: StoredObjectSource {
  /// The store.
  public let store: PersistentStore
  private let connection: Connection
  private let external: ExternalValues

  /// Reads a store.
  ///
  /// - Throws: ``StoreError`` if the file cannot be opened.
  public init(_ store: PersistentStore) throws(StoreError) {
    self.store = store
    connection = try store.newConnection()
    external = ExternalValues(storePath: store.path)
  }

  /// The store's model.
  public var model: ManagedObjectModel { store.model }

  /// Goes through the store; only one object and its lists of members are held at a time.
  ///
  /// - Throws: ``StoreError`` if SQLite fails, and what `body` throws.
  public func forEachObject(of entity: EntityDescription?, _ body: (StoredObject) throws -> Void) throws {
    let indices = entity?.familyIndices ?? Array(model.entities.indices)
    try snapshot {
      for index in indices { try forEachRow(of: model.entities[index], body) }
    }
  }

  /// Reads all statements of `body` from one state of the store.
  private func snapshot(_ body: () throws -> Void) throws {
    do {
      try connection.run("BEGIN")
      defer { try? connection.run("COMMIT") }
      try body()
    } catch let error as SQLiteError {
      throw StoreError(.database(error), path: store.path)
    }
  }

  private func forEachRow(of entity: EntityDescription, _ body: (StoredObject) throws -> Void) throws {
    let plan = FetchPlan(entity: entity, schema: store.schema)
    let table = store.schema.table(of: entity)
    let statement = try connection.prepare(
      "SELECT \(plan.columns) FROM \(quote(table.name)) t WHERE t.Z_ENT = ? ORDER BY t.Z_PK")
    try statement.bind(table.number, at: 1)
    let members = try (entity.attributeCount..<entity.properties.count).map { index in
      try MemberRows(of: entity, at: index, schema: store.schema, connection: connection)
    }
    while try statement.step() {
      let values = plan.read(statement, entity)
      let key = statement.int64(0)
      var attributes = Array(values.prefix(entity.attributeCount))
      var missingFiles = PropertyMask()
      for (index, property) in entity.properties.prefix(entity.attributeCount).enumerated() {
        if property.isTransient { attributes[index] = .null }
        guard property.asAttribute?.allowsExternalStorage == true else { continue }
        if !external.resolve(&attributes[index]) { missingFiles.insert(index) }
      }
      var relationships: [[StoredObject.Reference]] = []
      for (offset, members) in members.enumerated() {
        let index = entity.attributeCount + offset
        if index < entity.slotCount {
          guard case .reference(let target, let key) = values[index] else {
            relationships.append([])
            continue
          }
          relationships.append([.init(entity: Int(target), key: key)])
        } else {
          relationships.append(try members.read(of: key))
        }
      }
      try body(
        StoredObject(
          reference: .init(entity: entity.index, key: key), attributes: attributes,
          relationships: relationships,
          missingFiles: missingFiles))
    }
  }
}

/// Finds the members of one to-many relationship.
private struct MemberRows {
  private let statement: Statement?
  private let schema: StoreSchema
  private let isOrdered: Bool

  init(of entity: EntityDescription, at index: Int, schema: StoreSchema, connection: Connection) throws {
    self.schema = schema
    guard case .relationship(let relationship) = entity.properties[index], relationship.isToMany else {
      statement = nil
      isOrdered = false
      return
    }
    isOrdered = relationship.isOrdered
    let table = schema.table(of: entity)
    let sql: String?
    switch table.storage[index] {
    case .inverse(let destination, let property):
      let other = schema.tables[destination]
      guard case .toOne(let columns) = other.storage[property] else {
        sql = nil
        break
      }
      let order = columns.order.map { "d.\(quote($0)), " } ?? ""
      // Keys count per table, so where members may refer to several entities the owner's must be compared too.
      let owner = columns.entity.map { " AND d.\(quote($0)) = \(table.number)" } ?? ""
      sql = """
        SELECT d.Z_PK, d.Z_ENT FROM \(quote(other.name)) d
        WHERE d.\(quote(columns.key)) = ?\(owner) ORDER BY \(order)d.Z_PK
        """
    case .join(let side):
      let other = schema.tables[relationship.destinationIndex]
      let order = side.orderColumn.map { "j.\(quote($0)), " } ?? ""
      sql = """
        SELECT d.Z_PK, d.Z_ENT FROM \(quote(side.table.name)) j JOIN \(quote(other.name)) d
        ON d.Z_PK = j.\(quote(side.memberColumn)) WHERE j.\(quote(side.ownColumn)) = ? ORDER BY \(order)d.Z_PK
        """
    case .memory, .attribute, .toOne: sql = nil
    }
    statement = try sql.map { try connection.prepare($0) }
  }

  func read(of key: Int64) throws -> [StoredObject.Reference] {
    guard let statement else { return [] }
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    var members: [StoredObject.Reference] = []
    while try statement.step() {
      guard let entity = schema.entity(numbered: statement.int64(1)) else { continue }
      members.append(.init(entity: entity.index, key: statement.int64(0)))
    }
    return isOrdered ? members : members.sorted()
  }
}
