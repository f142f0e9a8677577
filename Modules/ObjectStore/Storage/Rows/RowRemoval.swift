/// What has to be done when a row goes.
enum RowRemoval {
  /// Statements that remove a row of an entity and all that leads to it, the row last. Their one parameter is the key.
  static func statements(for entity: EntityDescription, schema: StoreSchema) -> [String] {
    var statements: [String] = []
    for join in schema.joins {
      let sides = [(join.sourceEntity, join.sourceColumn), (join.targetEntity, join.targetColumn)]
      for (side, column) in sides where entity.isKind(of: schema.model.entities[side]) {
        statements.append(join.removal(where: "\(quote(column)) = ?"))
      }
    }
    for (other, table) in zip(schema.model.entities, schema.tables) {
      for (property, storage) in zip(other.properties, table.storage) {
        guard case .toOne(let columns) = storage, let relationship = property.asRelationship,
          relationship.ownerIndex == other.index,
          entity.isKind(of: schema.model.entities[relationship.destinationIndex])
        else { continue }
        statements.append(columns.clearing(in: table.name, where: "= ?"))
      }
    }
    statements.append("DELETE FROM \(quote(schema.table(of: entity).name)) WHERE Z_PK = ?")
    return statements
  }
}

extension ToOneColumns {
  /// The statement that makes rows of a table lead nowhere, as another version of them.
  ///
  /// - Parameters:
  ///   - table: the name of the table.
  ///   - condition: what follows the key in the condition, such as `= ?`.
  func clearing(in table: String, where condition: String) -> String {
    let rest = [entity, order].compactMap { $0 }.map { ", \(quote($0)) = NULL" }.joined()
    return
      "UPDATE \(quote(table)) SET Z_OPT = ifnull(Z_OPT, 0) + 1, \(quote(key)) = NULL\(rest) WHERE \(quote(key)) \(condition)"
  }
}
