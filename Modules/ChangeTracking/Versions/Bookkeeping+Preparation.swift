import TICDSSQLite

extension Bookkeeping {
  /// Makes the tables if they are missing. A store without objects then has none to adopt.
  ///
  /// - Parameters:
  ///   - schema: what the store can hold.
  ///   - lastRow: the greatest row number below an entity's root.
  /// - Throws: ``ReplicaError`` with `unsuitableModel` if no merge could settle a constraint, which a version of the model may have got
  ///   without a migration; with `newerBookkeeping` or `olderBookkeeping` if another version of this library has written them.
  static func prepare(
    _ connection: Connection, schema: SyncSchema, lastRow: (LocalEntity) throws -> RowNumber
  ) throws {
    try schema.refuseUnsettledConstraints()
    if try exists(in: connection) { return }
    // Another process may make them at the same time; whoever comes second finds them made.
    try connection.transaction {
      if try exists(in: connection) { return }
      try connection.execute(script: script)
      let state = StateTable(connection)
      try state.set(.version, .integer(version))
      // What is there already is adopted, not inserted.
      try ModelAdoption(connection, schema).run()
      let names = try NameTable(connection: connection, schema: schema)
      var isEmpty = true
      for entity in schema.localEntities {
        let last = try lastRow(entity)
        if last > .none { isEmpty = false }
        try names.moveFrontier(of: names[entity].root, to: last)
      }
      if isEmpty { try state.insert(.adopted) }
    }
  }
}
