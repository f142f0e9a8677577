import TICDSSQLite

/// What the local model called its properties when names were last brought up to date with it: `TICDS_LOCAL`.
struct LocalNames {
  struct Property {
    var entity: EntityNumber
    var position: LocalProperty
    var bit: PropertyBit
    var path: NamePath
  }

  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// All properties, those of one entity in the order of the schema.
  func properties() throws -> [Property] {
    let statement = try connection.cached(
      "SELECT entity, position, bit, path FROM TICDS_LOCAL ORDER BY entity, position")
    var properties: [Property] = []
    while try statement.step() {
      properties.append(
        Property(
          entity: EntityNumber(rawValue: Int(clamping: statement.int64(0))),
          position: LocalProperty(rawValue: Int(clamping: statement.int64(1))),
          bit: PropertyBit(rawValue: Int(clamping: statement.int64(2))),
          path: try NamePath(stored: statement.blob(3), in: connection)))
    }
    return properties
  }

  /// Forgets all and notes others.
  func replace(by properties: [Property]) throws {
    try connection.run("DELETE FROM TICDS_LOCAL")
    for property in properties {
      try connection.run(
        "INSERT INTO TICDS_LOCAL VALUES (?, ?, ?, ?)", .integer(Int64(property.entity.rawValue)),
        .integer(Int64(property.position.rawValue)), .integer(Int64(property.bit.rawValue)),
        .blob(property.path.stored))
    }
  }
}
