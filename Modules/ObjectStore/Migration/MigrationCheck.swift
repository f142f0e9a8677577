import TICDSSQLite

/// Looks at what a migration wrote, before it is committed: values that must be there, constraints that must hold.
///
/// Objects are named, values are not.
struct MigrationCheck {
  private static let limit = 10

  let mapping: ModelMapping
  let schema: StoreSchema
  let uuid: String
  let path: String
  /// Whether values that must be unique now may be repeated, until somebody settles it.
  let admitsRepeatedValues: Bool

  func run(on connection: Connection) throws {
    var lines: [String] = []
    for entity in schema.model.entities {
      lines += try abstractObjects(entity, connection)
      lines += try missingValues(entity, connection)
      if !admitsRepeatedValues { lines += try repeatedValues(entity, connection) }
    }
    lines += try derivedMisfits(connection)
    if !lines.isEmpty { throw StoreError(.migrationRefused(lines), path: path) }
  }

  private func uri(_ number: Int64, _ key: Int64) -> String {
    "x-coredata://\(uuid)/\(schema.entity(numbered: number)?.name ?? "?")/p\(key)"
  }

  private func abstractObjects(_ entity: EntityDescription, _ connection: Connection) throws -> [String] {
    guard entity.isAbstract else { return [] }
    let table = schema.tables[entity.index]
    let count = try connection.first(
      "SELECT count(*) FROM \(quote(table.name)) WHERE Z_ENT = ?", .integer(table.number))
    guard case .integer(let count)? = count, count > 0 else { return [] }
    return ["\(entity.name): is abstract now, but has \(count) objects"]
  }

  /// Objects without a value that was optional before, or that a transformation should have set.
  private func missingValues(_ entity: EntityDescription, _ connection: Connection) throws -> [String] {
    let table = schema.tables[entity.index]
    var lines: [String] = []
    for (property, storage) in zip(entity.properties, table.storage) where !property.isOptional {
      let column: String
      switch storage {
      case .attribute(let name, _): column = name
      case .toOne(let columns): column = columns.key
      case .memory, .inverse, .join: continue
      }
      if wasMandatory(property, of: entity) { continue }
      let statement = try connection.prepare(
        """
        SELECT Z_ENT, Z_PK FROM \(quote(table.name)) WHERE Z_ENT = \(table.number) AND \(quote(column)) IS NULL \
        LIMIT \(Self.limit)
        """)
      while try statement.step() {
        lines.append("\(uri(statement.int64(0), statement.int64(1))): \(property.name) has no value")
      }
    }
    return lines
  }

  /// What was computed for derived attributes and does not fit them.
  private func derivedMisfits(_ connection: Connection) throws -> [String] {
    guard schema.model.hasDerivedAttributes else { return [] }
    let derived = Set(
      schema.model.entities.flatMap { entity in
        entity.properties.filter { $0.asAttribute?.derivation != nil }.map { "\(entity.name).\($0.name)" }
      })
    let misfits = MisfitValues(schema: schema, connection: connection)
    return try (misfits.losses() + misfits.beyondRange()).filter { derived.contains($0.place) }.map {
      "\($0.place): cannot hold what it is derived from: \($0.count) \($0.reason)"
    }
  }

  /// A store may have had gaps before; they are no reason to refuse now.
  private func wasMandatory(_ property: PropertyDescription, of entity: EntityDescription) -> Bool {
    guard let mapped = mapping.entity(to: entity), let index = entity.index(of: property.name),
      let old = mapped.properties[index]
    else { return false }
    return !mapped.source.properties[old].isOptional && !mapped.source.properties[old].isTransient
  }

  private func repeatedValues(_ entity: EntityDescription, _ connection: Connection) throws -> [String] {
    let table = schema.tables[entity.index]
    var lines: [String] = []
    for constraint in entity.ownUniquenessConstraints {
      let columns = constraint.compactMap { entity.index(of: $0) }.compactMap { index -> String? in
        switch table.storage[index] {
        case .attribute(let column, _): quote(column)
        case .toOne(let columns): quote(columns.key)
        case .memory, .inverse, .join: nil
        }
      }
      let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
      let statement = try connection.prepare(
        """
        SELECT Z_ENT, min(Z_PK), max(Z_PK), count(*) FROM \(quote(table.name)) WHERE \(present) \
        GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1 LIMIT \(Self.limit)
        """)
      while try statement.step() {
        let (number, first, last) = (statement.int64(0), statement.int64(1), statement.int64(2))
        lines.append(
          "\(uri(number, first)) and \(uri(number, last)): \(constraint.joined(separator: ", ")) must be unique, "
            + "but \(statement.int64(3)) objects have the same value")
      }
    }
    return lines
  }
}
