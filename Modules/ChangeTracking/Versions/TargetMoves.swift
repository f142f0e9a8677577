import TICDSSQLite

/// Notes where the targets of relationships are under a version of the model, and lets what is kept of them follow.
struct TargetMoves {
  private let connection: Connection
  /// As they are once all entities are below their roots.
  private let names: NameTable

  init(_ connection: Connection) throws {
    self.connection = connection
    names = try NameTable(connection: connection)
  }

  /// - Parameters:
  ///   - relationships: all of the local model.
  ///   - areFamiliesSplit: whether objects may have left the family of a relationship's targets.
  func run(_ relationships: [AdoptedRelationship], areFamiliesSplit: Bool) throws {
    var cells = try CellMove(connection, names)
    for relationship in relationships {
      let entity = names[relationship.entity]
      let former = names.destination(of: try entity.property(relationship.bit))?.number
      guard areFamiliesSplit || former != relationship.destination else { continue }
      try cells.redirect(relationship)
      try connection.run(
        "UPDATE TICDS_PROPERTY SET destination = ? WHERE root = ? AND bit = ?",
        .integer(Int64(relationship.destination.rawValue)), .integer(Int64(entity.root.rawValue)),
        .integer(Int64(relationship.bit.rawValue)))
    }
    try cells.finish()
  }
}
