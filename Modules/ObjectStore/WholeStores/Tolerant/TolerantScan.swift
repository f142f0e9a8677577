import TICDSSQLite

/// Goes through the rows of a table in which pages may be damaged, in the order of the numbers that SQLite gives them.
///
/// SQLite gives up where it meets a damaged page, so the scan begins again with the next number, and the next, until a row can be
/// read: each row of a sound page in its place is found. Where a great many numbers cannot be read the steps get longer, so that work
/// is bounded.
struct TolerantScan {
  /// So many failures in one table cost no row; after them steps get longer.
  private static let patience = 20_000

  /// The numbers that could not be read; the last is `nil` where the table's end could not be found.
  struct Gap {
    let first: Int64
    let last: Int64?
  }

  /// What a scan meets besides rows.
  enum Finding {
    case gap(Gap)
    /// A row whose number is not between those before and after it: it, or its page, was changed, and it is left out.
    case misplaced
  }

  private let connection: Connection
  private let table: String
  private let columns: [String]
  /// The name of SQLite's own number; `nil` if all its names are taken.
  private let rowID: String?

  /// - Parameters:
  ///   - columns: What is read of each row besides its number. Values that can be so long that they have pages of their own are better
  ///     looked up: they could not be told from the row.
  ///   - present: All columns that the table has.
  init(connection: Connection, table: String, columns: [String], present: Set<String>) {
    self.connection = connection
    self.table = table
    self.columns = columns
    rowID = Self.rowID(besides: present)
  }

  /// A name for SQLite's own number of a row that is no column.
  static func rowID(besides columns: Set<String>) -> String? {
    let taken = Set(columns.map { $0.lowercased() })
    return ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
  }

  /// Calls `body` with what `decode` makes of each row, in ascending order.
  ///
  /// - Parameter decode: Gets a statement of which column 0 is the row's number; the columns that were asked for follow.
  /// - Throws: ``SQLiteError`` for what is no damage, and what `body` throws.
  func run<Row>(
    found: (Finding) -> Void, decode: (Statement) -> Row, _ body: (Int64, Row) throws -> Void
  ) throws {
    var place = Place()
    var held: (key: Int64, row: Row)?
    var last = Int64.min
    var statement: Statement?
    var begins = true
    /// Moves on behind what cannot be read; `false` at the end, where all is done.
    func skip() throws -> Bool {
      try Task.checkCancellation()
      begins = true
      if place.skip(to: try place.end ?? greatest()) { return true }
      if let held { try body(held.key, held.row) }
      found(.gap(Gap(first: place.gap ?? 1, last: nil)))
      return false
    }
    while true {
      let next: (key: Int64, row: Row)?
      do {
        next = try step(&statement, from: begins ? place.next : nil, decode)
        begins = false
      } catch {
        guard error.isDamage else { throw error }
        // Where nothing can be compiled no other number helps.
        if error.code == .generic { place.end = .min }
        guard try skip() else { return }
        continue
      }
      if let next, next.key < place.next {
        found(.misplaced)
        place.failures += 1
        if place.failures > Self.patience {
          // Pages that lead to each other would give rows for ever.
          guard try skip() else { return }
        } else if place.gap == nil, held != nil, next.key > last {
          // The row before stands between two that are in order.
          held = next
          place.next = next.key + 1
        }
        continue
      }
      if let held {
        try body(held.key, held.row)
        last = held.key
      }
      if let first = place.gap, next.map({ $0.key > first }) ?? true {
        found(.gap(Gap(first: first, last: next.map { $0.key - 1 })))
      }
      place.gap = nil
      held = next
      guard let next else { return }
      guard next.key < .max else { return try body(next.key, next.row) }
      place.next = next.key + 1
    }
  }

  /// Where a scan is, and how it gets on.
  private struct Place {
    var next = Int64.min
    /// The first number since the last row that could be read, if some could not.
    var gap: Int64?
    var failures = 0
    var end: Int64?
    private var stride: Int64 = 1

    /// Moves on behind a damaged place; `false` at the end.
    mutating func skip(to end: Int64) -> Bool {
      self.end = end
      failures += 1
      if gap == nil {
        gap = max(next, 1)
        stride = 1
      }
      if failures > TolerantScan.patience {
        let (doubled, overflows) = stride.multipliedReportingOverflow(by: 2)
        if !overflows { stride = doubled }
      }
      let (sum, overflows) = next < 1 ? (1, false) : next.addingReportingOverflow(stride)
      guard !overflows, sum <= end else { return false }
      next = sum
      return true
    }
  }

  /// - Parameter key: Where to begin again; `nil` to go on.
  private func step<Row>(
    _ statement: inout Statement?, from key: Int64?, _ decode: (Statement) -> Row
  ) throws(SQLiteError) -> (key: Int64, row: Row)? {
    guard let rowID else {
      throw SQLiteError(extendedCode: 1, message: "rows have no numbers", sql: nil, path: connection.path)
    }
    let rows: Statement
    if let statement {
      rows = statement
    } else {
      let list = ([rowID] + columns.map(quote)).joined(separator: ", ")
      rows = try connection.prepare(
        "SELECT \(list) FROM \(quote(table)) NOT INDEXED WHERE \(rowID) >= ? ORDER BY \(rowID)")
      statement = rows
    }
    if let key {
      rows.reset()
      try rows.bind(key, at: 1)
    }
    guard try rows.step() else { return nil }
    return (rows.int64(0), decode(rows))
  }

  /// No number that was handed out is greater.
  private func greatest() throws(SQLiteError) -> Int64 {
    var greatest: Int64?
    for sql in [
      "SELECT max(\(rowID ?? "rowid")) FROM \(quote(table)) NOT INDEXED",
      "SELECT max(Z_MAX) FROM Z_PRIMARYKEY",
    ] {
      do {
        if case .integer(let key)? = try connection.first(sql) { greatest = max(greatest ?? key, key) }
      } catch {
        guard error.isDamage else { throw error }
      }
    }
    return greatest ?? .max
  }
}
