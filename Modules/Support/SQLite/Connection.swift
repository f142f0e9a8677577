import CTICDSSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One connection to an SQLite database file.
///
/// A connection is confined to the isolation domain that opened it and is not `Sendable`; open one per context or
/// actor. In WAL mode readers on other connections never wait for a writer.
public final class Connection {
  /// How a file is opened.
  public struct Options: Sendable {
    /// What may be done with the file.
    public enum Access: Sendable {
      /// The file must exist and is not written. SQLite may still make or change files beside it.
      case readOnly
      /// The file must exist, and nobody changes it while it is open: no file is written, made or locked.
      case immutable
      /// As ``immutable``, but with a write-ahead log beside the file, which is read too. Its index is kept in memory.
      case immutableWithLog
      /// The file must exist.
      case readWrite
      /// The file is made if it does not exist.
      case create
      /// There is no file: the path names a database in the memory of this process, which all connections share that name it. It
      /// is made if it does not exist and goes with the last of them. Begins with a slash.
      case sharedMemory
    }

    /// What may be done with the file.
    public var access: Access
    /// How long a statement waits for another connection's lock, in milliseconds.
    public var busyTimeout: Int32

    /// Options with a busy timeout of five seconds.
    public init(access: Access = .create, busyTimeout: Int32 = 5_000) {
      self.access = access
      self.busyTimeout = busyTimeout
    }
  }

  /// The file, as given when opening.
  public let path: String
  /// The connection as SQLite's C interface knows it, valid as long as this object.
  public let handle: OpaquePointer
  /// What closes the handle, if that is not this object's to do.
  private let handleIsShared: Bool
  private let owner: AnyObject?
  private var statements: [String: Statement] = [:]
  var interruption: Interruption?
  /// What the handler of locks asks; it lives as long as that.
  var lockWait: LockWait?
  var endings: [(_ isCommitted: Bool) -> Void] = []

  /// Opens a database file. `":memory:"` is a private database in memory.
  ///
  /// - Throws: ``SQLiteError`` with `cannotOpen`, `notADatabase`, `readOnly` or `inputOutput`.
  public init(path: String, options: Options = Options()) throws(SQLiteError) {
    let flags =
      switch options.access {
      case .readOnly: SQLITE_OPEN_READONLY
      case .immutable, .immutableWithLog: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .sharedMemory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
      }
    var database: OpaquePointer?
    let name =
      switch options.access {
      case .immutable: Self.uri(path, "immutable=1")
      // Without locks SQLite cannot share an index, and in exclusive mode it needs not.
      case .immutableWithLog: Self.uri(path, "vfs=unix-none")
      case .sharedMemory: Self.uri(path, "vfs=memdb")
      // SQLite may be built to take such names for addresses.
      case .readOnly, .readWrite, .create: path.hasPrefix("file:") ? "./" + path : path
      }
    let code = sqlite3_open_v2(name, &database, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let database else {
      let message = database.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      var number = database.map { sqlite3_system_errno($0) } ?? 0
      if options.access == .create, number == ENOENT { number = Self.refusal(ofFolderOf: path) ?? number }
      sqlite3_close_v2(database)
      throw SQLiteError(extendedCode: code, systemError: number, message: message, sql: nil, path: path)
    }
    handle = database
    handleIsShared = false
    owner = nil
    self.path = path
    waitForLocks(options.busyTimeout)
    if options.access == .immutableWithLog {
      ticds_set_no_checkpoint_on_close(database, 1)
      try execute(script: "PRAGMA locking_mode = EXCLUSIVE")
    }
  }

  /// Works on a connection that somebody else opened and closes.
  ///
  /// Busy timeout and all other settings stay as they are.
  /// - Parameters:
  ///   - handle: a `sqlite3 *`, which must stay open as long as this object and its statements.
  ///   - path: its file, for messages.
  ///   - owner: kept alive as long as this object.
  public init(sharing handle: OpaquePointer, path: String, keeping owner: AnyObject? = nil) {
    self.handle = handle
    handleIsShared = true
    self.owner = owner
    self.path = path
  }

  deinit {
    guard !handleIsShared else { return }
    waitNoMore()
    // Zombie-closes: the handle lives until the last statement that a caller still holds is finalized.
    sqlite3_close_v2(handle)
  }

  private static func uri(_ path: String, _ parameters: String) -> String {
    var uri = "file:"
    for byte in path.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F:
        uri.unicodeScalars.append(.init(byte))
      default: uri += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return uri + "?" + parameters
  }

  /// Why no file can be made in a folder that is there. SQLite says that the file does not exist, for it then tries to read it.
  private static func refusal(ofFolderOf path: String) -> Int32? {
    let folder = path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
    guard access(folder.isEmpty ? "/" : folder, W_OK) != 0 else { return nil }
    return errno
  }

  func lastError(sql: String?) -> SQLiteError {
    SQLiteError(
      extendedCode: sqlite3_extended_errcode(handle), systemError: sqlite3_system_errno(handle),
      message: String(cString: sqlite3_errmsg(handle)), sql: sql, path: path)
  }
}

// MARK: - Statements

extension Connection {
  /// Compiles one statement for repeated use by the caller.
  public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw lastError(sql: sql) }
    return Statement(handle: statement, connection: self)
  }

  /// The connection's own compiled copy of a statement, reset and without bindings.
  ///
  /// Do not nest two uses of the same text: both would step the same cursor.
  public func cached(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = statements[sql] {
      statement.reset()
      statement.clearBindings()
      return statement
    }
    let statement = try prepare(sql)
    statements[sql] = statement
    return statement
  }

  /// Executes one cached statement with the given values.
  public func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) {
    let statement = try cached(sql)
    try statement.bind(values)
    try statement.run()
  }

  /// Executes a script of several statements without values.
  public func execute(script: String) throws(SQLiteError) {
    guard sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK else { throw lastError(sql: script) }
  }

  /// The first column of the first row, or `nil` if there is no row.
  public func first(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) -> SQLiteValue? {
    let statement = try cached(sql)
    try statement.bind(values)
    defer { statement.reset() }
    return try statement.step() ? statement.value(0) : nil
  }

  /// Row ID of the last insertion.
  public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Rows changed by the last statement, without those changed by triggers.
  public var changes: Int { Int(sqlite3_changes(handle)) }

  /// A counter that changes whenever the database does, by this connection or another.
  ///
  /// It is brought up to date when a transaction begins to read. Costs no statement.
  public var dataVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Ends the execution of all statements of the cache: whoever threw in the middle of one would leave its read lock behind, and with it
  /// an old state of the file to every later read.
  public func resetCachedStatements() {
    for statement in statements.values { statement.reset() }
  }

  /// Drops the cached statements, for example before the schema changes.
  public func clearStatementCache() {
    statements.removeAll()
  }
}
