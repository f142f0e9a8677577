import TICDSSQLite

/// One step of a migration, from one version of a model to the next, inside the caller's transaction.
///
/// The old tables are put aside under other names, new ones are made and filled, and the old ones go.
struct MigrationStep {
  /// What is put before the names of the old tables.
  private static let prefix = "TICDS_OLD_"

  let migration: Migration
  let source: ManagedObjectModel
  let target: ManagedObjectModel
  let path: String
  /// Position among the steps, from 1.
  let number: Int
  /// How many steps there are.
  let count: Int

  func run(on connection: Connection) throws {
    let transformers = migration.transformers.filter {
      $0.source == nil || $0.source == source.versionHashes
    }
    var mapping = ModelMapping(from: source, to: target)
    let inference = MigrationInference(mapping: mapping, transformed: Set(transformers.map(\.entity)))
    let problems = inference.problems()
    if !problems.isEmpty { throw StoreError(.cannotInfer(problems), path: path) }

    let present = try StoreOpening.layout(of: source, connection, path: path)
    var assembly = SchemaAssembly(model: target, oneWay: try oneWayLayout(of: present, connection))
    let schema = assembly.assemble(path: path)
    let counters = try KeyShift(source: present, target: schema).apply(to: &mapping, connection)

    try putAside(present, connection)
    let old = present.renamed { Self.prefix + $0 }
    for statement in StoreCreation(schema: schema).tableStatements() { try connection.run(statement) }
    let transfer = MigrationTransfer(
      mapping: mapping, source: old, target: schema, path: path, isCustom: !transformers.isEmpty)
    let total = try transfer.rowCount(connection)
    var written = 0
    func advance(_ objects: Int) throws {
      try Task.checkCancellation()
      written += objects
      migration.report(
        MigrationProgress(step: number, stepCount: count, objects: written, objectCount: total))
    }
    try advance(0)
    for entity in mapping.entities { try advance(transfer.copyRows(of: entity, connection)) }
    try transfer.fillRelationships(connection)
    // Before transformations, which may make objects.
    try writeNumbers(schema, counters, connection)
    for transformer in transformers {
      try ObjectTransformation(mapping: mapping, source: old, target: schema, path: path)
        .run(transformer, on: connection)
    }
    try DerivedColumns(mapping: mapping, schema: schema, isCustom: !transformers.isEmpty, path: path)
      .fill(connection)
    // What a synchronised store repeats, others may have written: whoever synchronises it settles that.
    let settlesConstraints = try MigrationJournal.isKept(in: connection)
    let check = MigrationCheck(
      mapping: mapping, schema: schema, uuid: try uuid(connection), path: path,
      admitsRepeatedValues: settlesConstraints)
    try check.run(on: connection)
    for statement in StoreCreation(schema: schema).indexStatements() { try connection.run(statement) }
    try schema.completeConstraints(connection)
    _ = try StoreCreation(schema: schema).addTriggers(to: connection)
    try writeModel(schema, present, connection)
    try MigrationJournal(mapping: mapping, source: old).write(to: connection)
    for participant in migration.participants {
      try participant.storeWillMigrate(mapping, on: connection)
    }
    try dropOldTables(old, connection)
  }

  /// A store stays of the kind that it is; one that Core Data alone has written is to be opened by it again.
  private func oneWayLayout(
    of present: StoreSchema, _ connection: Connection
  ) throws -> SchemaAssembly.OneWayLayout {
    let oneWay = present.joins.filter {
      present.model.entities[$0.sourceEntity].relationship(at: $0.sourceProperty)?.inverse == nil
    }
    if !oneWay.isEmpty { return oneWay.contains(where: \.isInTarget) ? .ownerColumn : .links }
    let own = try connection.first("SELECT 1 FROM sqlite_master WHERE substr(name, 1, 6) = 'TICDS_'")
    return own == nil ? .ownerColumn : .links
  }

  private func uuid(_ connection: Connection) throws -> String {
    guard case .text(let uuid)? = try connection.first("SELECT Z_UUID FROM Z_METADATA") else { return "" }
    return uuid
  }

  private static func tableNames(_ schema: StoreSchema) -> [String] {
    Set(schema.tables.map(\.name) + schema.joins.map(\.name)).sorted()
  }

  /// Renames the old tables and removes what hangs on them, so that the new ones can have theirs.
  private func putAside(_ schema: StoreSchema, _ connection: Connection) throws {
    connection.clearStatementCache()
    for table in Self.tableNames(schema) {
      let parts = try connection.prepare(
        """
        SELECT type, name FROM sqlite_master
        WHERE tbl_name = ? COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL
        """)
      try parts.bind(table, at: 1)
      var drops: [String] = []
      while try parts.step() { drops.append("DROP \(parts.text(0)) \(quote(parts.text(1)))") }
      for drop in drops { try connection.execute(script: drop) }
      try connection.execute(script: "ALTER TABLE \(quote(table)) RENAME TO \(quote(Self.prefix + table))")
    }
  }

  private func dropOldTables(_ schema: StoreSchema, _ connection: Connection) throws {
    connection.clearStatementCache()
    for table in Self.tableNames(schema) { try connection.execute(script: "DROP TABLE \(quote(table))") }
  }

  /// Writes the entities' numbers and counters of keys. Numbers from 16001 on are of persistent history.
  private func writeNumbers(
    _ schema: StoreSchema, _ counters: [Int64], _ connection: Connection
  ) throws {
    try connection.run("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < 16001")
    for (entity, table) in zip(schema.model.entities, schema.tables) {
      let parent = entity.parent.map { schema.tables[$0.index].number } ?? 0
      try connection.run(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)",
        .integer(table.number), .text(entity.name), .integer(parent), .integer(counters[entity.index]))
    }
  }

  private func writeModel(_ schema: StoreSchema, _ old: StoreSchema, _ connection: Connection) throws {
    try forgetHistory(schema, old, connection)
    try EmbeddedModel.remove(from: connection)
    try EmbeddedModel.write(schema.model, to: connection)
  }

  /// Core Data's persistent history names entities by number. Once those have changed it would tell lies, so it goes; its
  /// readers then find that their token is too old, which they must be prepared for.
  private func forgetHistory(_ schema: StoreSchema, _ old: StoreSchema, _ connection: Connection) throws {
    let isUnchanged = zip(old.model.entities, old.tables).allSatisfy { entity, table in
      schema.model.entity(named: entity.name).map { schema.tables[$0.index].number } == table.number
    }
    if isUnchanged { return }
    for table in ["ACHANGE", "ATRANSACTION"]
    where try connection.first("SELECT 1 FROM sqlite_master WHERE name = ?", .text(table)) != nil {
      try connection.run("DELETE FROM \(table)")
    }
  }
}

extension StoreSchema {
  /// The same layout with tables of other names.
  func renamed(_ name: (String) -> String) -> StoreSchema {
    func renamed(_ join: JoinTable) -> JoinTable {
      JoinTable(
        index: join.index, name: name(join.name), sourceEntity: join.sourceEntity,
        sourceProperty: join.sourceProperty, targetEntity: join.targetEntity, sourceColumn: join.sourceColumn,
        targetColumn: join.targetColumn, targetOrder: join.targetOrder, sourceOrder: join.sourceOrder,
        isReflexive: join.isReflexive, isInTarget: join.isInTarget)
    }
    return StoreSchema(
      model: model,
      tables: tables.map { table in
        EntityTable(
          number: table.number, name: name(table.name), rootNumber: table.rootNumber,
          isShared: table.isShared,
          storage: table.storage.map { storage in
            guard case .join(let side) = storage else { return storage }
            return .join(JoinSide(table: renamed(side.table), isReversed: side.isReversed))
          })
      }, joins: joins.map(renamed), externalValues: externalValues)
  }
}
