import TICDSSQLite

extension StoreSchema {
  /// Makes the indexes of uniqueness constraints that are missing, but for those that rows violate: a synchronised store may hold what
  /// several devices wrote before the model had the constraint.
  package func completeConstraints(_ connection: Connection) throws(SQLiteError) {
    for statement in StoreCreation(schema: self).constraintStatements(ifMissing: true) {
      do {
        try connection.run(statement)
      } catch {
        guard error.code == .constraint else { throw error }
      }
    }
  }
}
