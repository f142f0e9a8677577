import TICDSSQLite

/// A table of a damaged store, as far as its columns are known.
struct TolerantTable {
  let name: String
  let columns: Set<String>
  /// Whether `Z_PK` is SQLite's own number of a row, as Core Data makes it.
  let isKeyed: Bool

  /// Reads the description of a table.
  init(_ name: String, _ connection: Connection) throws(SQLiteError) {
    self.name = name
    var columns: Set<String> = []
    var isKeyed = false
    let listing = try connection.prepare("SELECT name, type, pk FROM pragma_table_info(?)")
    try listing.bind(name, at: 1)
    while try listing.step() {
      columns.insert(listing.text(0))
      if listing.text(0) == "Z_PK" {
        isKeyed = listing.text(1).uppercased() == "INTEGER" && listing.int64(2) == 1
      }
    }
    self.columns = columns
    self.isKeyed = isKeyed
  }

  func scan(_ columns: [String], _ connection: Connection) -> TolerantScan {
    TolerantScan(connection: connection, table: name, columns: columns, present: self.columns)
  }

  /// Goes through the rows with their keys and the numbers of their entities; a row without a key has SQLite's own number for one.
  func forEachRow(
    _ connection: Connection, _ list: OmissionList, _ body: (_ row: TolerantRow) throws -> Void
  ) throws {
    try scan(["Z_PK", "Z_ENT"], connection).run { finding in
      list.note(finding, in: name)
    } decode: { statement in
      (statement.value(1), statement.value(2))
    } _: { rowID, values in
      var row = TolerantRow(rowID: rowID, key: rowID, number: nil)
      if case .integer(let key) = values.0 {
        row.key = key
      } else {
        list.note(name, "rows without a key, which have SQLite's own number for one", count: 1)
      }
      if case .integer(let number) = values.1 { row.number = number }
      try body(row)
    }
  }

  /// A statement that looks columns of a row up by SQLite's own number of it.
  func lookUp(_ columns: [String], _ connection: Connection) throws(SQLiteError) -> Statement {
    let list = (["1"] + columns.map(quote)).joined(separator: ", ")
    return try connection.prepare(
      "SELECT \(list) FROM \(quote(name)) NOT INDEXED WHERE \(TolerantScan.rowID(besides: self.columns) ?? "rowid") = ?"
    )
  }
}

/// What tells a row of a damaged store from others.
struct TolerantRow {
  let rowID: Int64
  var key: Int64
  /// The number of its entity; `nil` if there is none.
  var number: Int64?
}
