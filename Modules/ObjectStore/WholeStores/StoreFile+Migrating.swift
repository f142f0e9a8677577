import Foundation
import TICDSSQLite

extension StoreFile {
  /// Writes a copy of this store that is brought up to another version of its model. This store is not changed.
  ///
  /// The file appears under its name when it is complete. Only SQLite stores can be migrated; copy a binary store as one first.
  /// - Parameters:
  ///   - path: The new file; there must be none.
  ///   - model: The version of the model to migrate to.
  ///   - migration: How. Unless it names versions, this store is taken to be of its own ``model``.
  /// - Throws: ``StoreFileError``, or ``StoreError`` with what cannot be inferred.
  public func migrate(
    to path: String, model: ManagedObjectModel, migration: Migration = .automatic
  ) throws {
    guard let store = persistentStore else {
      throw StoreFileError(.otherFormat, path: self.path, "only an SQLite store can be migrated")
    }
    try WholeFile.refuseTaken(path)
    try ExternalValues.refuseSharing(path, of: self.model)
    try ExternalValues.refuseSharing(path, of: model)
    try WholeFile.make(path) { working in
      // Its folder of long values is none of the new store's: one that a former store of its name has left stays as it is if this fails.
      let copied = ExternalValues(storePath: working)
      do {
        try store.newConnection().backup(to: working)
        try ExternalValues(storePath: self.path).copyFiles(to: copied)
        _ = try PersistentStore(
          model: model, path: working,
          options: .init(access: .readWrite, migration: knowing(self.model, migration)))
        try Connection(path: working).execute(script: "PRAGMA journal_mode = DELETE")
      } catch let error as StoreError where error.path == working {
        // What cannot be inferred is of the store that was there.
        if case .cannotInfer = error.reason { throw error.naming(self.path) }
        throw error.naming(path)
      } catch let error as SQLiteError where error.path == working {
        throw error.naming(path)
      }
      try copied.moveFiles(to: ExternalValues(storePath: path))
    }
  }

  /// Brings this store up to another version of its model, in place. See ``Migration`` for what that means.
  ///
  /// - Throws: ``StoreFileError``, or ``StoreError`` with what cannot be inferred; the store is then as before.
  public func migrate(inPlaceTo model: ManagedObjectModel, migration: Migration = .automatic) throws {
    guard persistentStore != nil else {
      throw StoreFileError(.otherFormat, path: path, "only an SQLite store can be migrated")
    }
    _ = try PersistentStore(
      model: model, path: path,
      options: .init(access: .readWrite, migration: knowing(self.model, migration)))
  }

  private func knowing(_ model: ManagedObjectModel, _ migration: Migration) -> Migration {
    migration.versions.isEmpty && hashDifferences.isEmpty ? migration.starting(from: model) : migration
  }
}
