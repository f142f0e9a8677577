import SQLite

/// What is new in the store although the log does not say so: the rows beyond the frontier of their root.
extension Replica {
  /// The row number beyond which the rows of an entity came since sets were last made. Where the log mentions every insertion
  /// nothing lies beyond.
  func frontier(of entity: Int, in names: NameTable? = nil) -> Int64 {
    let names = names ?? self.names
    return store.logsInsertions ? .max : names.entities[names.entities[entity].root].frontier
  }

  /// Whether this store, or a copy of it with its names, may hold insertions that neither a set nor the log mentions.
  func hasRowsBeyondFrontier(in connection: Connection, _ names: NameTable) throws -> Bool {
    try store.schema.entities.enumerated().contains { index, entity in
      guard let number = names.existingNumber(of: entity.name) else { return false }
      return try store.lastRow(entity: index, in: connection) > frontier(of: number, in: names)
    }
  }

  /// Notes that the insertions of all rows that are there now are accounted for.
  func moveFrontiers() throws {
    try names.moveFrontiers(of: store.schema) { try store.lastRow(entity: $0, in: connection) }
  }

  /// The sync ID of a row that no record knows, and that does not share it with another row.
  func unsaidSyncID(of row: Int64, entity: Int) throws -> SyncID? {
    let root = names.entities[entity].root
    guard let syncID = try store.syncID(root: names.entities[root].name, row: row) else { return nil }
    guard let slot = try objects.find(syncID, root: root, authors: authors), let known = objects[slot].row
    else { return syncID }
    if known == row { return nil }
    return try store.syncID(root: names.entities[root].name, row: known) == syncID ? nil : syncID
  }

  /// What happened to a row, with its insertion, if that has still to be said: everything else that is said of the row comes
  /// after. Without it, if it has been said.
  func withInsertion(_ touched: TouchedRows.Row) throws -> TouchedRows.Row {
    guard touched.deletion == nil, touched.row > frontier(of: touched.entity) else {
      return touched
    }
    let root = names.entities[touched.entity].root
    guard let syncID = try store.syncID(root: names.entities[root].name, row: touched.row) else {
      return touched
    }
    var touched = touched
    let record = try objects.find(syncID, root: root, authors: authors).map { objects[$0] }
    if record?.row != touched.row {
      if touched.insertion == nil, let first = touched.writes.values.min() {
        touched.insertion = first
        touched.writes = touched.writes.filter { $0.value > first }
      }
    } else if record?.lives == true {
      touched.insertion = nil
    }
    return touched
  }
}
