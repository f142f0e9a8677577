import TICDSSQLite

/// Finds the members of one to-many relationship.
struct MemberRows {
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
