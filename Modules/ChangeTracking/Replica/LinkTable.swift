import SQLite

/// The cells of to-many relationships: one add/remove pair per source, relationship and target.
struct LinkTable {
  /// One pair. It is shown if it was added later than removed and later than the source was deleted, and both ends live.
  struct Cell {
    var source: Int64
    var bit: Int
    var target: Int64
    var added = Stamp.zero
    var removed = Stamp.zero
  }

  private let selection: Statement
  private let bySource: Statement
  private let byTarget: Statement
  private let replacement: Statement

  init(connection: Connection) throws {
    let columns = "source, bit, target, added, adder, removed, remover"
    selection = try connection.prepare(
      "SELECT \(columns) FROM TICDS_LINK WHERE source = ? AND bit = ? AND target = ?")
    bySource = try connection.prepare("SELECT \(columns) FROM TICDS_LINK WHERE source = ?")
    byTarget = try connection.prepare("SELECT \(columns) FROM TICDS_LINK WHERE target = ?")
    replacement = try connection.prepare("INSERT OR REPLACE INTO TICDS_LINK VALUES (?, ?, ?, ?, ?, ?, ?)")
  }

  func cell(source: Int64, bit: Int, target: Int64, authors: AuthorTable) throws -> Cell {
    try selection.bind(source, at: 1)
    try selection.bind(Int64(bit), at: 2)
    try selection.bind(target, at: 3)
    guard try selection.step() else { return Cell(source: source, bit: bit, target: target) }
    defer { selection.reset() }
    return read(selection, authors)
  }

  func cells(of source: Int64, authors: AuthorTable) throws -> [Cell] {
    try all(bySource, of: source, authors)
  }

  func cells(to target: Int64, authors: AuthorTable) throws -> [Cell] {
    try all(byTarget, of: target, authors)
  }

  /// The pairs that an author has changed.
  func cells(writtenBy author: Int64, connection: Connection, authors: AuthorTable) throws -> [Cell] {
    let statement = try connection.cached(
      """
      SELECT source, bit, target, added, adder, removed, remover FROM TICDS_LINK
      WHERE adder = ?1 OR remover = ?1 ORDER BY source, bit, target
      """)
    try statement.bind(author, at: 1)
    var cells: [Cell] = []
    while try statement.step() { cells.append(read(statement, authors)) }
    return cells
  }

  /// The next pairs after one, in the order of the table.
  func cells(after cell: Cell?, limit: Int, connection: Connection, authors: AuthorTable) throws -> [Cell] {
    let statement = try connection.cached(
      """
      SELECT source, bit, target, added, adder, removed, remover FROM TICDS_LINK
      WHERE (source, bit, target) > (?, ?, ?) ORDER BY source, bit, target LIMIT ?
      """)
    try statement.bind(cell?.source ?? 0, at: 1)
    try statement.bind(Int64(cell?.bit ?? 0), at: 2)
    try statement.bind(cell?.target ?? 0, at: 3)
    try statement.bind(Int64(limit), at: 4)
    defer { statement.reset() }
    var cells: [Cell] = []
    while try statement.step() { cells.append(read(statement, authors)) }
    return cells
  }

  func remove(_ cell: Cell, connection: Connection) throws {
    try connection.run(
      "DELETE FROM TICDS_LINK WHERE source = ? AND bit = ? AND target = ?", .integer(cell.source),
      .integer(Int64(cell.bit)), .integer(cell.target))
  }

  private func all(_ statement: Statement, of object: Int64, _ authors: AuthorTable) throws -> [Cell] {
    try statement.bind(object, at: 1)
    var cells: [Cell] = []
    while try statement.step() { cells.append(read(statement, authors)) }
    return cells
  }

  private func read(_ statement: Statement, _ authors: AuthorTable) -> Cell {
    Cell(
      source: statement.int64(0), bit: Int(statement.int64(1)), target: statement.int64(2),
      added: authors.stamp(statement.int64(3), statement.int64(4)),
      removed: authors.stamp(statement.int64(5), statement.int64(6)))
  }

  func write(_ cell: Cell, authors: AuthorTable) throws {
    try replacement.bind(cell.source, at: 1)
    try replacement.bind(Int64(cell.bit), at: 2)
    try replacement.bind(cell.target, at: 3)
    try replacement.bind(Int64(bitPattern: cell.added.time.bits), at: 4)
    try replacement.bind(authors.storedNumber(of: cell.added.author), at: 5)
    try replacement.bind(Int64(bitPattern: cell.removed.time.bits), at: 6)
    try replacement.bind(authors.storedNumber(of: cell.removed.author), at: 7)
    try replacement.run()
  }
}
