import CTICDSSQLite

/// The row changes between two database files, by SQLite's session extension: the yardstick for size and speed.
///
/// See <https://www.sqlite.org/sessionintro.html>.
enum SessionChanges {
  struct Failure: Error { var code: Int32 }

  /// The changeset that makes the tables of one file out of those of another.
  static func difference(from before: String, to after: String) throws -> [UInt8] {
    let database = try open(after)
    defer { sqlite3_close_v2(database) }
    try check(sqlite3_exec(database, "ATTACH '\(before)' AS before", nil, nil, nil))
    var session: OpaquePointer?
    try check(sqlite3session_create(database, "main", &session))
    defer { sqlite3session_delete(session) }
    for table in ["ZFOLDER", "ZNOTE", "ZTAG", "Z_2TAGS"] {
      try check(sqlite3session_attach(session, table))
      try check(sqlite3session_diff(session, "before", table, nil))
    }
    var count: Int32 = 0
    var bytes: UnsafeMutableRawPointer?
    try check(sqlite3session_changeset(session, &count, &bytes))
    defer { sqlite3_free(bytes) }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }

  /// Applies a changeset to a file in one transaction. Gives the seconds that it took.
  static func apply(_ changeset: inout [UInt8], to path: String) throws -> Double {
    let database = try open(path)
    defer { sqlite3_close_v2(database) }
    try check(sqlite3_exec(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", nil, nil, nil))
    return try seconds {
      let code = changeset.withUnsafeMutableBytes { bytes in
        sqlite3changeset_apply(
          database, Int32(bytes.count), bytes.baseAddress, nil, { _, _, _ in SQLITE_CHANGESET_ABORT }, nil)
      }
      try check(code)
    }
  }

  private static func open(_ path: String) throws -> OpaquePointer {
    var database: OpaquePointer?
    try check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
    guard let database else { throw Failure(code: SQLITE_NOMEM) }
    return database
  }

  private static func check(_ code: Int32) throws {
    if code != SQLITE_OK { throw Failure(code: code) }
  }
}
