import TICDSSQLite

/// Reads single rows of one entity.
final class RowCursor {
  private let plan: FetchPlan
  private let statement: Statement

  init(entity: EntityDescription, schema: StoreSchema, connection: Connection) throws {
    plan = FetchPlan(entity: entity, schema: schema)
    statement = try connection.prepare(
      "SELECT \(plan.columns) FROM \(quote(plan.table.name)) t WHERE t.Z_PK = ?")
  }

  func read(key: Int64, _ properties: [Int]) throws -> [AttributeValue]? {
    try statement.bind(key, at: 1)
    defer { statement.reset() }
    guard try statement.step(), statement.withRow(plan.isOwn) else { return nil }
    return properties.map { plan.format.value(statement, at: $0) }
  }
}
