/// A value in one of SQLite's five storage classes.
public enum SQLiteValue: Hashable, Sendable {
  /// SQL NULL.
  case null
  /// A signed 64-bit integer.
  case integer(Int64)
  /// An IEEE 754 double.
  case real(Double)
  /// UTF-8 text.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}
