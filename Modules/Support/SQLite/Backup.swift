import CTICDSSQLite

/// How far a backup is.
public struct BackupProgress: Sendable, Hashable {
  /// Pages that are still to be copied.
  public let remaining: Int
  /// Pages of the database as of the last step; it may grow meanwhile.
  public let total: Int
}

extension Connection {
  /// Copies the whole database, as it is at one moment, into another file, while others read and write.
  ///
  /// Between two steps nothing is locked. What this connection writes meanwhile is copied too; when another connection writes,
  /// copying begins anew. The copy is complete in its one file.
  /// - Parameters:
  ///   - path: The file to write. What it held is replaced; if the backup fails, it is left incomplete.
  ///   - pagesPerStep: How many pages are copied at once, at least 1.
  ///   - progress: Called after each step; what it throws ends the backup.
  /// - Throws: ``SQLiteError``, `CancellationError` once the task is cancelled, or what `progress` throws.
  public func backup(
    to path: String, pagesPerStep: Int32 = 256, progress: (BackupProgress) throws -> Void = { _ in }
  ) throws {
    let target = try Connection(path: path)
    guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw target.lastError(sql: nil)
    }
    do {
      defer { sqlite3_backup_finish(backup) }
      var attempts = 0
      copying: while true {
        try Task.checkCancellation()
        let code = sqlite3_backup_step(backup, max(1, pagesPerStep))
        switch code {
        case SQLITE_OK, SQLITE_DONE:
          attempts = 0
          try progress(
            BackupProgress(
              remaining: Int(sqlite3_backup_remaining(backup)), total: Int(sqlite3_backup_pagecount(backup))))
          if code == SQLITE_DONE { break copying }
        case SQLITE_BUSY, SQLITE_LOCKED:
          attempts += 1
          if attempts > 100 {
            throw SQLiteError(
              extendedCode: code, message: "the database is locked", sql: nil, path: self.path)
          }
          sqlite3_sleep(50)
        default:
          throw SQLiteError(
            extendedCode: code, systemError: sqlite3_system_errno(target.handle),
            message: String(cString: sqlite3_errstr(code)), sql: nil, path: path)
        }
      }
    }
    // The header that was copied may promise a write-ahead log, which the copy has not.
    try target.execute(script: "PRAGMA journal_mode = DELETE")
  }
}
