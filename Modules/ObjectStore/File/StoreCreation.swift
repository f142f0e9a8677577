import SQLite

/// Makes the tables of a new store as Core Data makes them.
struct StoreCreation {
  let schema: StoreSchema

  /// Makes all tables and indexes and the store's metadata, inside the caller's transaction.
  func run(on connection: Connection, metadata: StoreMetadata) throws {
    for statement in tableStatements() + indexStatements() + constraintStatements() {
      try connection.run(statement)
    }
    try connection.run(
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)")
    for (entity, table) in zip(schema.model.entities, schema.tables) {
      let parent = entity.parent.map { schema.tables[$0.index].number } ?? 0
      try connection.run(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)",
        .integer(table.number),
        .text(entity.name), .integer(parent))
    }
    try connection.run(
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)")
    try connection.run(
      "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)", .text(metadata.uuid),
      .blob(metadata.propertyList))
  }

  /// The statements that make the entity and join tables.
  func tableStatements() -> [String] {
    var statements: [String] = []
    for entity in schema.model.entities where entity.parent == nil {
      let columns =
        ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"] + columns(ofFamily: entity)
      statements.append(
        "CREATE TABLE \(quote(schema.table(of: entity).name)) ( \(columns.joined(separator: ", ")) )")
    }
    for join in schema.joins {
      let keys = "\(quote(join.sourceColumn)), \(quote(join.targetColumn))"
      let columns = [join.sourceColumn, join.targetColumn, join.sourceOrder, join.targetOrder].compactMap {
        $0
      }
      let list = columns.map { "\(quote($0)) INTEGER" }.joined(separator: ", ")
      statements.append("CREATE TABLE \(quote(join.name)) ( \(list), PRIMARY KEY (\(keys)) )")
    }
    return statements
  }

  /// The columns of all entities of a family, in Core Data's order: by kind, then by name.
  private func columns(ofFamily root: EntityDescription) -> [String] {
    var columns: [(rank: Int, name: String, type: String)] = []
    for index in root.familyIndices {
      let entity = schema.model.entities[index]
      for (position, storage) in schema.tables[index].storage.enumerated()
      where entity.ownPropertyNames.contains(entity.properties[position].name) {
        switch storage {
        case .attribute(let column, let type):
          let rank =
            switch type.columnType {
            case "INTEGER": 0
            case "TIMESTAMP": 3
            case "FLOAT", "DECIMAL": 4
            case "VARCHAR": 5
            default: 6
            }
          columns.append((rank, column, type.columnType))
        case .toOne(let toOne):
          columns.append((1, toOne.key, "INTEGER"))
          if let entity = toOne.entity { columns.append((1, entity, "INTEGER")) }
          if let order = toOne.order { columns.append((2, order, "INTEGER")) }
        case .memory, .inverse, .join: break
        }
      }
    }
    return columns.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }.map { "\(quote($0.name)) \($0.type)" }
  }

  /// The statements that make the indexes of uniqueness constraints, where they are missing.
  func constraintStatements() -> [String] {
    zip(schema.model.entities, schema.tables).flatMap { entity, table in
      entity.ownUniquenessConstraints.map { constraint in
        let title = "Z_\(entity.name)_UNIQUE_" + constraint.joined(separator: "_")
        return "CREATE UNIQUE INDEX IF NOT EXISTS \(quote(title)) ON \(quote(table.name)) "
          + "(\(list(constraint, of: entity)))"
      }
    }
  }

  /// The statements that make the other indexes.
  func indexStatements() -> [String] {
    var statements: [String] = []
    for (entity, table) in zip(schema.model.entities, schema.tables) {
      let name = quote(table.name)
      if entity.parent == nil, table.isShared {
        statements.append("CREATE INDEX \(quote("\(table.name)_Z_ENT_INDEX")) ON \(name) (Z_ENT)")
      }
      for (property, storage) in zip(entity.properties, table.storage)
      where entity.ownPropertyNames.contains(property.name) {
        switch storage {
        case .toOne(let toOne):
          statements.append(
            "CREATE INDEX \(quote("\(table.name)_\(toOne.key)_INDEX")) ON \(name) (\(quote(toOne.key)))")
        case .attribute(let column, _) where property.asAttribute?.isIndexed == true:
          statements.append(
            "CREATE INDEX \(quote("Z_\(entity.name)_\(property.name)")) ON \(name) (\(quote(column)) COLLATE BINARY ASC)"
          )
        default: break
        }
      }
      for index in entity.indexes {
        statements.append(
          "CREATE INDEX \(quote("Z_\(entity.name)_\(index.name)")) ON \(name) (\(list(index.properties, of: entity)))"
        )
      }
    }
    for join in schema.joins {
      statements.append(
        "CREATE INDEX \(quote("\(join.name)_\(join.targetColumn)_INDEX")) ON \(quote(join.name)) "
          + "(\(quote(join.targetColumn)), \(quote(join.sourceColumn)))")
    }
    return statements
  }

  private func list(_ properties: [String], of entity: EntityDescription) -> String {
    let storage = schema.table(of: entity).storage
    return properties.compactMap { entity.index(of: $0) }.compactMap { index in
      switch storage[index] {
      case .attribute(let column, _): "\(quote(column)) COLLATE BINARY ASC"
      case .toOne(let toOne): "\(quote(toOne.key)) COLLATE BINARY ASC"
      case .memory, .inverse, .join: nil
      }
    }.joined(separator: ", ")
  }
}

/// A name as SQL wants it; plain names stay as they are.
func quote(_ name: String) -> String {
  let isPlain = name.utf8.allSatisfy {
    (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
  }
  return isPlain ? name : "\"" + name.replacing("\"", with: "\"\"") + "\""
}
