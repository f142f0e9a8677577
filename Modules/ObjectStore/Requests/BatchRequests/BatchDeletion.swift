import TICDSSQLite

/// Deletes many rows, with those that delete rules take with them, in statements that look at all of them at once.
struct BatchDeletion {
  let store: PersistentStore
  let connection: Connection

  private var schema: StoreSchema { store.schema }
  private var model: ManagedObjectModel { store.model }

  /// Deletes the rows, called `t`, that the clauses of a query select.
  func run(
    _ clauses: String, _ values: [AttributeValue], _ entity: EntityDescription
  ) throws -> ObjectChanges {
    try connection.run(
      """
      CREATE TEMP TABLE IF NOT EXISTS TICDS_DOOMED \
      (root INTEGER, key INTEGER, entity INTEGER, PRIMARY KEY (root, key)) WITHOUT ROWID
      """)
    try connection.run("DELETE FROM temp.TICDS_DOOMED")
    let seed = try connection.prepare(
      "INSERT INTO temp.TICDS_DOOMED SELECT \(entity.rootIndex), t.Z_PK, t.Z_ENT \(clauses)")
    for (index, value) in values.enumerated() { try seed.bind(value, at: index + 1) }
    try seed.run()

    try cascade()
    try checkDenials()
    var changes = ObjectChanges()
    let doomed = try connection.prepare("SELECT key, entity FROM temp.TICDS_DOOMED ORDER BY root, key")
    while try doomed.step() { add(doomed, to: &changes.deleted) }
    changes.updated = try nullify()
    try noteFiles()
    try removeRows()
    try connection.run("DELETE FROM temp.TICDS_DOOMED")
    return changes
  }

  private func add(_ statement: Statement, to identifiers: inout [ObjectID]) {
    if let entity = schema.entity(numbered: statement.int64(1)) {
      identifiers.append(store.objectID(entity, key: statement.int64(0)))
    }
  }

  // MARK: - Delete rules

  /// Relationships that are declared with a rule, each once.
  private func relationships(_ rule: DeleteRule) -> [(EntityDescription, Int, RelationshipDescription)] {
    var found: [(EntityDescription, Int, RelationshipDescription)] = []
    for entity in model.entities {
      for (index, property) in entity.properties.enumerated() {
        guard let relationship = property.asRelationship, relationship.deleteRule == rule,
          relationship.ownerIndex == entity.index
        else { continue }
        found.append((entity, index, relationship))
      }
    }
    return found
  }

  /// The clauses of a query over doomed rows `d` of an entity and the rows `m` that a relationship of theirs leads to.
  private func related(
    _ entity: EntityDescription, _ index: Int, _ relationship: RelationshipDescription
  ) -> String? {
    let destination = model.entities[relationship.destinationIndex]
    let target = quote(schema.table(of: destination).name)
    let numbers = entity.familyIndices.map { String(schema.tables[$0].number) }.joined(separator: ", ")
    let doomed = "temp.TICDS_DOOMED d"
    let isDoomed = "d.root = \(entity.rootIndex) AND d.entity IN (\(numbers))"
    switch schema.table(of: entity).storage[index] {
    case .toOne(let columns):
      return """
        FROM \(doomed) JOIN \(quote(schema.table(of: entity).name)) s ON s.Z_PK = d.key \
        JOIN \(target) m ON m.Z_PK = s.\(quote(columns.key)) WHERE \(isDoomed)
        """
    case .inverse(let other, let property):
      guard case .toOne(let columns) = schema.tables[other].storage[property] else { return nil }
      return "FROM \(doomed) JOIN \(target) m ON m.\(quote(columns.key)) = d.key WHERE \(isDoomed)"
    case .join(let side):
      return """
        FROM \(doomed) JOIN \(quote(side.table.name)) j ON j.\(quote(side.ownColumn)) = d.key \
        JOIN \(target) m ON m.Z_PK = j.\(quote(side.memberColumn)) WHERE \(isDoomed)
        """
    case .memory, .attribute: return nil
    }
  }

  private func cascade() throws {
    var statements: [Statement] = []
    for (entity, index, relationship) in relationships(.cascade) {
      guard let clauses = related(entity, index, relationship) else { continue }
      let root = model.entities[relationship.destinationIndex].rootIndex
      statements.append(
        try connection.prepare(
          "INSERT OR IGNORE INTO temp.TICDS_DOOMED SELECT \(root), m.Z_PK, m.Z_ENT \(clauses)"))
    }
    var count: SQLiteValue?
    // Each round adds rows, or is the last.
    while true {
      let now = try connection.first("SELECT count(*) FROM temp.TICDS_DOOMED")
      if now == count { return }
      count = now
      for statement in statements { try statement.run() }
    }
  }

  private func checkDenials() throws {
    for (entity, index, relationship) in relationships(.deny) {
      guard let clauses = related(entity, index, relationship) else { continue }
      let root = model.entities[relationship.destinationIndex].rootIndex
      let statement = try connection.prepare(
        """
        SELECT d.key, d.entity \(clauses) AND NOT EXISTS \
        (SELECT 1 FROM temp.TICDS_DOOMED o WHERE o.root = \(root) AND o.key = m.Z_PK)
        """)
      var denied: [ObjectID] = []
      while try statement.step() { add(statement, to: &denied) }
      if denied.isEmpty { continue }
      throw SaveError(Set(denied).map { .deletionDenied($0, property: relationship.name) })
    }
  }

  // MARK: - Rows

  /// Clears what leads to doomed rows from others. Gives those that are not doomed themselves.
  private func nullify() throws -> [ObjectID] {
    var updated: Set<ObjectID> = []
    for (entity, table) in zip(model.entities, schema.tables) {
      for (property, storage) in zip(entity.properties, table.storage) {
        guard case .toOne(let columns) = storage, let relationship = property.asRelationship,
          relationship.ownerIndex == entity.index
        else { continue }
        let condition = """
          IN (SELECT key FROM temp.TICDS_DOOMED \
          WHERE root = \(model.entities[relationship.destinationIndex].rootIndex)) \
          AND Z_PK NOT IN (SELECT key FROM temp.TICDS_DOOMED WHERE root = \(entity.rootIndex)) \
          RETURNING Z_PK, Z_ENT
          """
        let statement = try connection.prepare(columns.clearing(in: table.name, where: condition))
        var cleared: [ObjectID] = []
        while try statement.step() { add(statement, to: &cleared) }
        if !relationship.isOptional, !cleared.isEmpty {
          throw SaveError(cleared.map { .missingValue($0, property: relationship.name) })
        }
        updated.formUnion(cleared)
      }
    }
    return updated.sorted { ($0.entity.index, $0.key) < ($1.entity.index, $1.key) }
  }

  private func doomed(_ entity: Int) -> String {
    "IN (SELECT key FROM temp.TICDS_DOOMED WHERE root = \(model.entities[entity].rootIndex))"
  }

  private func noteFiles() throws {
    guard let values = schema.externalValues else { return }
    let files = ExternalFiles(values, connection)
    for column in schema.externalColumns {
      try files.noteReplaced(column.name, table: column.table, where: "Z_PK \(doomed(column.entity))")
    }
  }

  private func removeRows() throws {
    for join in schema.joins {
      try connection.run(
        join.removal(
          where: """
            \(quote(join.sourceColumn)) \(doomed(join.sourceEntity)) \
            OR \(quote(join.targetColumn)) \(doomed(join.targetEntity))
            """))
    }
    for (entity, table) in zip(model.entities, schema.tables) where entity.parent == nil {
      try connection.run("DELETE FROM \(quote(table.name)) WHERE Z_PK \(doomed(entity.index))")
    }
  }
}
