import ObjectStore
import SQLite

@testable import ChangeTracking

/// A local store with one plain table: `note(id, syncid, text, place)`.
final class NoteStore: LocalStore {
  let connection: Connection

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

  private func column(_ property: Int) -> String { schema.entities[0].properties[property].name }

  func canHold(_ value: AttributeValue, entity: Int, property: Int) -> Bool {
    switch value {
    case .null, .string: true
    default: false
    }
  }

  func insertRow(entity: Int, syncID: SyncID, values: [PropertyValue]) throws -> Int64 {
    try connection.run("INSERT INTO note (syncid) VALUES (?)", .text(syncID.string))
    let row = connection.lastInsertedRowID
    try updateRow(entity: entity, row: row, values: values)
    return row
  }

  func updateRow(entity: Int, row: Int64, values: [PropertyValue]) throws {
    for value in values {
      let stored: SQLiteValue =
        switch value.value {
        case .null: .null
        case .string(let text): .text(text)
        default: throw Misuse("A note cannot hold \(value.value).")
        }
      try connection.run("UPDATE note SET \(column(value.property)) = ? WHERE id = ?", stored, .integer(row))
      try requireRow(row)
    }
  }

  func deleteRow(entity: Int, row: Int64) throws {
    try connection.run("DELETE FROM note WHERE id = ?", .integer(row))
    try requireRow(row)
  }

  func setTarget(entity: Int, row: Int64, property: Int, target: RowReference?) throws {
    throw Misuse("A note has no relationships.")
  }
  func link(entity: Int, row: Int64, property: Int, target: RowReference) throws {
    throw Misuse("A note has no relationships.")
  }
  func unlink(entity: Int, row: Int64, property: Int, target: RowReference) throws {
    throw Misuse("A note has no relationships.")
  }

  /// A call that the laws of a local store forbid, which a database would pass over.
  struct Misuse: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private func requireRow(_ row: Int64) throws {
    guard connection.changes == 1 else { throw Misuse("There is no note in row \(row).") }
  }

  func readRow(entity: Int, row: Int64, properties: [Int]) throws -> StoredRow? {
    let columns = properties.map { ", " + column($0) }.joined()
    let statement = try connection.prepare("SELECT syncid\(columns) FROM note WHERE id = ?")
    try statement.bind(row, at: 1)
    guard try statement.step() else { return nil }
    let contents = properties.indices.map { index in
      StoredContent.value(statement.optionalText(index + 1).map { .string($0) } ?? .null)
    }
    return StoredRow(syncID: statement.optionalText(0).map { SyncID($0) }, contents: contents)
  }

  func syncID(root: String, row: Int64) throws -> SyncID? {
    guard case .text(let text)? = try connection.first("SELECT syncid FROM note WHERE id = ?", .integer(row))
    else { return nil }
    return SyncID(text)
  }

  func sources(entity: Int, property: Int, target: Int64) throws -> [Int64] {
    throw Misuse("A note has no relationships.")
  }
  func announce(_ changes: ChangedRows) {}

  func row(_ syncID: String) throws -> Int64? {
    guard
      case .integer(let row)? = try connection.first("SELECT id FROM note WHERE syncid = ?", .text(syncID))
    else { return nil }
    return row
  }
}
