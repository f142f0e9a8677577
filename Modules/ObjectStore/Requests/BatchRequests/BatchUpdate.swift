import TICDSSQLite

/// Sets values in all rows that a request is about, with one statement.
struct BatchUpdate {
  private let entity: EntityDescription
  private let context: ManagedObjectContext
  private let schema: StoreSchema
  private var translation: SQLTranslation

  init(entity: EntityDescription, context: ManagedObjectContext) {
    self.entity = entity
    self.context = context
    schema = context.store.schema
    translation = SQLTranslation(schema: schema, resolve: context.resolver)
  }

  mutating func run<Object>(
    _ request: FetchRequest<Object>, _ assignments: [BatchAssignment<Object>]
  ) throws -> ObjectChanges {
    let table = quote(schema.table(of: entity).name)
    // Said once; all uses of the same parameters have the same values.
    let rows = try translation.clauses(request, entity, limit: request.limit, offset: request.offset)
    var columns: [String: String] = ["Z_OPT": "ifnull(u.Z_OPT, 0) + 1"]
    var refusals: [(property: String, condition: String)] = []
    for assignment in assignments {
      let index = try index(of: assignment.path)
      switch (schema.table(of: entity).storage[index], assignment.value) {
      case (.attribute(let column, let type), .operand(let operand)):
        if case .constant(let value) = operand {
          try entity.checkBatch(value, at: index)
          try entity.checkRules(value, at: index, ValueRules())
        }
        let sql = try sql(operand, type, table)
        columns[quote(column)] = sql
        if let refusal = refusal(of: sql, type, isOptional: entity.properties[index].isOptional) {
          refusals.append((entity.properties[index].name, refusal))
        }
      case (.toOne(let toOne), .target(let target)):
        let value = target.map { AttributeValue.reference(entity: Int32($0.entity.index), key: $0.key) }
        try entity.checkBatch(value ?? .null, at: index)
        var references = ReferenceCheck(
          schema: schema, connection: context.connection, identity: context.store.identity)
        try references.check([value ?? .null])
        if value == nil, !entity.properties[index].isOptional { throw invalid(entity.properties[index].name) }
        columns[quote(toOne.key)] = value.map { translation.bind($0) } ?? "NULL"
        if let column = toOne.entity {
          columns[quote(column)] = target.map { String(schema.table(of: $0.entity).number) } ?? "NULL"
        }
        if let column = toOne.order { columns[quote(column)] = "NULL" }
      default: throw ContextError.notInBatch(entity: entity.name, property: entity.properties[index].name)
      }
    }
    for (property, condition) in refusals {
      let sql = "SELECT 1 FROM \(table) u WHERE u.Z_PK IN (SELECT t.Z_PK \(rows)) AND \(condition) LIMIT 1"
      // The last parameters may be of other assignments.
      let statement = try context.connection.cached(sql)
      for index in 0..<min(statement.parameterCount, translation.values.count) {
        try statement.bind(translation.values[index], at: index + 1)
      }
      defer { statement.reset() }
      if try statement.step() { throw invalid(property) }
    }
    let assignments = columns.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
    return try run(
      """
      UPDATE \(table) AS u SET \(assignments.joined(separator: ", ")) \
      WHERE u.Z_PK IN (SELECT t.Z_PK \(rows)) RETURNING Z_PK, Z_ENT
      """)
  }

  /// Whether a statement cannot do it: long values have a file of their own in each row, and patterns and lengths of what is
  /// computed are not SQL's to look at.
  func needsObjects<Object>(_ assignments: [BatchAssignment<Object>]) throws -> Bool {
    for assignment in assignments {
      let index = try index(of: assignment.path)
      guard case .operand(let operand) = assignment.value, let attribute = entity.attribute(at: index) else {
        continue
      }
      if attribute.isMarkedExternal || context.isImmutable(index, in: entity) { return true }
      if case .constant = operand { continue }
      // Bytes may come from an attribute that keeps them in a file.
      if !attribute.validation.isEmpty || attribute.type.columnType == "BLOB" { return true }
    }
    return false
  }

  private func run(_ sql: String) throws -> ObjectChanges {
    let statement = try context.prepared(sql, translation.values)
    defer { statement.reset() }
    var changes = ObjectChanges()
    while try statement.step() {
      if let entity = schema.entity(numbered: statement.int64(1)) {
        changes.updated.append(context.store.objectID(entity, key: statement.int64(0)))
      }
    }
    changes.updated.sort { $0.key < $1.key }
    return changes
  }

  private func index(of path: PropertyPath) throws(ContextError) -> Int {
    let resolved = try context.resolver(path, entity)
    guard resolved.indices.count == 1, let index = resolved.indices.first else {
      throw .notInBatch(entity: entity.name, property: resolved.property.name)
    }
    return index
  }

  private func invalid(_ property: String) -> ContextError {
    .invalidBatchValue(entity: entity.name, property: property)
  }

  /// What an operand gives for a row called `u`, in the storage class of a type.
  private mutating func sql(
    _ operand: Operand, _ type: AttributeType, _ table: String
  ) throws(ContextError) -> String {
    if case .constant(let value) = operand { return translation.bind(value) }
    let scope = SQLScope(alias: "u", entity: entity)
    let sql = try translation.sql(operand, scope)
    if scope.joins.isEmpty { return sql }
    // Only a query of its own can join other tables.
    let inner = SQLScope(alias: "v", entity: entity)
    let value = try translation.sql(operand, inner)
    return "(SELECT \(value) \(translation.source(inner)) WHERE v.Z_PK = u.Z_PK)"
  }

  /// The condition that a computed value cannot stand in an attribute.
  private func refusal(of sql: String, _ type: AttributeType, isOptional: Bool) -> String? {
    let bounds: (Int64, Int64)
    switch type {
    case .integer16: bounds = (Int64(Int16.min), Int64(Int16.max))
    case .integer32: bounds = (Int64(Int32.min), Int64(Int32.max))
    case .integer64: bounds = (.min, .max)
    default: return isOptional ? nil : "\(sql) IS NULL"
    }
    let isWrong = "typeof(\(sql)) <> 'integer' OR \(sql) NOT BETWEEN \(bounds.0) AND \(bounds.1)"
    return isOptional ? "\(sql) IS NOT NULL AND (\(isWrong))" : "(\(sql) IS NULL OR \(isWrong))"
  }
}
