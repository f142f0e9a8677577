import ChangeTracking
import ObjectStore
import TICDSSQLite

/// A program that knows the tables and nothing of sync.
struct OtherProgram {
  let client: SimulatedClient

  private struct Row {
    var entity: EntityDescription
    var table: EntityTable
    var key: Int64
  }

  /// Any row, in the order of sync IDs.
  private func any(in connection: Connection, using random: inout SeededRandomSource) throws -> Row? {
    let editor = DrawnEditor(client: client, context: try client.store.newContext())
    guard let object = try editor.any(using: &random),
      case .string(let id) = object[SyncModelKey.syncID],
      let syncID = column(SyncModelKey.syncID, object.entity)
    else { return nil }
    let table = client.store.schema.table(of: object.entity)
    guard
      case .integer(let key)? = try connection.first(
        "SELECT Z_PK FROM \(table.name) WHERE \(syncID) = ? ORDER BY Z_PK", .text(id))
    else { return nil }
    return Row(entity: object.entity, table: table, key: key)
  }

  private func column(_ attribute: String, _ entity: EntityDescription) -> String? {
    let table = client.store.schema.table(of: entity)
    guard let index = entity.index(of: attribute), case .attribute(let column, _) = table.storage[index]
    else { return nil }
    return column
  }

  /// Columns of attributes that a program may copy from row to row.
  private func columns(of entity: EntityDescription) -> [String] {
    entity.properties.compactMap(\.asAttribute).filter {
      $0.name != SyncModelKey.syncID && !$0.allowsExternalStorage
        && !client.store.model.constrainedAttributes(of: entity).contains($0.name)
    }.compactMap { column($0.name, entity) }
  }

  /// Adds a row like another one, with a new key and no sync ID.
  func insert(using random: inout SeededRandomSource) throws {
    let connection = try client.store.newConnection()
    guard let row = try any(in: connection, using: &random) else { return }
    client.trace("inserts by SQL, like \(row.entity.name) \(row.key)")
    try connection.transaction { try copy(row, to: nil, connection) }
  }

  private func copy(_ row: Row, to key: Int64?, _ connection: Connection) throws {
    let columns = (["Z_ENT", "Z_OPT"] + columns(of: row.entity)).joined(separator: ", ")
    var next = key ?? 0
    if key == nil,
      case .integer(let last)? = try connection.first(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", .integer(row.table.rootNumber))
    {
      next = last + 1
      try connection.run(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", .integer(next), .integer(row.table.rootNumber))
    }
    try connection.run(
      "INSERT INTO \(row.table.name) (Z_PK, \(columns)) SELECT ?, \(columns) FROM \(row.table.name) WHERE Z_PK = ?",
      .integer(next), .integer(row.key))
  }

  /// Adds a row, and changes or deletes it before anybody else knows of it.
  ///
  /// What is changed in rows that are known stays on the device, for nobody records it.
  func change(using random: inout SeededRandomSource) throws {
    let connection = try client.store.newConnection()
    guard let row = try any(in: connection, using: &random) else { return }
    let numbers = row.entity.properties.compactMap(\.asAttribute).filter {
      $0.type == .integer64 && $0.userInfo[SyncModelKey.merge] == nil && $0.validation.isEmpty
        && !client.store.model.constrainedAttributes(of: row.entity).contains($0.name)
    }
    let changed = numbers.randomElement(using: &random).flatMap { column($0.name, row.entity) }
    let number = Int64.random(in: 0..<100, using: &random)
    client.trace("inserts by SQL, like \(row.entity.name) \(row.key), and changes it")
    try connection.transaction { try copy(row, to: nil, connection) }
    guard
      case .integer(let key)? = try connection.first(
        "SELECT max(Z_PK) FROM \(row.table.name) WHERE Z_ENT = ?", .integer(row.table.number))
    else { return }
    if let changed {
      try connection.run(
        "UPDATE \(row.table.name) SET \(changed) = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?", .integer(number),
        .integer(key))
    } else {
      try connection.run("DELETE FROM \(row.table.name) WHERE Z_PK = ?", .integer(key))
    }
  }

  /// Deletes the row with the greatest key through the application, and inserts another one under that key.
  func reuseKey(using random: inout SeededRandomSource) throws {
    client.rollBack(client.context)
    let editor = DrawnEditor(client: client, context: client.context)
    guard let object = try editor.any(using: &random) else { return }
    let connection = try client.store.newConnection()
    let table = client.store.schema.table(of: object.entity)
    guard case .integer(let last)? = try connection.first("SELECT max(Z_PK) FROM \(table.name)"),
      case .integer(let number)? = try connection.first(
        "SELECT Z_ENT FROM \(table.name) WHERE Z_PK = ?", .integer(last)),
      let entity = client.store.schema.entity(numbered: number),
      let greatest = client.context.object(for: client.store.objectID(entity, key: last))
    else { return }
    client.trace("deletes \(entity.name) \(last) and inserts another under its key by SQL")
    client.context.delete(greatest)
    guard client.save(client.context) else { return }
    try connection.run(
      "INSERT INTO \(table.name) (Z_PK, Z_ENT, Z_OPT) VALUES (?, ?, 1)", .integer(last), .integer(number))
  }
}
