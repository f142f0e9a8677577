import TICDSSQLite

/// The rows of a damaged store and what relates them, gathered once in a temporary database: indexes may be damaged or missing, so the
/// file's own are not asked.
final class TolerantLinks {
  private let source: Connection
  private let tables: [String: TolerantTable]
  private let schema: StoreSchema
  private let gathered: Connection
  private var tableNumbers: [String: Int64] = [:]
  private var relationNumbers: [Relation: Int64] = [:]
  /// What could not be read while gathering.
  let list = OmissionList()

  private struct Relation: Hashable {
    let table, owner, member: String
    let number, order: String?
  }

  /// - Throws: ``SQLiteError`` if there is no room for temporary files.
  init(_ source: Connection, tables: [String: TolerantTable], schema: StoreSchema) throws(SQLiteError) {
    self.source = source
    self.tables = tables
    self.schema = schema
    // A database without a name is a file that SQLite removes at once.
    gathered = try Connection(path: "")
    try gathered.execute(
      script: """
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
        CREATE TABLE ROW (tab INTEGER, key INTEGER, number INTEGER, PRIMARY KEY (tab, key)) WITHOUT ROWID;
        CREATE TABLE LINK (relation INTEGER, owner INTEGER, number INTEGER, place, member INTEGER);
        CREATE INDEX LINK_INDEX ON LINK (relation, owner)
        """)
  }

  /// The entity of the object with a key, by its index; `nil` if there is no such row that can be read.
  func entity(of key: Int64, in table: String) throws -> Int? {
    let number = try gatherRows(of: table)
    guard
      case .integer(let entity)? = try gathered.first(
        "SELECT number FROM ROW WHERE tab = ? AND key = ?", .integer(number), .integer(key))
    else { return nil }
    return schema.entity(numbered: entity)?.index
  }

  /// The keys of the members of an object, in order, and the table that they are in; `nil` for what is no to-many relationship.
  func members(
    of key: Int64, _ entity: EntityDescription, at property: Int
  ) throws -> (table: String, keys: [Int64])? {
    guard let relationship = entity.relationship(at: property) else { return nil }
    let own = schema.table(of: entity)
    let relation: Relation
    let destination: EntityTable
    switch own.storage[property] {
    case .inverse(let index, let inverse):
      destination = schema.tables[index]
      guard case .toOne(let columns) = destination.storage[inverse] else { return nil }
      relation = Relation(
        table: destination.name, owner: columns.key, member: "Z_PK", number: columns.entity,
        order: columns.order)
    case .join(let side):
      destination = schema.tables[relationship.destinationIndex]
      relation = Relation(
        table: side.table.name, owner: side.ownColumn, member: side.memberColumn, number: nil,
        order: side.orderColumn)
    case .memory, .attribute, .toOne: return nil
    }
    let members = try gathered.cached(
      """
      SELECT member FROM LINK WHERE relation = ?1 AND owner = ?2 AND (?3 IS NULL OR number = ?3)
      ORDER BY place, member
      """)
    defer { members.reset() }
    try members.bind(try gather(relation), at: 1)
    try members.bind(key, at: 2)
    if relation.number != nil { try members.bind(own.number, at: 3) }
    var keys: [Int64] = []
    while try members.step() { keys.append(members.int64(0)) }
    return (destination.name, keys)
  }

  private func gatherRows(of name: String) throws -> Int64 {
    if let known = tableNumbers[name] { return known }
    let number = Int64(tableNumbers.count)
    if let table = tables[name] {
      try gathered.transaction {
        try table.forEachRow(source, list) { row in
          guard let entity = row.number else { return }
          try gathered.run(
            "INSERT OR IGNORE INTO ROW VALUES (?, ?, ?)", .integer(number), .integer(row.key),
            .integer(entity))
        }
      }
    }
    tableNumbers[name] = number
    return number
  }

  private func gather(_ relation: Relation) throws -> Int64 {
    if let known = relationNumbers[relation] { return known }
    let number = Int64(relationNumbers.count)
    if let table = tables[relation.table] {
      try gathered.transaction { try gather(relation, of: table, as: number) }
    }
    relationNumbers[relation] = number
    return number
  }

  private func gather(_ relation: Relation, of table: TolerantTable, as number: Int64) throws {
    // Missing columns are read as another one and not used.
    let columns = [relation.owner, relation.number ?? relation.owner, relation.order ?? relation.owner]
    func add(_ values: [SQLiteValue]) throws {
      guard case .integer = values[0], case .integer = values[3] else {
        list.note("\(table.name).\(relation.owner)", "links that are no keys", count: 1)
        return
      }
      try gathered.run(
        "INSERT INTO LINK VALUES (?, ?, ?, ?, ?)", .integer(number), values[0], values[1],
        relation.order == nil ? .null : values[2], values[3])
    }
    // Rows of entities have keys, rows of links have not.
    guard relation.member == "Z_PK" else {
      return try table.scan(columns + [relation.member], source).run { finding in
        list.note(finding, in: table.name)
      } decode: { statement in
        (1...4).map { statement.value($0) }
      } _: { _, values in
        try add(values)
      }
    }
    let lookUp = try table.lookUp(columns, source)
    try table.forEachRow(source, list) { row in
      do {
        defer { lookUp.reset() }
        try lookUp.bind(row.rowID, at: 1)
        guard try lookUp.step() else { throw SQLiteError.damage(source) }
        if !lookUp.isNull(1) { try add((1...3).map { lookUp.value($0) } + [.integer(row.key)]) }
      } catch let error as SQLiteError where error.isDamage {
        list.note("\(table.name).\(relation.owner)", "damaged links", count: 1)
      }
    }
  }
}
