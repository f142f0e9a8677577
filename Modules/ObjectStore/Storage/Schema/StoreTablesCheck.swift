import TICDSSQLite

/// Looks whether the tables of a store that came from elsewhere are those that a store of its model has, so that they take every row that the
/// model admits.
///
/// Other programs order columns otherwise, add indexes and keep tables of their own, which changes nothing: what counts is that no constraint
/// is beyond the model's. SQLite's description of the schema is read, and the greatest keys; no expression is evaluated.
struct StoreTablesCheck {
  let schema: StoreSchema
  let connection: Connection

  /// One line for each thing that a store of the model has not.
  func differences() throws -> [String] {
    var lines = try constraints()
    // The columns were looked at: what is read from here on are values.
    if lines.isEmpty { lines = try counters() }
    if lines.isEmpty { lines = try links() + numbers() }
    return lines
  }

  /// One line for each thing that the tables demand of their rows and the model does not.
  func constraints() throws -> [String] {
    var lines: [String] = []
    for (table, types) in columnTypes().sorted(by: { $0.key < $1.key }) {
      lines += try constraints(table, key: ["Z_PK"], types)
    }
    for join in schema.joins where !join.isInTarget {
      lines += try constraints(join.name, key: [join.sourceColumn, join.targetColumn])
    }
    lines += try constraints("Z_PRIMARYKEY", key: ["Z_ENT"])
    lines += try constraints("Z_METADATA", key: ["Z_VERSION"])
    return lines + (try declarations())
  }

  /// What the columns of each entity's table are declared as. SQLite converts what is written to that.
  private func columnTypes() -> [String: [String: String]] {
    var types: [String: [String: String]] = [:]
    for (entity, table) in zip(schema.model.entities, schema.tables) {
      types[table.name, default: [:]].merge(["Z_PK": "INTEGER", "Z_ENT": "INTEGER", "Z_OPT": "INTEGER"]) {
        $1
      }
      for (_, storage) in zip(entity.properties, table.storage) {
        switch storage {
        case .attribute(let column, let type): types[table.name]?[column] = type.columnType
        case .toOne(let toOne):
          for column in [toOne.key, toOne.entity, toOne.order].compactMap(\.self) {
            types[table.name]?[column] = "INTEGER"
          }
        case .memory, .inverse, .join: break
        }
      }
    }
    return types
  }

  private func constraints(
    _ table: String, key: Set<String>, _ types: [String: String] = [:]
  ) throws -> [String] {
    var lines: [String] = []
    let columns = try connection.prepare(
      "SELECT name, \"notnull\", dflt_value IS NULL, pk, hidden, upper(type) FROM pragma_table_xinfo(?)")
    try columns.bind(table, at: 1)
    var found: Set<String> = []
    while try columns.step() {
      let column = columns.text(0)
      if columns.int64(1) != 0 { lines.append("\(table).\(column) must have a value") }
      if columns.int64(2) == 0 { lines.append("\(table).\(column) has a value by itself") }
      if columns.int64(3) > 0 { found.insert(column) }
      if columns.int64(4) != 0 { lines.append("\(table).\(column) is computed") }
      if let type = types[column], type != columns.text(5) {
        lines.append("\(table).\(column) is declared as \(columns.text(5).prefix(32)) in place of \(type)")
      }
    }
    if found != key { lines.append("\(table) has another primary key") }
    let list = try connection.prepare("SELECT count(*) FROM pragma_table_list(?) WHERE strict OR wr")
    try list.bind(table, at: 1)
    if try list.step(), list.int64(0) > 0 { lines.append("\(table) is a table of another kind") }
    let keys = try connection.prepare("SELECT count(*) FROM pragma_foreign_key_list(?)")
    try keys.bind(table, at: 1)
    if try keys.step(), keys.int64(0) > 0 { lines.append("\(table) has a foreign key") }
    return lines + (try indexes(table))
  }

  private func indexes(_ table: String) throws -> [String] {
    var lines: [String] = []
    let indexes = try connection.prepare(
      "SELECT name, \"unique\", origin, partial FROM pragma_index_list(?)")
    try indexes.bind(table, at: 1)
    while try indexes.step() {
      let name = indexes.text(0)
      let columns = try self.columns(ofIndex: name)
      if indexes.int64(3) != 0 || columns.contains(where: { $0 == nil }) {
        lines.append("\(name) is an index of an expression, or of some rows")
      }
      guard indexes.int64(1) != 0, indexes.text(2) != "pk" else { continue }
      let isOfModel = indexes.text(2) == "c" && uniqueColumns(table).contains(columns.compactMap(\.self))
      if !isOfModel { lines.append("\(name) makes values unique that are not in the model") }
    }
    return lines
  }

  /// The columns of an index in order; `nil` for what is none.
  private func columns(ofIndex name: String) throws -> [String?] {
    let rows = try connection.prepare(
      "SELECT name, cid, coll FROM pragma_index_xinfo(?) WHERE \"key\" = 1 ORDER BY seqno")
    try rows.bind(name, at: 1)
    var columns: [String?] = []
    while try rows.step() { columns.append(rows.int64(1) == -2 ? nil : rows.text(0)) }
    return columns
  }

  /// The columns of each uniqueness constraint of the entities in a table.
  private func uniqueColumns(_ table: String) -> Set<[String]> {
    var unique: Set<[String]> = []
    for (entity, layout) in zip(schema.model.entities, schema.tables) where layout.name == table {
      for constraint in entity.ownUniquenessConstraints {
        unique.insert(
          constraint.compactMap { property in
            guard let index = entity.index(of: property) else { return nil }
            switch layout.storage[index] {
            case .attribute(let column, _): return column
            case .toOne(let toOne): return toOne.key
            case .memory, .inverse, .join: return nil
            }
          })
      }
    }
    return unique
  }

  /// What SQLite would do with a row besides keeping it: a declaration tells, and nothing else does.
  private func declarations() throws -> [String] {
    var lines: [String] = []
    let names = Set(schema.tables.map(\.name) + schema.joins.map(\.name)).sorted()
    for name in names {
      let statement = try connection.first("SELECT sql FROM sqlite_master WHERE name = ?", .text(name))
      guard case .text(let sql)? = statement,
        let word = sql.uppercased().firstMatch(of: /\b(AUTOINCREMENT|COLLATE|CONFLICT)\b/)
      else { continue }
      lines.append("\(name) is declared with \(word.1)")
    }
    return lines
  }

  /// Values of columns that SQLite takes as they are and nobody could count on: who compares them finds them changed for ever.
  private func numbers() throws -> [String] {
    var lines: [String] = []
    for (table, types) in columnTypes().sorted(by: { $0.key < $1.key }) {
      let strange = types.filter { $0.key == "Z_ENT" || $0.key == "Z_OPT" }.keys.sorted()
        .map { "typeof(\(quote($0))) NOT IN ('integer', 'null')" }
      let found = try connection.first(
        "SELECT 1 FROM \(quote(table)) WHERE \(strange.joined(separator: " OR ")) LIMIT 1")
      if found != nil { lines.append("\(table) holds rows without an entity or a version") }
    }
    return lines
  }

  /// Links that lead to keys that nobody has had yet: the next object to be made would have them.
  private func links() throws -> [String] {
    var lines: [String] = []
    func check(_ column: String, of table: String, leadingTo other: Int) throws {
      // Keys are counted for the topmost entity of a table.
      let family = schema.tables[other].name
      let root = schema.model.entities.indices.first {
        schema.model.entities[$0].parent == nil && schema.tables[$0].name == family
      }
      guard let root else { return }
      let ahead = try connection.first(
        """
        SELECT 1 FROM \(quote(table)) WHERE \(quote(column)) > (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?) LIMIT 1
        """, .integer(schema.tables[root].number))
      if ahead != nil { lines.append("\(table).\(column) leads to objects that are yet to come") }
    }
    for join in schema.joins {
      try check(join.sourceColumn, of: join.name, leadingTo: join.sourceEntity)
      if !join.isInTarget { try check(join.targetColumn, of: join.name, leadingTo: join.targetEntity) }
    }
    for (entity, table) in zip(schema.model.entities, schema.tables) {
      for (property, storage) in zip(entity.properties, table.storage) {
        guard case .toOne(let toOne) = storage, let relationship = property.asRelationship else { continue }
        try check(toOne.key, of: table.name, leadingTo: relationship.destinationIndex)
      }
    }
    return lines
  }

  /// Whether there are keys left for new rows, and those that come next are nobody's.
  private func counters() throws -> [String] {
    var lines: [String] = []
    for (entity, table) in zip(schema.model.entities, schema.tables) where entity.parent == nil {
      let last = try connection.first(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", .integer(table.number))
      let greatest = try connection.first("SELECT ifnull(max(Z_PK), 0) FROM \(quote(table.name))")
      for value in [last, greatest] {
        guard case .integer(let key)? = value, (0..<KeyCounter.limit).contains(key) else {
          lines.append("\(entity.name) has no keys left for new objects")
          break
        }
      }
      if case (.integer(let counted)?, .integer(let used)?) = (last, greatest), counted < used {
        lines.append("\(entity.name) has objects beyond the last key that was given")
      }
    }
    return lines
  }
}

extension PersistentStore {
  /// Refuses a store that came from elsewhere and whose tables demand more of their rows than the model, or have no keys left: what others
  /// save could not be saved in it. For copies of stores that somebody has uploaded, before they are used.
  ///
  /// - Throws: ``StoreError`` with `modelMismatch`, or `database`.
  public func requireTablesOfModel() throws(StoreError) {
    let connection = try newConnection()
    let lines: [String]
    do {
      lines = try StoreTablesCheck(schema: schema, connection: connection).differences()
    } catch let error as SQLiteError {
      throw StoreError(.database(error), path: path)
    } catch {
      throw StoreError(.damagedMetadata(String(describing: error)), path: path)
    }
    if !lines.isEmpty { throw StoreError(.modelMismatch(lines), path: path) }
  }
}
