import TICDSSQLite

/// Makes the tables of a new store as Core Data makes them.
struct StoreCreation {
  let schema: StoreSchema
  private let names: StoreNames

  init(schema: StoreSchema) {
    self.schema = schema
    names = StoreNames(model: schema.model, numbers: schema.tables.map(\.number))
  }

  /// Makes all tables and indexes and the store's metadata, inside the caller's transaction.
  func run(on connection: Connection, metadata: StoreMetadata) throws {
    for statement in tableStatements() + indexStatements() + constraintStatements(ifMissing: false) {
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

  /// Makes the triggers of derived attributes, and returns which attributes have any. Rows that are written before get no values by
  /// them.
  func addTriggers(to connection: Connection) throws -> Set<StoreNames.Property> {
    for statement in triggerStatements() { try connection.run(statement) }
    return Set(DerivationTriggers(schema: schema).all().map(\.property))
  }

  /// The statements that make the triggers of derived attributes.
  func triggerStatements(restrictingRoots: Bool = false) -> [String] {
    DerivationTriggers(schema: schema, restrictsRoots: restrictingRoots).all().flatMap(\.triggers).map(
      \.statement)
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
    for join in schema.joins where !join.isInTarget {
      let keys = "\(quote(join.sourceColumn)), \(quote(join.targetColumn))"
      let columns = [join.sourceColumn, join.targetColumn, join.sourceOrder, join.targetOrder].compactMap {
        $0
      }
      let list = columns.map { "\(quote($0)) INTEGER" }.joined(separator: ", ")
      statements.append("CREATE TABLE \(quote(join.name)) ( \(list), PRIMARY KEY (\(keys)) )")
    }
    return statements
  }

  /// The columns of all entities of a family, in Core Data's order: by kind, then by entity, then by name of the property.
  private func columns(ofFamily root: EntityDescription) -> [String] {
    var blocks: [Int: [String]] = [:]
    var late: [String] = []
    func add(_ column: String, _ type: String, to block: Int) {
      blocks[block, default: []].append("\(quote(column)) \(type)")
    }
    for index in root.familyIndices {
      let entity = schema.model.entities[index]
      let own = zip(entity.properties, schema.tables[index].storage)
        .filter { entity.ownPropertyNames.contains($0.0.name) }
        .sorted { $0.0.name.utf8.lexicographicallyPrecedes($1.0.name.utf8) }
      var attributes: [(block: Int, column: String, type: String)] = []
      for case (_, .attribute(let column, let type)) in own {
        attributes.append((Self.block(of: type), column, type.columnType))
      }
      for attribute in attributes { add(attribute.column, attribute.type, to: attribute.block) }
      let toOnes = own.compactMap { property -> ToOneColumns? in
        if case (_, .toOne(let columns)) = property { columns } else { nil }
      }
      for columns in toOnes {
        for column in [columns.key, columns.entity].compactMap(\.self) { add(column, "INTEGER", to: 0) }
      }
      let owners = schema.joins.filter { $0.isInTarget && $0.targetEntity == index }
      late +=
        toOnes.compactMap(\.order) + owners.flatMap { [$0.sourceColumn, $0.targetOrder].compactMap(\.self) }
    }
    // Columns that come of two entities stand in the order in which they come up, which is not that of their names.
    let order = names.lateColumns[root.index] ?? []
    let places = Dictionary(zip(order, order.indices), uniquingKeysWith: { first, _ in first })
    for column in late.sorted(by: { places[$0, default: 0] < places[$1, default: 0] }) {
      add(column, "INTEGER", to: 0)
    }
    return blocks.sorted { $0.key < $1.key }.flatMap(\.value)
  }

  private static func block(of type: AttributeType) -> Int {
    switch type.columnType {
    case "INTEGER": 0
    case "TIMESTAMP", "FLOAT": 1
    case "DECIMAL": 2
    case "VARCHAR": type == .uri ? 5 : 3
    default: type == .uuid ? 4 : type == .transformable ? 6 : 7
    }
  }

  /// The statements that make the indexes of uniqueness constraints.
  func constraintStatements(ifMissing: Bool) -> [String] {
    zip(schema.model.entities, schema.tables).flatMap { entity, table in
      entity.ownUniquenessConstraints.map { constraint in
        let title = "Z_\(entity.name)_UNIQUE_" + constraint.joined(separator: "_")
        return
          "CREATE UNIQUE INDEX \(ifMissing ? "IF NOT EXISTS " : "")\(quote(title)) ON \(quote(table.name)) "
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
          "CREATE INDEX \(quote("Z_\(entity.name)_\(index.name)")) ON \(name) "
            + "(\(list(index.properties, of: entity, descending: index.descending)))")
      }
    }
    for join in schema.joins {
      if join.isInTarget {
        statements.append(
          "CREATE INDEX \(quote("\(join.name)_\(join.sourceColumn)_INDEX")) ON \(quote(join.name)) "
            + "(\(quote(join.sourceColumn)))")
        continue
      }
      statements.append(
        "CREATE INDEX \(quote("\(join.name)_\(join.targetColumn)_INDEX")) ON \(quote(join.name)) "
          + "(\(quote(join.targetColumn)), \(quote(join.sourceColumn)))")
    }
    return statements
  }

  private func list(
    _ properties: [String], of entity: EntityDescription, descending: Set<String> = []
  ) -> String {
    let storage = schema.table(of: entity).storage
    return properties.compactMap { name in
      guard let index = entity.index(of: name) else { return nil }
      let direction = descending.contains(name) ? "DESC" : "ASC"
      switch storage[index] {
      case .attribute(let column, _): return "\(quote(column)) COLLATE BINARY \(direction)"
      case .toOne(let toOne): return "\(quote(toOne.key)) COLLATE BINARY \(direction)"
      case .memory, .inverse, .join: return nil
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
