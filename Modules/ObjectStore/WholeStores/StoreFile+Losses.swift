import TICDSSQLite

extension StoreFile {
  /// What the objects of this store, as they are read with its ``model``, do not say: columns and tables of which the model knows
  /// nothing, rows of unknown entities, links that lead nowhere, values of other kinds than their attributes have, and files of long values
  /// where no model tells which attributes have any.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  public func unreadContents() throws -> [StoreLoss] {
    guard let persistentStore else { return [] }
    let (schema, connection) = (persistentStore.schema, try persistentStore.newConnection())
    var losses = try UnreadContents(schema: schema, connection: connection).losses()
    losses += try MisfitValues(schema: schema, connection: connection).losses()
    if modelOrigin == .derived { losses += LostFiles.unexplained(ExternalValues(storePath: path)) }
    return losses
  }

  /// - Parameter isMissed: whether a value whose file is missing is lost, too.
  private func lostFiles(_ isMissed: (EntityDescription, AttributeDescription) -> Bool) throws -> [StoreLoss]
  {
    guard let persistentStore, let values = persistentStore.schema.externalValues else { return [] }
    return try LostFiles(
      schema: persistentStore.schema, connection: persistentStore.newConnection(), values: values
    ).losses(isMissed)
  }

  /// What a copy of this store would not have.
  ///
  /// - Parameter kind: The kind of the copy.
  /// - Throws: ``StoreError`` or ``BinaryStoreError`` if the store cannot be read.
  public func losses(copyingAs kind: Kind) throws -> [StoreLoss] {
    var losses = try unreadContents()
    if kind == .binary, let persistentStore {
      losses += try HistoryTables(connection: persistentStore.newConnection()).losses(
        "of persistent history, which a binary store does not keep")
    }
    losses += try lostLinks(copyingAs: kind)
    // A copy of the other kind has no reference that tells of a missing file.
    return try losses + lostFiles { _, _ in kind != self.kind }
  }

  /// What a migration of this store would drop besides the properties that the new model leaves out: objects of entities that it does not
  /// have, contents that the present model does not explain, and history that cannot go along.
  ///
  /// - Throws: ``StoreError`` if the store cannot be read.
  public func losses(migratingTo model: ManagedObjectModel) throws -> [StoreLoss] {
    guard let persistentStore else { return [] }
    var losses = try unreadContents()
    let schema = persistentStore.schema
    let keepsNumbers = zip(schema.model.entities, schema.tables).allSatisfy { entity, table in
      model.entity(named: entity.name).map { Int64($0.index + 1) } == table.number
    }
    let mapping = ModelMapping(from: schema.model, to: model)
    let connection = try persistentStore.newConnection()
    for (entity, table) in zip(schema.model.entities, schema.tables)
    where !entity.isAbstract && mapping.entity(from: entity) == nil {
      let count = try connection.first(
        "SELECT count(*) FROM \(quote(table.name)) WHERE Z_ENT = \(table.number)")
      guard case .integer(let count)? = count, count > 0 else { continue }
      losses.append(
        StoreLoss(entity.name, Int(count), "objects of an entity that the new model does not have"))
    }
    if !keepsNumbers {
      losses += try HistoryTables(connection: persistentStore.newConnection()).losses(
        "of persistent history, which tells entities by numbers that they do not keep")
    }
    return try losses
      + lostFiles { entity, attribute in
        guard let mapped = mapping.entity(from: entity),
          let place = mapped.properties.firstIndex(of: entity.index(of: attribute.name))
        else { return false }
        return mapped.target.attribute(at: place)?.isMarkedExternal == false
      }
  }

  /// What is missing from this store and so from a copy of the same kind: objects that links lead to, and files that hold values.
  ///
  /// Keeps the keys of all objects in memory, and nothing else of them.
  /// - Throws: ``StoreError`` or ``BinaryStoreError`` if the store cannot be read.
  public func missingContents() throws -> [StoreLoss] {
    let source = try objects()
    var present: Set<StoredObject.Reference> = []
    try source.forEachObject(of: nil) { present.insert($0.reference) }
    var targets: [String: Int] = [:]
    var files: [String: Int] = [:]
    try source.forEachObject(of: nil) { object in
      let entity = model.entities[object.reference.entity]
      func place(_ index: Int) -> String { "\(entity.name).\(entity.properties[index].name)" }
      for index in object.missingFiles.indices { files[place(index), default: 0] += 1 }
      for (offset, members) in object.relationships.enumerated() {
        let count = members.count { !present.contains($0) }
        if count > 0 { targets[place(entity.attributeCount + offset), default: 0] += count }
      }
    }
    return losses(targets, "links to objects that are not in the store")
      + losses(files, "values in files beside the store that are missing")
  }

  private func losses(_ counts: [String: Int], _ reason: String) -> [StoreLoss] {
    counts.sorted { $0.key < $1.key }.map { StoreLoss($0.key, $0.value, reason) }
  }

  private func lostLinks(copyingAs kind: Kind) throws -> [StoreLoss] {
    let source = try objects()
    var present: Set<StoredObject.Reference> = []
    if kind == .binary { try source.forEachObject(of: nil) { present.insert($0.reference) } }
    var strangers: [String: Int] = [:]
    var missing: [String: Int] = [:]
    var shared: [String: Int] = [:]
    var owned: [String: Set<StoredObject.Reference>] = [:]
    var notNumbers: [String: Int] = [:]
    try source.forEachObject(of: nil) { object in
      let entity = model.entities[object.reference.entity]
      if kind == .sqlite {
        for (index, value) in object.attributes.enumerated() where value.isNotANumber {
          notNumbers["\(entity.name).\(entity.properties[index].name)", default: 0] += 1
        }
      }
      for (offset, targets) in object.relationships.enumerated() where !targets.isEmpty {
        guard let relationship = entity.relationship(at: entity.attributeCount + offset) else { continue }
        let place = "\(model.entities[relationship.ownerIndex].name).\(relationship.name)"
        let destination = model.entities[relationship.destinationIndex]
        for target in targets {
          if kind == .binary {
            if !present.contains(target) { missing[place, default: 0] += 1 }
          } else if !model.entities[target.entity].isKind(of: destination) {
            strangers[place, default: 0] += 1
          } else if relationship.isToMany, relationship.inverse == nil, oneWayLayout == .ownerColumn,
            !owned[place, default: []].insert(target).inserted
          {
            shared[place, default: 0] += 1
          }
        }
      }
    }
    return losses(
      strangers, "links to objects of another entity than the model says, which tables cannot keep")
      + losses(missing, "links to objects that are not in the store, which a binary store cannot have")
      + losses(shared, "links to objects of another owner, where a row names one owner only")
      + losses(notNumbers, "results that are no numbers (NaN), in whose place SQLite keeps nothing")
  }

  /// How a copy keeps relationships to many objects without inverse: as this store does. A model that was derived from a binary store
  /// knows no inverses, so these relationships may lead to objects of any number of owners.
  var oneWayLayout: SchemaAssembly.OneWayLayout {
    guard let schema = persistentStore?.schema else { return modelOrigin == .derived ? .links : .ownerColumn }
    let hasLinks = schema.joins.contains { join in
      !join.isInTarget
        && model.entities[join.sourceEntity].relationship(at: join.sourceProperty)?.inverse == nil
    }
    return hasLinks ? .links : .ownerColumn
  }
}

/// Finds what an SQLite store has and its model does not explain.
struct UnreadContents {
  let schema: StoreSchema
  let connection: Connection

  static let own: Set<String> = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]

  func losses() throws -> [StoreLoss] { try unexplained() + strays() }

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
      let count = try count(
        "SELECT count(*) FROM \(quote(table.name)) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers))")
      if count > 0 {
        losses.append(StoreLoss(table.name, count, "rows of entities that the store does not list"))
      }
      let keyless = try self.count(
        "SELECT count(*) FROM \(quote(table.name)) WHERE typeof(Z_PK) <> 'integer'")
      if keyless > 0 { losses.append(StoreLoss(table.name, keyless, "rows whose key is no number")) }
    }
    for join in schema.joins {
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
