import TICDSSQLite

extension NameTable {
  /// Reads the names, after bringing them up to date with the model if that is another one than before.
  ///
  /// As a rule nothing is written, so that a store can be looked at while another process writes to it.
  static func open(connection: Connection, schema: SyncSchema) throws -> NameTable {
    if try !ModelAdoption.isDone(connection, schema) {
      try connection.transaction { try ModelAdoption(connection, schema).run() }
    }
    return try connection.transaction(.deferred) { try NameTable(connection: connection, schema: schema) }
  }
}
