import TICDSSQLite

/// The cells of to-many relationships: one add/remove pair per source, relationship and target.
struct LinkTable {
  /// One pair. It is shown if it was added later than removed and later than the source was deleted, and both ends live.
  struct Cell {
    var source: RecordID
    var bit: PropertyBit
    var target: RecordID
    var added = Stamp.zero
    var removed = Stamp.zero
  }

  /// How often a cell was written or removed.
  final class Writes {
    fileprivate(set) var count = 0
  }

  let writes = Writes()
  private static let columns = "source, bit, target, added, adder, removed, remover"
  private let selection: Statement
  private let bySource: Statement
  private let byTarget: Statement
  private let replacement: Statement
  private let connection: Connection
  private let authors: AuthorTable

  init(connection: Connection, authors: AuthorTable) throws {
    self.connection = connection
    self.authors = authors
    selection = try connection.cached(
      "SELECT \(Self.columns) FROM TICDS_LINK WHERE source = ? AND bit = ? AND target = ?")
    bySource = try connection.cached("SELECT \(Self.columns) FROM TICDS_LINK WHERE source = ?")
    byTarget = try connection.cached("SELECT \(Self.columns) FROM TICDS_LINK WHERE target = ?")
    replacement = try connection.cached("INSERT OR REPLACE INTO TICDS_LINK VALUES (?, ?, ?, ?, ?, ?, ?)")
  }

  func cell(_ source: RecordID, _ bit: PropertyBit, _ target: RecordID) throws -> Cell {
    try selection.bind(source.rawValue, at: 1)
    try selection.bind(Int64(bit.rawValue), at: 2)
    try selection.bind(target.rawValue, at: 3)
    guard try selection.step() else { return Cell(source: source, bit: bit, target: target) }
    defer { selection.reset() }
    return read(selection)
  }

  /// The pairs of a source.
  func cells(of source: RecordID) throws -> [Cell] {
    try bySource.bind(source.rawValue, at: 1)
    return try all(bySource)
  }

  /// The pairs of a source that were added at a time or later, in the order of these times.
  func cells(of source: RecordID, addedSince time: LogicalTime, limit: Int) throws -> [Cell] {
    let statement = try connection.cached(
      "SELECT \(Self.columns) FROM TICDS_LINK WHERE source = ? AND added >= ? ORDER BY added LIMIT ?")
    try statement.bind(source.rawValue, at: 1)
    try statement.bind(Int64(bitPattern: time.bits), at: 2)
    try statement.bind(Int64(limit), at: 3)
    return try all(statement)
  }

  /// The pairs of a target.
  func cells(to target: RecordID) throws -> [Cell] {
    try byTarget.bind(target.rawValue, at: 1)
    return try all(byTarget)
  }

  /// The pairs that an author has changed.
  func cells(writtenBy author: AuthorID) throws -> [Cell] {
    let statement = try connection.cached(
      """
      SELECT \(Self.columns) FROM TICDS_LINK WHERE adder = ?1 OR remover = ?1 ORDER BY source, bit, target
      """)
    try statement.bind(authors.storedNumber(of: author), at: 1)
    return try all(statement)
  }

  /// The pairs that fulfil a condition.
  func cells(where condition: String, _ values: [SQLiteValue]) throws -> [Cell] {
    let statement = try connection.prepare(
      "SELECT \(Self.columns) FROM TICDS_LINK WHERE \(condition) ORDER BY source, bit, target")
    try statement.bind(values)
    return try all(statement)
  }

  /// Whether there is a pair of these ends in any relationship.
  func contains(_ source: RecordID, _ target: RecordID) throws -> Bool {
    try connection.first(
      "SELECT EXISTS (SELECT 1 FROM TICDS_LINK WHERE target = ? AND source = ?)", .integer(target.rawValue),
      .integer(source.rawValue)) == .integer(1)
  }

  /// The next pairs after one, in the order of the table.
  func cells(after cell: Cell?, limit: Int) throws -> [Cell] {
    let statement = try connection.cached(
      """
      SELECT \(Self.columns) FROM TICDS_LINK
      WHERE (source, bit, target) > (?, ?, ?) ORDER BY source, bit, target LIMIT ?
      """)
    try statement.bind(cell?.source.rawValue ?? 0, at: 1)
    try statement.bind(Int64(cell?.bit.rawValue ?? 0), at: 2)
    try statement.bind(cell?.target.rawValue ?? 0, at: 3)
    try statement.bind(Int64(limit), at: 4)
    return try all(statement)
  }

  func remove(_ cell: Cell) throws {
    writes.count += 1
    try connection.run(
      "DELETE FROM TICDS_LINK WHERE source = ? AND bit = ? AND target = ?", .integer(cell.source.rawValue),
      .integer(Int64(cell.bit.rawValue)), .integer(cell.target.rawValue))
  }

  private func all(_ statement: Statement) throws -> [Cell] {
    var cells: [Cell] = []
    while try statement.step() { cells.append(read(statement)) }
    return cells
  }

  private func read(_ statement: Statement) -> Cell {
    Cell(
      source: RecordID(rawValue: statement.int64(0)),
      bit: PropertyBit(rawValue: Int(clamping: statement.int64(1))),
      target: RecordID(rawValue: statement.int64(2)),
      added: authors.stamp(statement.int64(3), statement.int64(4)),
      removed: authors.stamp(statement.int64(5), statement.int64(6)))
  }

  func write(_ cell: Cell) throws {
    writes.count += 1
    try replacement.bind(cell.source.rawValue, at: 1)
    try replacement.bind(Int64(cell.bit.rawValue), at: 2)
    try replacement.bind(cell.target.rawValue, at: 3)
    try replacement.bind(Int64(bitPattern: cell.added.time.bits), at: 4)
    try replacement.bind(authors.storedNumber(of: cell.added.author), at: 5)
    try replacement.bind(Int64(bitPattern: cell.removed.time.bits), at: 6)
    try replacement.bind(authors.storedNumber(of: cell.removed.author), at: 7)
    try replacement.run()
  }
}
