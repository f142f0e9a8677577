import TICDSSQLite

/// Finds what an SQLite store has and its model does not explain.
struct UnreadContents {
  let schema: StoreSchema
  let connection: Connection

  static let own: Set<String> = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]

  func losses() throws -> [StoreLoss] { try unexplained() + misplaced() + strays() }

  /// Values in columns of properties that the entity of their row does not have, as when another program has turned an object into one of
  /// another entity.
  func misplaced() throws -> [StoreLoss] {
    try schema.model.entities.filter { $0.parent == nil && $0.familyIndices.count > 1 }
      .flatMap(misplaced(inFamilyOf:))
  }

  private func misplaced(inFamilyOf root: EntityDescription) throws -> [StoreLoss] {
    let family = root.familyIndices.map { (entity: schema.model.entities[$0], table: schema.tables[$0]) }
    var owners: [String: Set<Int64>] = [:]
    var defaults: [String: AttributeValue] = [:]
    for (entity, table) in family {
      for (index, storage) in table.storage.enumerated() {
        switch storage {
        // Triggers of Core Data's compute derived attributes in rows of all entities of a table.
        case .attribute where entity.attribute(at: index)?.derivation != nil: break
        case .attribute(let column, _):
          owners[column, default: []].insert(table.number)
          defaults[column] = entity.attribute(at: index)?.defaultValue
        case .toOne(let columns): owners[columns.key, default: []].insert(table.number)
        case .memory, .inverse, .join: break
        }
      }
    }
    // Of an abstract entity the whole row is named.
    let numbers = list(family.filter { !$0.entity.isAbstract }.map(\.table.number))
    let name = schema.table(of: root).name
    let columns = owners.filter { $0.value.count < family.count }.sorted { $0.key < $1.key }
    if columns.isEmpty { return [] }
    // A migration of Core Data's fills a new column in all rows, with zeros or what an attribute has by default.
    let counts = columns.map { column, owners in
      "total(Z_ENT NOT IN (\(list(owners.sorted()))) AND \(quote(column)) <> 0 AND \(quote(column)) IS NOT ?)"
    }
    let statement = try connection.prepare(
      "SELECT \(counts.joined(separator: ", ")) FROM \(quote(name)) WHERE Z_ENT IN (\(numbers))")
    for (index, column) in columns.enumerated() {
      try statement.bind(defaults[column.key] ?? .null, at: index + 1)
    }
    guard try statement.step() else { return [] }
    return columns.enumerated().compactMap { index, column in
      let count = Int(statement.double(index))
      if count == 0 { return nil }
      return StoreLoss(
        "\(name).\(column.key)", count, "values in rows of entities that have no such property")
    }
  }

  private func list(_ numbers: [Int64]) -> String { numbers.map { String($0) }.joined(separator: ", ") }

  /// Tables and columns that the model does not explain, with something in them.
  func unexplained() throws -> [StoreLoss] {
    let known = schema.knownColumns()
    var losses: [StoreLoss] = []
    for (table, columns) in try tables() where !Self.own.contains(table) {
      guard let explained = known[table] else {
        let count = try count("SELECT count(*) FROM \(quote(table))")
        if count > 0 {
          losses.append(StoreLoss(table, count, "rows of a table that the model does not explain"))
        }
        continue
      }
      for column in columns where !explained.contains(column) {
        let count = try count("SELECT count(\(quote(column))) FROM \(quote(table))")
        if count > 0 {
          losses.append(
            StoreLoss("\(table).\(column)", count, "values of a column that the model does not explain"))
        }
      }
    }
    return losses
  }

  /// Rows and links in known tables that belong to nothing.
  private func strays() throws -> [StoreLoss] {
    var losses: [StoreLoss] = []
    for (entity, table) in zip(schema.model.entities, schema.tables) where entity.parent == nil {
      let numbers = entity.familyIndices.map { String(schema.tables[$0].number) }.joined(separator: ", ")
      let kinds = [
        ("Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers))", "rows of entities that the store does not list"),
        ("Z_ENT IN (\(schema.abstractNumbers(in: entity)))", "rows of entities that are abstract"),
        ("typeof(Z_PK) <> 'integer'", "rows whose key is no number"),
        ("typeof(Z_PK) = 'integer' AND Z_PK < 1", "rows whose key is less than 1, which no object has"),
      ]
      let counts = kinds.map { "total(\($0.0))" }.joined(separator: ", ")
      let statement = try connection.prepare("SELECT \(counts) FROM \(quote(table.name))")
      guard try statement.step() else { continue }
      for (index, kind) in kinds.enumerated() {
        let count = Int(statement.double(index))
        if count > 0 { losses.append(StoreLoss(table.name, count, kind.1)) }
      }
    }
    for join in schema.joins {
      let halves = try join.halfCondition.map {
        try count("SELECT count(*) FROM \(quote(join.name)) WHERE \($0)")
      }
      if let halves, halves > 0 {
        losses.append(StoreLoss(join.name, halves, "links that name no object on one side"))
      }
      for (column, entity) in [
        (join.sourceColumn, join.sourceEntity), (join.targetColumn, join.targetEntity),
      ] {
        let count = try count(
          """
          SELECT count(*) FROM \(quote(join.name)) j LEFT JOIN \(quote(schema.tables[entity].name)) d \
          ON d.Z_PK = j.\(quote(column)) WHERE d.Z_PK IS NULL AND j.\(quote(column)) IS NOT NULL
          """)
        if count > 0 {
          losses.append(
            StoreLoss(join.name, count, "links that lead to no \(schema.model.entities[entity].name)"))
        }
      }
    }
    return losses
  }

  private func count(_ sql: String) throws(SQLiteError) -> Int {
    if case .integer(let count)? = try connection.first(sql) { Int(clamping: count) } else { 0 }
  }

  /// All tables with their columns but those of SQLite, of Core Data's persistent history and of this library.
  private func tables() throws -> [(name: String, columns: [String])] {
    let listing = try connection.prepare(
      """
      SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' \
      AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name NOT LIKE 'TICDS\\_%' ESCAPE '\\' ORDER BY t.name, c.cid
      """)
    var tables: [(name: String, columns: [String])] = []
    while try listing.step() {
      if tables.last?.name != listing.text(0) { tables.append((listing.text(0), [])) }
      tables[tables.count - 1].columns.append(listing.text(1))
    }
    return tables.filter { !HistoryTables.names.contains($0.name) }
  }
}

extension StoreSchema {
  /// The numbers of the abstract entities that have a root, as a list of SQL.
  func abstractNumbers(in root: EntityDescription) -> String {
    root.familyIndices.filter { model.entities[$0].isAbstract }.map { String(tables[$0].number) }
      .joined(separator: ", ")
  }

  /// The columns that the model explains, by table.
  func knownColumns() -> [String: Set<String>] {
    var known: [String: Set<String>] = [:]
    for table in tables {
      known[table.name, default: []].formUnion(["Z_PK", "Z_ENT", "Z_OPT"])
      for storage in table.storage {
        switch storage {
        case .attribute(let column, _): known[table.name, default: []].insert(column)
        case .toOne(let columns):
          known[table.name, default: []].formUnion(
            [columns.key, columns.entity, columns.order].compactMap(\.self))
        case .memory, .inverse, .join: break
        }
      }
    }
    for join in joins {
      known[join.name, default: []].formUnion(
        [join.sourceColumn, join.targetColumn, join.sourceOrder, join.targetOrder].compactMap(\.self))
    }
    return known
  }
}

extension JoinTable {
  /// When a row of the table links nothing; `nil` where rows are objects that need no owner.
  var halfCondition: String? {
    isInTarget ? nil : "\(quote(sourceColumn)) IS NULL OR \(quote(targetColumn)) IS NULL"
  }
}
