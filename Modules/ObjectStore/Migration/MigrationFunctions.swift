import TICDSSQLite

/// The functions that the statements of a migration call: they move long values into the row, or mark them.
struct MigrationFunctions {
  /// Returns the value of a column that allows external storage.
  static let inline = "ticds_inline"
  /// Marks a plain value as one that allows external storage.
  static let marked = "ticds_marked"

  let external: ExternalValues

  init(storePath: String) { external = ExternalValues(storePath: storePath) }

  func add(to connection: Connection) throws(SQLiteError) {
    let external = external
    try connection.addFunction(Self.inline, argumentCount: 1) { arguments in
      if arguments.isNull(0) { return .null }
      var value = AttributeValue.data(arguments.blob(0))
      // What is in a file that is missing read as null before. The reference is no value.
      guard external.resolve(&value), case .data(let bytes) = value else { return .null }
      return .blob(bytes)
    }
    try connection.addFunction(Self.marked, argumentCount: 1) { arguments in
      arguments.isNull(0) ? .null : .blob([1] + arguments.blob(0))
    }
  }
}
