import TICDSSQLite

/// Brings a store up to another version of its model, in one transaction of its file.
///
/// In place and not into a new file, because SQLite's journal then does what a careful exchange of files would have to do:
/// other processes see the old store or the new one, a write-ahead log cannot be separated from its database, and a process that
/// ends anywhere leaves what was there before.
struct StoreMigration {
  let migration: Migration
  let model: ManagedObjectModel
  let path: String

  /// Migrates the store if its version hashes are not those of the model.
  ///
  /// - Throws: ``StoreError`` with `modelMismatch`, `cannotInfer`, `migrationRefused`, `cancelled` or `database`, or what a
  ///   transformation throws.
  func run(on connection: Connection) throws {
    do {
      try connection.interruptedByCancellation {
        // A rename would else change the text of triggers that belong to others.
        try connection.execute(script: "PRAGMA legacy_alter_table = ON")
        defer { try? connection.execute(script: "PRAGMA legacy_alter_table = OFF") }
        try MigrationFunctions(storePath: path).add(to: connection)
        try connection.transaction { try migrate(connection) }
      }
    } catch let error as SQLiteError where error.code == .interrupted {
      throw StoreError(.cancelled, path: path)
    } catch is CancellationError {
      throw StoreError(.cancelled, path: path)
    }
    connection.clearStatementCache()
    // Values that are kept in rows now, and those of objects that are gone, leave files behind. The store is migrated whether
    // they can be removed now or not. Where a copy has its files among them, nobody can tell which these are.
    try? connection.transaction {
      guard ExternalValues.neighbours(ofStoreAt: path).isEmpty else { return }
      let unused = UnusedFiles(
        schema: try StoreOpening.layout(of: model, connection, path: path),
        values: ExternalValues(storePath: path))
      unused.values.remove(try unused.names(connection))
    }
    // The store is migrated; whether the freed pages are given back now or by the next program does not matter.
    try? connection.execute(script: "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private func migrate(_ connection: Connection) throws {
    // Read again, for another process may have migrated the store in the meantime.
    let metadata = try StoreMetadata.read(connection)
    let differences = metadata.differences(from: model)
    if differences.isEmpty { return }
    guard let hashes = metadata.versionHashes,
      let models = try StoreModelFinding(versions: migration.versions, hashes: hashes)
        .path(to: model, connection)
    else { throw StoreError(.unknownVersion(differences), path: path) }
    for (number, (source, target)) in zip(models, models.dropFirst()).enumerated() {
      let step = MigrationStep(
        migration: migration, source: source, target: target, path: path, number: number + 1,
        count: models.count - 1)
      try step.run(on: connection)
    }
    try Task.checkCancellation()
    try metadata.write(for: model, to: connection)
  }
}
