import TICDSSQLite

extension RowEditor {
  /// The row that has some values together, among all that share the entity's table; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - entity: Index of an entity in the model.
  ///   - values: Attributes by property index; null equals nothing.
  /// - Returns: the index of the row's entity, and its key.
  /// - Throws: `SQLiteError`.
  public func row(_ entity: Int, with values: [(property: Int, value: AttributeValue)]) throws -> (
    entity: Int, key: Int64
  )? {
    let table = schema.tables[entity]
    let conditions = values.compactMap { value -> String? in
      guard case .attribute(let column, _) = table.storage[value.property] else { return nil }
      return "\(quote(column)) = ?"
    }
    guard conditions.count == values.count, !values.isEmpty else { return nil }
    let statement = try connection.cached(
      "SELECT Z_ENT, Z_PK FROM \(quote(table.name)) WHERE \(conditions.joined(separator: " AND ")) LIMIT 1")
    for (index, value) in values.enumerated() { try statement.bind(value.value, at: index + 1) }
    defer { statement.reset() }
    guard try statement.step(), let found = schema.entity(numbered: statement.int64(0)) else { return nil }
    return (found.index, statement.int64(1))
  }
}
