import TICDSSQLite

/// What each step of a migration did to names and keys, for whoever keeps tables of its own in the store and has made the table
/// `TICDS_MIGRATION`: `Docs/Formats/MigrationJournal.md`.
///
/// Unlike a ``MigrationParticipant``, its reader need not be there when the store is migrated.
struct MigrationJournal {
  static let table = "TICDS_MIGRATION"

  let mapping: ModelMapping
  /// The tables that the step has put aside.
  let source: StoreSchema

  /// Whether somebody has made the table: he keeps the store in step with others.
  static func isKept(in connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM sqlite_master WHERE name = ?", .text(table)) != nil
  }

  /// Writes the entries of one step, if somebody has made the table.
  func write(to connection: Connection) throws {
    guard try Self.isKept(in: connection) else { return }
    var step: Int64 = 1
    if case .integer(let last)? = try connection.first("SELECT max(step) FROM \(Self.table)") {
      step = last + 1
    }
    for entity in mapping.source.entities {
      let mapped = mapping.entity(from: entity)
      func insert(_ property: String?, _ newProperty: String?) throws {
        try connection.run(
          "INSERT INTO \(Self.table) VALUES (?, ?, ?, ?, ?, ?)", .integer(step), .text(entity.name),
          property.map { .text($0) } ?? .null, mapped.map { .text($0.target.name) } ?? .null,
          newProperty.map { .text($0) } ?? .null, .integer(mapped?.keyOffset ?? 0))
      }
      try insert(nil, nil)
      guard let mapped else { continue }
      for (index, property) in entity.properties.enumerated() {
        let new = mapped.properties.firstIndex(of: index).map { mapped.target.properties[$0].name }
        if new != property.name { try insert(property.name, new) }
      }
    }
    try DroppedValues(mapping: mapping, source: source).write(step: step, to: connection)
  }
}
