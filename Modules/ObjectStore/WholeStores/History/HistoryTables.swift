import TICDSSQLite

/// The tables of Core Data's persistent history, which stand beside those of a model and tell entities by their numbers.
struct HistoryTables {
  static let names: Set<String> = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]

  /// The number of the first of their entities.
  static let firstNumber: Int64 = 16001

  let connection: Connection

  func losses(_ reason: String) throws(SQLiteError) -> [StoreLoss] {
    var losses: [StoreLoss] = []
    for name in try present() {
      guard case .integer(let count)? = try connection.first("SELECT count(*) FROM \(quote(name))"), count > 0
      else {
        continue
      }
      losses.append(StoreLoss(name, Int(clamping: count), "rows \(reason)"))
    }
    return losses
  }

  private func present() throws(SQLiteError) -> [String] {
    var names: [String] = []
    for name in Self.names.sorted()
    where try connection.first("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", .text(name))
      != nil
    {
      names.append(name)
    }
    return names
  }

  /// Copies tables, rows and indexes, and the entities that history has of its own.
  func copy(to other: Connection) throws {
    for name in try present() {
      let statements = try connection.prepare(
        "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL AND type IN ('table', 'index') ORDER BY rowid"
      )
      try statements.bind(name, at: 1)
      while try statements.step() { try other.run(statements.text(0)) }
      try copyRows("SELECT * FROM \(quote(name))", into: name, of: other)
    }
    try copyRows(
      "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT >= \(Self.firstNumber)",
      into: "Z_PRIMARYKEY",
      of: other)
  }

  private func copyRows(_ query: String, into table: String, of other: Connection) throws {
    let rows = try connection.prepare(query)
    let marks = Array(repeating: "?", count: rows.columnCount).joined(separator: ", ")
    let insertion = try other.prepare("INSERT INTO \(quote(table)) VALUES (\(marks))")
    while try rows.step() {
      for column in 0..<rows.columnCount { try insertion.bind(rows.value(column), at: column + 1) }
      try insertion.run()
    }
  }
}
