import TICDSSQLite

/// What migrations of the store did since names were last brought up to date, as the object store has noted it:
/// `Docs/Formats/MigrationJournal.md`.
struct MigrationJournal {
  /// What became of an entity or a property in one step.
  struct Entry {
    var entity: String
    /// `nil` if the entry is of the entity itself.
    var property: String?
    /// `nil` if it is gone.
    var newEntity: String?
    var newProperty: String?
    /// What was added to the keys of the entity's rows.
    var keyOffset: Int64
  }

  /// In the order of time.
  private(set) var steps: [[Entry]] = []

  static let table = "TICDS_MIGRATION"

  /// Whether no migration has been noted.
  static func isEmpty(in connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM \(table) LIMIT 1") == nil
  }

  init(_ connection: Connection) throws {
    let statement = try connection.prepare(
      "SELECT step, entity, property, newEntity, newProperty, keyOffset FROM \(Self.table) ORDER BY step")
    var last: Int64?
    while try statement.step() {
      if statement.int64(0) != last { steps.append([]) }
      last = statement.int64(0)
      steps[steps.count - 1].append(
        Entry(
          entity: statement.text(1), property: statement.optionalText(2),
          newEntity: statement.optionalText(3), newProperty: statement.optionalText(4),
          keyOffset: statement.int64(5)))
    }
  }

  /// Forgets what was read.
  func remove(_ connection: Connection) throws {
    if steps.isEmpty { return }
    try connection.run("DELETE FROM \(Self.table)")
    try connection.run("DROP TABLE IF EXISTS \(DroppedValues.table)")
  }
}
