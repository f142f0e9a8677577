import CTICDSSQLite

/// A function of SQL that takes rows as they are found: `SELECT name(a, b, c) FROM …` calls it once for every row.
///
/// It sees all columns of a row at once, where a statement is asked for each of them: for wide rows that takes half the time.
/// With `ORDER BY` SQLite may call it before sorting. The result is always NULL.
open class RowFunction {
  /// For subclasses.
  public init() {}

  /// Called with the arguments of one row. Do not use the connection here.
  open func receive(_ row: BorrowedRow) {}
}

extension Connection {
  /// Adds a function that takes rows, with any number of columns. The connection holds on to it.
  public func addRowFunction(_ name: String, _ function: RowFunction) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, Unmanaged.passRetained(function).toOpaque(),
      { context, count, values in
        guard let data = sqlite3_user_data(context) else { return }
        // The connection holds on to the function; counting that for each row would cost as much as a column.
        Unmanaged<RowFunction>.fromOpaque(data)._withUnsafeGuaranteedRef {
          $0.receive(BorrowedRow(UnsafeBufferPointer(start: values, count: Int(count))))
        }
      }, nil, nil,
      { data in
        if let data { Unmanaged<RowFunction>.fromOpaque(data).release() }
      })
    // SQLite has released the function already if it refuses.
    if code != SQLITE_OK { throw lastError(sql: nil) }
  }
}
