import ChangeTracking
import ObjectStore
import TICDSSQLite

/// A local store with one plain table: `note(id, syncid, text, place)`.
final class NoteStore: LocalStore {
  let connection: Connection
  var database: SharedDatabase { SharedDatabase(connection) }

  let schema = SyncSchema(
    entities: [
      SyncSchema.Entity(
        name: "Note", root: "Note",
        properties: [
          .init(name: "text", kind: .attribute, index: 0), .init(name: "place", kind: .attribute, index: 1),
        ])
    ], model: "notes")

  init(path: String) throws {
    connection = try Connection(path: path)
    // A test that is killed loses its folder anyway, so nothing needs to reach the disk.
    try connection.execute(
      script: """
        PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;
        CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY AUTOINCREMENT, syncid TEXT UNIQUE, text, place);
        """)
  }

  func openCopy(at path: String) throws -> (any LocalStore)? { try NoteStore(path: path) }

  static let note = LocalEntity(rawValue: 0)
  static let text = LocalProperty(rawValue: 0)
  static let place = LocalProperty(rawValue: 1)

  private func column(_ property: LocalProperty) -> String { schema[Self.note][property].name }

  func canHold(_ value: AttributeValue, _ entity: LocalEntity, _ property: LocalProperty) -> Bool {
    switch value {
    case .null, .string: true
    default: false
    }
  }

  func insertRow(_ entity: LocalEntity, syncID: SyncID, values: [PropertyValue]) throws -> RowNumber {
    try connection.run("INSERT INTO note (syncid) VALUES (?)", .text(syncID.string))
    let row = RowNumber(rawValue: connection.lastInsertedRowID)
    try updateRow(RowReference(entity: entity, row: row), values: values)
    return row
  }

  func updateRow(_ row: RowReference, values: [PropertyValue]) throws {
    for value in values {
      let stored: SQLiteValue =
        switch value.value {
        case .null: .null
        case .string(let text): .text(text)
        default: throw Misuse("A note cannot hold \(value.value).")
        }
      try connection.run(
        "UPDATE note SET \(column(value.property)) = ? WHERE id = ?", stored,
        .integer(row.row.rawValue))
      try requireRow(row)
    }
  }

  func deleteRow(_ row: RowReference) throws {
    try connection.run("DELETE FROM note WHERE id = ?", .integer(row.row.rawValue))
    try requireRow(row)
  }

  func setTarget(of row: RowReference, _ property: LocalProperty, to target: RowReference?) throws {
    throw Misuse("A note has no relationships.")
  }
  func link(_ row: RowReference, _ property: LocalProperty, to target: RowReference) throws {
    throw Misuse("A note has no relationships.")
  }
  func unlink(_ row: RowReference, _ property: LocalProperty, from target: RowReference) throws {
    throw Misuse("A note has no relationships.")
  }

  /// A call that the laws of a local store forbid, which a database would pass over.
  struct Misuse: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private func requireRow(_ row: RowReference) throws {
    guard connection.changes == 1 else { throw Misuse("There is no note in row \(row.row.rawValue).") }
  }

  func readRow(_ row: RowReference, _ properties: [LocalProperty]) throws -> StoredRow? {
    let columns = properties.map { ", " + column($0) }.joined()
    let statement = try connection.prepare("SELECT syncid\(columns) FROM note WHERE id = ?")
    try statement.bind(row.row.rawValue, at: 1)
    guard try statement.step() else { return nil }
    let contents = properties.indices.map { index in
      StoredContent.value(statement.optionalText(index + 1).map { .string($0) } ?? .null)
    }
    return StoredRow(syncID: statement.optionalText(0).map { SyncID($0) }, contents: contents)
  }

  func identity(of row: RowNumber, below root: String) throws -> RowIdentity? {
    try readRow(RowReference(entity: Self.note, row: row), []).map {
      RowIdentity(entity: Self.note, syncID: $0.syncID)
    }
  }

  func sources(_ entity: LocalEntity, _ property: LocalProperty, to target: RowNumber) throws -> [RowNumber] {
    throw Misuse("A note has no relationships.")
  }
  func announce(_ changes: ChangedRows) {}

  func identifiedRows(_ entity: LocalEntity, after row: RowNumber, limit: Int) throws -> [IdentifiedRow] {
    let statement = try connection.prepare("SELECT id, syncid FROM note WHERE id > ? ORDER BY id LIMIT ?")
    try statement.bind(row.rawValue, at: 1)
    try statement.bind(Int64(limit), at: 2)
    var rows: [IdentifiedRow] = []
    while try statement.step() {
      let syncID = statement.optionalText(1).map { SyncID($0) }
      rows.append(IdentifiedRow(row: RowNumber(rawValue: statement.int64(0)), syncID: syncID))
    }
    return rows
  }

  func row(_ syncID: String) throws -> RowReference? {
    guard
      case .integer(let row)? = try connection.first("SELECT id FROM note WHERE syncid = ?", .text(syncID))
    else { return nil }
    return RowReference(entity: Self.note, row: RowNumber(rawValue: row))
  }
}
