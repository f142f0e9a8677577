import TICDSSQLite

/// Checks what only an SQLite store has: the database, the numbers of entities, the counters of keys, the join tables.
struct TableVerification {
  let store: PersistentStore

  func run(_ report: (StoreFinding) throws -> Void) throws {
    let connection = try store.newConnection()
    try checkFile(connection, report)
    try BookkeepingVerification(schema: store.schema, connection: connection).run(report)
    try checkHierarchy(connection, report)
    for (entity, table) in zip(store.model.entities, store.schema.tables) where entity.parent == nil {
      try checkEntities(entity, table, connection, report)
      try checkCounter(entity, table, connection, report)
    }
    for line in try StoreTablesCheck(schema: store.schema, connection: connection).constraints() {
      try report(StoreFinding(.hint, .constraint, line))
    }
    for join in store.schema.joins {
      try checkLinks(join, connection, report)
      if join.isReflexive { try checkBackLinks(join, connection, report) }
    }
    let unread = UnreadContents(schema: store.schema, connection: connection)
    for loss in try unread.unexplained() + unread.misplaced() {
      try report(StoreFinding(.hint, .unexplained, property: loss.place, "\(loss.count) \(loss.reason)"))
    }
    try checkKinds(connection, report)
    try DerivedValueVerification(schema: store.schema, connection: connection).run(report)
    try checkTriggers(connection, report)
    let unused = UnusedFiles(schema: store.schema, values: ExternalValues(storePath: store.path))
    for name in try unused.names(connection).sorted() {
      try report(
        StoreFinding(.hint, .unusedFile, "the file \(name) of a long value belongs to no object"))
    }
  }

  private func checkFile(_ connection: Connection, _ report: (StoreFinding) throws -> Void) throws {
    do {
      try connection.interruptedByCancellation {
        let check = try connection.prepare("PRAGMA integrity_check(100)")
        while try check.step() {
          let message = check.text(0)
          if message != "ok" { try report(StoreFinding(.error, .damagedDatabase, message)) }
        }
      }
    } catch let error as SQLiteError where error.code == .interrupted {
      throw CancellationError()
    }
  }

  /// Values that programs other than ours and Core Data's have written.
  private func checkKinds(
    _ connection: Connection, _ report: (StoreFinding) throws -> Void
  ) throws {
    let misfits = MisfitValues(schema: store.schema, connection: connection)
    for loss in try misfits.losses() + misfits.beyondRange() {
      try report(StoreFinding(.error, .misfit, property: loss.place, "\(loss.count) \(loss.reason)"))
    }
  }

  private func checkEntities(
    _ entity: EntityDescription, _ table: EntityTable, _ connection: Connection,
    _ report: (StoreFinding) throws -> Void
  ) throws {
    let numbers = entity.familyIndices.map { String(store.schema.tables[$0].number) }.joined(separator: ", ")
    let strangers = try connection.prepare(
      "SELECT Z_PK, Z_ENT FROM \(quote(table.name)) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers))")
    while try strangers.step() {
      try report(
        StoreFinding(
          .error, .unknownEntity,
          "row \(strangers.int64(0)) of \(table.name) is of entity \(strangers.int64(1)), which does not belong there"
        ))
    }
    let abstract = try connection.prepare(
      "SELECT Z_PK, Z_ENT FROM \(quote(table.name)) WHERE Z_ENT IN (\(store.schema.abstractNumbers(in: entity)))"
    )
    while try abstract.step() {
      let name = store.schema.entity(numbered: abstract.int64(1))?.name ?? entity.name
      try report(
        StoreFinding(
          .error, .unknownEntity,
          "row \(abstract.int64(0)) of \(table.name) is of entity \(name), which is abstract and has no objects"
        ))
    }
  }

  /// What the store says which entities inherit from which.
  private func checkHierarchy(
    _ connection: Connection, _ report: (StoreFinding) throws -> Void
  ) throws {
    let entities = try connection.prepare("SELECT Z_ENT, Z_SUPER FROM Z_PRIMARYKEY")
    var parents: [Int64: Int64] = [:]
    while try entities.step() { parents[entities.int64(0)] = entities.int64(1) }
    for (entity, table) in zip(store.model.entities, store.schema.tables) {
      let expected = entity.parent.map { store.schema.table(of: $0).number } ?? 0
      guard let found = parents[table.number], found != expected else { continue }
      try report(
        StoreFinding(
          .error, .hierarchy,
          "\(entity.name): the store says that it inherits from entity \(found) in place of \(expected)"))
    }
  }

  private func checkCounter(
    _ entity: EntityDescription, _ table: EntityTable, _ connection: Connection,
    _ report: (StoreFinding) throws -> Void
  ) throws {
    let counter = try connection.first(
      "SELECT ifnull(max(Z_MAX), 0) FROM Z_PRIMARYKEY WHERE Z_ENT = ?", .integer(table.rootNumber))
    guard case .integer(let counted)? = counter, (0..<KeyCounter.limit).contains(counted) else {
      try report(
        StoreFinding(.error, .keyCounter, "\(entity.name): its counter leaves no keys for new objects"))
      return
    }
    // Another program may have made the table, and then a key may be anything.
    let name = quote(table.name)
    let strange = try connection.first(
      "SELECT count(*) FROM \(name) WHERE typeof(Z_PK) <> 'integer' OR Z_PK < 1 OR Z_PK >= \(KeyCounter.limit)"
    )
    if case .integer(let count)? = strange, count > 0 {
      try report(
        StoreFinding(.error, .key, "\(entity.name): \(count) rows of \(table.name) have no usable key"))
    }
    try checkRepeatedKeys(entity, table, connection, report)
    let greatest = try connection.first("SELECT max(Z_PK) FROM \(name) WHERE typeof(Z_PK) = 'integer'")
    guard case .integer(let last)? = greatest, counted < last else { return }
    try report(
      StoreFinding(
        .error, .keyCounter, "\(entity.name): key \(last) is in use, but only \(counted) were handed out"))
  }

  /// Another program may have made the table without a primary key.
  private func checkRepeatedKeys(
    _ entity: EntityDescription, _ table: EntityTable, _ connection: Connection,
    _ report: (StoreFinding) throws -> Void
  ) throws {
    let isKey = try connection.first(
      "SELECT count(*) FROM pragma_table_info(?) WHERE name = 'Z_PK' AND pk = 1", .text(table.name))
    guard isKey == .integer(0),
      case .integer(let repeated)? = try connection.first(
        "SELECT count(Z_PK) - count(DISTINCT Z_PK) FROM \(quote(table.name))"), repeated > 0
    else { return }
    try report(
      StoreFinding(.error, .key, "\(entity.name): \(repeated) rows of \(table.name) have the key of another"))
  }

  private func checkLinks(
    _ join: JoinTable, _ connection: Connection, _ report: (StoreFinding) throws -> Void
  ) throws {
    if let condition = join.halfCondition,
      case .integer(let count)? = try connection.first(
        "SELECT count(*) FROM \(quote(join.name)) WHERE \(condition)"), count > 0
    {
      try report(
        StoreFinding(.error, .danglingLink, "\(count) rows of \(join.name) name no object on one side"))
    }
    let sides = [(join.sourceColumn, join.sourceEntity), (join.targetColumn, join.targetEntity)]
    for (column, entity) in sides {
      let table = quote(store.schema.tables[entity].name)
      let missing = try connection.first(
        """
        SELECT count(*) FROM \(quote(join.name)) j LEFT JOIN \(table) d ON d.Z_PK = j.\(quote(column))
        WHERE d.Z_PK IS NULL AND j.\(quote(column)) IS NOT NULL
        """)
      if case .integer(let count) = missing, count > 0 {
        try report(
          StoreFinding(
            .error, .danglingLink,
            "\(count) rows of \(join.name) lead to no \(store.model.entities[entity].name)"))
      }
      let family = store.model.entities[entity].familyIndices.map { String(store.schema.tables[$0].number) }
      let strangers = try connection.first(
        """
        SELECT count(*) FROM \(quote(join.name)) j JOIN \(table) d ON d.Z_PK = j.\(quote(column)) \
        WHERE d.Z_ENT NOT IN (\(family.joined(separator: ", "))) \
        AND j.\(quote(join.sourceColumn)) IS NOT NULL AND j.\(quote(join.targetColumn)) IS NOT NULL
        """)
      guard case .integer(let count) = strangers, count > 0 else { continue }
      try report(
        StoreFinding(
          .error, .danglingLink,
          "\(count) links of \(join.name) are of an object that is no \(store.model.entities[entity].name)"))
    }
  }

  /// A relationship that is its own inverse has each link in both directions.
  private func checkBackLinks(
    _ join: JoinTable, _ connection: Connection, _ report: (StoreFinding) throws -> Void
  ) throws {
    let (name, source, target) = (quote(join.name), quote(join.sourceColumn), quote(join.targetColumn))
    let missing = try connection.first(
      """
      SELECT count(*) FROM \(name) a WHERE NOT EXISTS \
      (SELECT 1 FROM \(name) b WHERE b.\(source) = a.\(target) AND b.\(target) = a.\(source))
      """)
    guard case .integer(let count)? = missing, count > 0 else { return }
    try report(StoreFinding(.error, .inverse, "\(count) links of \(join.name) do not lead back"))
  }

  private func checkTriggers(
    _ connection: Connection, _ report: (StoreFinding) throws -> Void
  ) throws {
    // Without the application's model nothing tells what those of Core Data are for.
    let triggers = ForeignTriggers(schema: store.schema, connection: connection)
    for name in try triggers.altered() {
      try report(
        StoreFinding(
          .hint, .foreignTrigger,
          "the trigger \(name) does something else than that of the model with its name"))
    }
    for name in try triggers.names()
    where !name.hasPrefix("Z_DA_") {
      try report(
        StoreFinding(
          .hint, .foreignTrigger,
          "the trigger \(name) is none of the model's, and runs with whatever is written"))
    }
  }
}
