import CSQLite

/// A row that SQLite lends: that of a statement until it goes on, or that of a ``RowFunction`` during the call.
@frozen public struct BorrowedRow {
  /// Number of columns.
  public let count: Int
  @usableFromInline let arguments: UnsafeMutablePointer<OpaquePointer?>?
  @usableFromInline let statement: OpaquePointer?

  @inlinable init(count: Int, arguments: UnsafeMutablePointer<OpaquePointer?>?, statement: OpaquePointer?) {
    self.count = count
    self.arguments = arguments
    self.statement = statement
  }

  /// The value of a column, from 0 up to ``count``.
  ///
  /// SQLite calls a statement's values unprotected; without mutexes, as ``Connection`` opens its files, all values are alike
  /// (<https://www.sqlite.org/c3ref/value.html>).
  @inlinable public subscript(column: Int) -> BorrowedValue {
    if let arguments { return BorrowedValue(pointer: arguments[column]) }
    return BorrowedValue(pointer: sqlite3_column_value(statement, Int32(column)))
  }
}

/// A value that SQLite lends, as long as the row that it is from.
@frozen public struct BorrowedValue {
  @usableFromInline let pointer: OpaquePointer?

  @inlinable init(pointer: OpaquePointer?) {
    self.pointer = pointer
  }

  /// Whether the value is NULL.
  @inlinable public var isNull: Bool { sqlite3_value_type(pointer) == SQLITE_NULL }

  /// The value as an integer; 0 for NULL.
  @inlinable public var int64: Int64 { sqlite3_value_int64(pointer) }

  /// The value as a real number; 0 for NULL.
  @inlinable public var double: Double { sqlite3_value_double(pointer) }

  /// The value as text in UTF-8; `nil` for NULL.
  @inlinable public var text: UnsafeRawBufferPointer? {
    guard let bytes = sqlite3_value_text(pointer) else { return nil }
    return UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(pointer)))
  }

  /// The value as bytes; `nil` for NULL.
  @inlinable public var blob: UnsafeRawBufferPointer? {
    guard let bytes = sqlite3_value_blob(pointer) else {
      return isNull ? nil : UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(pointer)))
  }
}

extension Statement {
  /// The current row.
  @inlinable public var row: BorrowedRow {
    BorrowedRow(count: Int(sqlite3_column_count(handle)), arguments: nil, statement: handle)
  }
}
