import SQLite

/// Finds to-one relationships without an inverse, of which nobody in memory knows, when the row that they lead to goes.
enum UnpairedReferences {
  /// Clears the columns that lead to a deleted object.
  static func clear(to object: ManagedObject, schema: StoreSchema, on connection: Connection) throws {
    for statement in statements(for: object.entity, schema: schema) {
      try connection.run(statement, .integer(object.key))
    }
  }

  /// The statements that clear all references without inverse to a row of an entity; their one parameter is its key.
  static func statements(for entity: EntityDescription, schema: StoreSchema) -> [String] {
    var statements: [String] = []
    for (other, table) in zip(schema.model.entities, schema.tables) {
      for (property, storage) in zip(other.properties, table.storage) {
        guard case .toOne(let columns) = storage, let relationship = property.asRelationship,
          relationship.inverse == nil, relationship.ownerIndex == other.index,
          relationship.deleteRule != .noAction,
          entity.isKind(of: schema.model.entities[relationship.destinationIndex])
        else { continue }
        let key = quote(columns.key)
        let rest = columns.entity.map { ", \(quote($0)) = NULL" } ?? ""
        statements.append(
          "UPDATE \(quote(table.name)) SET Z_OPT = Z_OPT + 1, \(key) = NULL\(rest) WHERE \(key) = ?")
      }
    }
    return statements
  }
}
