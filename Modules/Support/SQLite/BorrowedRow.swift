import CTICDSSQLite

/// A row that SQLite lends for the time of a call.
@frozen public struct BorrowedRow {
  @usableFromInline let values: UnsafeBufferPointer<OpaquePointer?>

  @inlinable init(_ values: UnsafeBufferPointer<OpaquePointer?>) {
    self.values = values
  }

  /// Number of columns.
  @inlinable public var count: Int { values.count }

  /// The value of a column, from 0 up to ``count``.
  @inlinable public subscript(column: Int) -> BorrowedValue { BorrowedValue(pointer: values[column]) }
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
  /// Calls `body` with the current row.
  ///
  /// SQLite calls a statement's values unprotected; without mutexes, as ``Connection`` opens its files, all values are alike
  /// (<https://www.sqlite.org/c3ref/value.html>).
  public func withRow<R>(_ body: (BorrowedRow) throws -> R) rethrows -> R {
    let count = columnCount
    return try withUnsafeTemporaryAllocation(of: OpaquePointer?.self, capacity: count) { values in
      for column in 0..<count {
        values.initializeElement(at: column, to: sqlite3_column_value(handle, Int32(column)))
      }
      return try body(BorrowedRow(UnsafeBufferPointer(values)))
    }
  }
}
