import CTICDSSQLite

/// A prepared statement.
///
/// A statement belongs to its connection's isolation and must not outlive the connection. Parameters are numbered from 1,
/// columns from 0, as in SQLite. Call ``reset()`` after the last ``step()`` so that no read lock stays behind;
/// ``Connection/run(_:_:)`` and ``run()`` do it themselves.
public final class Statement {
  @usableFromInline let handle: OpaquePointer
  // Unowned, for the connection caches statements: a strong reference would make a cycle.
  private unowned let connection: Connection

  init(handle: OpaquePointer, connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// The statement's text.
  public var sql: String { String(cString: sqlite3_sql(handle)) }

  /// Number of columns in each row.
  public var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The greatest number of a parameter.
  public var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

  /// Name of a column, as the statement gives it.
  public func columnName(_ column: Int) -> String {
    sqlite3_column_name(handle, Int32(column)).map { String(cString: $0) } ?? ""
  }

  /// What a column was declared as where it is one of a table, also behind a view; `nil` for what is computed.
  public func declaredType(_ column: Int) -> String? {
    sqlite3_column_decltype(handle, Int32(column)).map { String(cString: $0) }
  }

  /// Whether running the statement leaves all databases as they are.
  public var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// Advances to the next row. Returns `false` when there is none; the statement is then reset.
  public func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW:
      return true
    case SQLITE_DONE:
      sqlite3_reset(handle)
      return false
    default:
      let error = connection.lastError(sql: sql)
      sqlite3_reset(handle)
      throw error
    }
  }

  /// Executes to the end, ignoring rows, and resets.
  public func run() throws(SQLiteError) {
    while try step() {}
  }

  /// Ends the current execution; bindings stay.
  public func reset() {
    sqlite3_reset(handle)
  }

  /// Forgets all bound values.
  public func clearBindings() {
    sqlite3_clear_bindings(handle)
  }

  private func check(_ code: Int32) throws(SQLiteError) {
    if code != SQLITE_OK { throw connection.lastError(sql: sql) }
  }
}

// MARK: - Binding

extension Statement {
  /// Binds NULL.
  public func bindNull(_ parameter: Int) throws(SQLiteError) {
    try check(sqlite3_bind_null(handle, Int32(parameter)))
  }

  /// Binds an integer.
  public func bind(_ value: Int64, at parameter: Int) throws(SQLiteError) {
    try check(sqlite3_bind_int64(handle, Int32(parameter), value))
  }

  /// Binds a real number. SQLite stores NaN as NULL.
  public func bind(_ value: Double, at parameter: Int) throws(SQLiteError) {
    try check(sqlite3_bind_double(handle, Int32(parameter), value))
  }

  /// Binds text; the bytes are copied.
  public func bind(_ value: String, at parameter: Int) throws(SQLiteError) {
    var value = value
    let code = value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        ticds_bind_text(handle, Int32(parameter), $0.baseAddress, UInt64($0.count))
      }
    }
    try check(code)
  }

  /// Binds bytes; they are copied.
  public func bind(_ value: [UInt8], at parameter: Int) throws(SQLiteError) {
    let code =
      value.isEmpty
      ? sqlite3_bind_zeroblob(handle, Int32(parameter), 0)
      : value.withUnsafeBytes { ticds_bind_blob(handle, Int32(parameter), $0.baseAddress, UInt64($0.count)) }
    try check(code)
  }

  /// Binds bytes, of which there are some; they are copied.
  public func bind(_ bytes: UnsafeRawBufferPointer, at parameter: Int) throws(SQLiteError) {
    try check(ticds_bind_blob(handle, Int32(parameter), bytes.baseAddress, UInt64(bytes.count)))
  }

  /// Binds a value of any storage class.
  public func bind(_ value: SQLiteValue, at parameter: Int) throws(SQLiteError) {
    switch value {
    case .null: try bindNull(parameter)
    case .integer(let value): try bind(value, at: parameter)
    case .real(let value): try bind(value, at: parameter)
    case .text(let value): try bind(value, at: parameter)
    case .blob(let value): try bind(value, at: parameter)
    }
  }

  /// Binds the parameters 1, 2, … in order.
  public func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
  }
}

// MARK: - Columns

extension Statement {
  /// Whether the column is NULL.
  @inlinable public func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  /// The column as an integer; 0 for NULL.
  @inlinable public func int64(_ column: Int) -> Int64 {
    sqlite3_column_int64(handle, Int32(column))
  }

  /// The column as a real number; 0 for NULL.
  @inlinable public func double(_ column: Int) -> Double {
    sqlite3_column_double(handle, Int32(column))
  }

  /// The column as text; empty for NULL.
  public func text(_ column: Int) -> String {
    guard let bytes = sqlite3_column_text(handle, Int32(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// The column as bytes; empty for NULL.
  public func blob(_ column: Int) -> [UInt8] {
    guard let bytes = sqlite3_column_blob(handle, Int32(column)) else { return [] }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// Calls `body` with the column's bytes without copying them; they are valid only during the call.
  @inlinable public func withBlob<R>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows
    -> R
  {
    let bytes = sqlite3_column_blob(handle, Int32(column))
    let count = bytes == nil ? 0 : Int(sqlite3_column_bytes(handle, Int32(column)))
    return try body(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// Calls `body` with the column's text in UTF-8 without copying it; valid only during the call.
  @inlinable public func withText<R>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows
    -> R
  {
    let bytes = sqlite3_column_text(handle, Int32(column))
    let count = bytes == nil ? 0 : Int(sqlite3_column_bytes(handle, Int32(column)))
    return try body(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// The column in the storage class that the row holds.
  public func value(_ column: Int) -> SQLiteValue {
    switch sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: .integer(int64(column))
    case SQLITE_FLOAT: .real(double(column))
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .blob(blob(column))
    default: .null
    }
  }

  /// The column as text, or `nil` for NULL.
  public func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

  /// The column as an integer, or `nil` for NULL.
  public func optionalInt64(_ column: Int) -> Int64? { isNull(column) ? nil : int64(column) }
}
