import TICDSSQLite

/// What a step of a migration leaves behind, kept for whoever keeps the store in step with others that have still the earlier version, or
/// will have a later one that knows it again: `Docs/Formats/MigrationJournal.md`.
struct DroppedValues {
  static let table = "TICDS_DROPPED"
  /// Length of the longest value that is kept, in bytes: one that nobody shows is not worth more.
  private static let limit = 1_048_576

  let mapping: ModelMapping
  /// The tables that the step has put aside.
  let source: StoreSchema

  /// Writes what goes under the number of a step.
  func write(step: Int64, to connection: Connection) throws {
    try connection.run(
      """
      CREATE TABLE IF NOT EXISTS \(Self.table) (
        step INTEGER NOT NULL, entity TEXT NOT NULL, property TEXT NOT NULL, row INTEGER NOT NULL, type INTEGER,
        value, target TEXT)
      """)
    for entity in mapping.source.entities where !entity.isAbstract {
      let mapped = mapping.entity(from: entity)
      for (index, property) in entity.properties.enumerated() {
        if mapped?.properties.contains(index) != true {
          let isKept = "v IS NOT NULL AND length(CAST(v AS BLOB)) <= \(Self.limit)"
          try write(property, index, of: entity, where: isKept, step, connection)
        } else if let mapped, mapped.fillsNull(of: index) {
          try write(property, index, of: entity, where: "v IS NULL", step, connection)
        }
      }
    }
  }

  private func write(
    _ property: PropertyDescription, _ index: Int, of entity: EntityDescription, where condition: String,
    _ step: Int64, _ connection: Connection
  ) throws {
    let table = source.tables[entity.index]
    let (value, target, type): (String, String, SQLiteValue)
    switch table.storage[index] {
    case .attribute(let column, let stored):
      let isMarked = entity.attribute(at: index)?.isMarkedExternal == true
      value = isMarked ? "\(MigrationFunctions.inline)(\(quote(column)))" : quote(column)
      (target, type) = ("NULL", .integer(Int64(stored.rawValue)))
    case .toOne(let columns):
      guard let relationship = entity.relationship(at: index) else { return }
      (value, target, type) = (quote(columns.key), name(of: relationship, by: columns.entity), .null)
    case .memory, .inverse, .join: return
    }
    try connection.run(
      """
      INSERT INTO \(Self.table) SELECT ?, ?, ?, Z_PK, ?, v, t FROM (
        SELECT Z_PK, \(value) AS v, \(target) AS t FROM \(quote(table.name)) WHERE Z_ENT = \(table.number))
      WHERE \(condition)
      """, .integer(step), .text(entity.name), .text(property.name), type)
  }

  /// The SQL expression for the name of the entity that a relationship leads to.
  private func name(of relationship: RelationshipDescription, by column: String?) -> String {
    let destination = source.model.entities[relationship.destinationIndex]
    guard let column else { return text(destination.name) }
    let cases = destination.familyIndices.map { index in
      "WHEN \(source.tables[index].number) THEN \(text(source.model.entities[index].name))"
    }
    return "CASE \(quote(column)) \(cases.joined(separator: " ")) END"
  }

  private func text(_ name: String) -> String { "'\(name.replacing("'", with: "''"))'" }
}

extension ModelMapping.Entity {
  /// Whether a default takes the place of null where an attribute of the source has no value.
  fileprivate func fillsNull(of index: Int) -> Bool {
    guard source.attribute(at: index) != nil else { return false }
    return zip(properties.indices, properties).contains { position, former in
      guard former == index, let attribute = target.attribute(at: position) else { return false }
      return !attribute.isOptional && !attribute.defaultValue.isNull
    }
  }
}
