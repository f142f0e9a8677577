import TICDSSQLite

/// Reads the rows of one entity as objects, with statements that are compiled once.
final class EntityRows {
  private let entity: EntityDescription
  private let schema: StoreSchema
  private let connection: Connection
  private let external: ExternalValues
  private let sources: [RowSource]
  private let members: [MemberRows]
  private let sql: String
  private let number: Int64
  private var single: Statement?

  init(
    _ entity: EntityDescription, schema: StoreSchema, connection: Connection, external: ExternalValues
  ) throws {
    self.entity = entity
    self.schema = schema
    self.connection = connection
    self.external = external
    let table = schema.table(of: entity)
    number = table.number
    var columns = ["Z_PK"]
    sources = RowSource.all(of: entity, in: schema, adding: &columns)
    let list = columns.map { "t.\(quote($0))" }.joined(separator: ", ")
    sql = "SELECT \(list) FROM \(quote(table.name)) t WHERE t.Z_ENT = ?"
    members = try (entity.slotCount..<entity.properties.count).map { index in
      try MemberRows(of: entity, at: index, schema: schema, connection: connection)
    }
  }

  /// A fresh statement over all rows, by key. Fresh, because the caller may start another while it runs.
  func allRows() throws -> Statement {
    // Another program may have made the table, and then a key may be anything.
    let statement = try connection.prepare(
      sql + " AND typeof(t.Z_PK) = 'integer' AND t.Z_PK > 0 ORDER BY t.Z_PK")
    try statement.bind(number, at: 1)
    return statement
  }

  func object(key: Int64) throws -> StoredObject? {
    guard key > 0 else { return nil }
    let statement = try single ?? connection.prepare(sql + " AND t.Z_PK = ?")
    single = statement
    defer { statement.reset() }
    try statement.bind(number, at: 1)
    try statement.bind(key, at: 2)
    return try statement.step() ? object(statement) : nil
  }

  /// The object of a statement's current row.
  func object(_ statement: Statement) throws -> StoredObject {
    let key = statement.int64(0)
    var object = StoredObject(
      reference: .init(entity: entity.index, key: key), attributes: [], relationships: [])
    object.attributes.reserveCapacity(entity.attributeCount)
    object.relationships.reserveCapacity(entity.properties.count - entity.attributeCount)
    for (index, source) in sources.enumerated() {
      if index < entity.attributeCount {
        object.attributes.append(attribute(source, index, statement, &object.missingFiles))
      } else {
        object.relationships.append(target(source, statement).map { [$0] } ?? [])
      }
    }
    for members in members { object.relationships.append(try members.read(of: key)) }
    return object
  }

  private func attribute(
    _ source: RowSource, _ index: Int, _ statement: Statement, _ missingFiles: inout PropertyMask
  ) -> AttributeValue {
    guard case .attribute(let column, let type, let isExternal) = source else { return .null }
    var value = statement.attributeValue(column, as: type)
    if isExternal, !external.resolve(&value) { missingFiles.insert(index) }
    return value
  }

  private func target(_ source: RowSource, _ statement: Statement) -> StoredObject.Reference? {
    guard case .target(let column, let destination, let entityColumn) = source, !statement.isNull(column)
    else {
      return nil
    }
    let key = statement.int64(column)
    guard let entityColumn else { return .init(entity: destination, key: key) }
    // A number that the store does not list says as much as none; the key is kept, and does not lead anywhere.
    let entity = schema.entity(numbered: statement.int64(entityColumn))
    return .init(entity: entity?.index ?? destination, key: key)
  }
}
