import SQLite

/// Reads the rows of one entity as objects, with statements that are compiled once.
final class EntityRows {
  private let entity: EntityDescription
  private let plan: FetchPlan
  private let connection: Connection
  private let external: ExternalValues
  private let members: [MemberRows]
  private let sql: String
  private let number: Int64
  private var single: Statement?

  init(
    _ entity: EntityDescription, schema: StoreSchema, connection: Connection, external: ExternalValues
  ) throws {
    self.entity = entity
    self.connection = connection
    self.external = external
    plan = FetchPlan(entity: entity, schema: schema)
    let table = schema.table(of: entity)
    number = table.number
    sql = "SELECT \(plan.columns) FROM \(quote(table.name)) t WHERE t.Z_ENT = ?"
    members = try (entity.attributeCount..<entity.properties.count).map { index in
      try MemberRows(of: entity, at: index, schema: schema, connection: connection)
    }
  }

  /// A fresh statement over all rows, by key. Fresh, because the caller may start another while it runs.
  func allRows() throws -> Statement {
    let statement = try connection.prepare(sql + " ORDER BY t.Z_PK")
    try statement.bind(number, at: 1)
    return statement
  }

  func object(key: Int64) throws -> StoredObject? {
    let statement = try single ?? connection.prepare(sql + " AND t.Z_PK = ?")
    single = statement
    defer { statement.reset() }
    try statement.bind(number, at: 1)
    try statement.bind(key, at: 2)
    return try statement.step() ? object(statement) : nil
  }

  /// The object of a statement's current row.
  func object(_ statement: Statement) throws -> StoredObject {
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
      if index >= entity.slotCount {
        relationships.append(try members.read(of: key))
      } else if case .reference(let target, let key) = values[index] {
        relationships.append([.init(entity: Int(target), key: key)])
      } else {
        relationships.append([])
      }
    }
    return StoredObject(
      reference: .init(entity: entity.index, key: key), attributes: attributes, relationships: relationships,
      missingFiles: missingFiles)
  }
}
