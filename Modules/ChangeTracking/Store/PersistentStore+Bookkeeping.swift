import ObjectStore
import TICDSSQLite

extension PersistentStore {
  /// Whether the file remembers what was synchronised, so that a copy of its objects alone is a store that knows nothing of any remote.
  ///
  /// - Throws: `StoreError` or `SQLiteError`.
  public func isSynchronized() throws -> Bool {
    try newConnection().first("SELECT 1 FROM sqlite_schema WHERE name = 'TICDS_STATE'") != nil
  }
}
