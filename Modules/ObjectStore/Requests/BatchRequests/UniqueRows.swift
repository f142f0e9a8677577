import TICDSSQLite

/// Finds the rows that share values with a new one under the uniqueness constraints of its entity.
struct UniqueRows {
  struct Constraint {
    /// The properties, by index.
    let slots: [Int]
    fileprivate let statement: Statement

    /// The values that are to be unique together; `nil` if one is missing, for then nothing is equal to them.
    func values(of row: (Int) -> AttributeValue) -> [AttributeValue]? {
      let values = slots.map(row)
      return values.contains(where: \.isNull) ? nil : values
    }
  }

  let constraints: [Constraint]
  private let schema: StoreSchema

  init(_ entity: EntityDescription, schema: StoreSchema, connection: Connection) throws(SQLiteError) {
    self.schema = schema
    let table = schema.table(of: entity)
    var constraints: [Constraint] = []
    for names in schema.model.uniquenessConstraints(on: entity).map(\.properties) {
      let slots = names.compactMap { entity.index(of: $0) }
      let conditions = slots.compactMap { slot -> String? in
        switch table.storage[slot] {
        case .attribute(let column, _): "\(quote(column)) = ?"
        case .toOne(let columns): "\(quote(columns.key)) = ?"
        case .memory, .inverse, .join: nil
        }
      }
      guard !slots.isEmpty, conditions.count == names.count else { continue }
      constraints.append(
        Constraint(
          slots: slots,
          statement: try connection.prepare(
            """
            SELECT Z_ENT, Z_PK FROM \(quote(table.name)) WHERE \(conditions.joined(separator: " AND ")) LIMIT 1
            """)))
    }
    self.constraints = constraints
  }

  /// The row that has values under a constraint.
  func row(_ constraint: Constraint, _ values: [AttributeValue]) throws(SQLiteError) -> Found? {
    let statement = constraint.statement
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    defer { statement.reset() }
    guard try statement.step(), let entity = schema.entity(numbered: statement.int64(0)) else { return nil }
    return Found(entity: entity, key: statement.int64(1))
  }

  /// A row that is there.
  struct Found: Equatable {
    let entity: EntityDescription
    let key: Int64

    static func == (one: Found, other: Found) -> Bool { one.entity === other.entity && one.key == other.key }
  }

  /// The one of several finds that a new row is to be written to; `nil` if there is none.
  ///
  /// - Throws: ``SaveError`` if there are several, or one that is no such object.
  static func single<Row: Equatable>(
    _ found: [Row], for entity: EntityDescription, entityOf: (Row) -> EntityDescription
  ) throws(SaveError) -> Row? {
    guard let first = found.first else { return nil }
    guard found.allSatisfy({ $0 == first }) else {
      throw SaveError([
        .notUnique("A new \(entity.name) has values of several others that must be unique.")
      ])
    }
    guard entityOf(first).isKind(of: entity) else {
      throw SaveError([
        .notUnique("A new \(entity.name) has values of a \(entityOf(first).name) that must be unique.")
      ])
    }
    return first
  }
}
