import SQLite

/// The cells of ordered relationships: for each source, relationship and target the place of one among the other's members,
/// a register merged by "greater stamp wins".
///
/// A place outlives the link, but not the deletion of one of the two objects. It is looked at only where a list shows the
/// member.
struct PlaceTable {
  /// Which register of a pair it is.
  struct Pair: Hashable {
    var source: Int64
    var bit: Int
    var target: Int64
    /// Whether it is the place of the source among the target's members.
    var isInverse: Bool
  }

  struct Cell {
    var pair: Pair
    var key: PlaceKey
    var stamp: Stamp
  }

  private let connection: Connection
  private let selection: Statement
  private let replacement: Statement
  private let targetsOf: Statement
  private let sourcesOf: Statement

  init(connection: Connection) throws {
    self.connection = connection
    let columns = "source, bit, target, inverse, place, time, author"
    selection = try connection.prepare(
      "SELECT \(columns) FROM TICDS_PLACE WHERE source = ? AND bit = ? AND target = ? AND inverse = ?")
    replacement = try connection.prepare("INSERT OR REPLACE INTO TICDS_PLACE VALUES (?, ?, ?, ?, ?, ?, ?)")
    targetsOf = try connection.prepare(
      "SELECT \(columns) FROM TICDS_PLACE WHERE source = ? AND bit = ? AND inverse = 0")
    sourcesOf = try connection.prepare(
      "SELECT \(columns) FROM TICDS_PLACE WHERE target = ? AND inverse = 1")
  }

  func cell(_ pair: Pair, authors: AuthorTable) throws -> Cell? {
    try selection.bind(pair.source, at: 1)
    try selection.bind(Int64(pair.bit), at: 2)
    try selection.bind(pair.target, at: 3)
    try selection.bind(Int64(pair.isInverse ? 1 : 0), at: 4)
    guard try selection.step() else { return nil }
    defer { selection.reset() }
    return read(selection, authors)
  }

  /// The places of the targets of a source.
  func cells(of source: Int64, bit: Int, authors: AuthorTable) throws -> [Cell] {
    try targetsOf.bind(source, at: 1)
    try targetsOf.bind(Int64(bit), at: 2)
    return try all(targetsOf, authors)
  }

  /// The places of the sources of a target, in all relationships that lead to it.
  func cells(to target: Int64, authors: AuthorTable) throws -> [Cell] {
    try sourcesOf.bind(target, at: 1)
    return try all(sourcesOf, authors)
  }

  /// All places of an object among the members of others, and of others among its own.
  func cells(with object: Int64, authors: AuthorTable) throws -> [Cell] {
    let statement = try connection.cached(
      """
      SELECT source, bit, target, inverse, place, time, author FROM TICDS_PLACE WHERE source = ?1 OR target = ?1
      """)
    try statement.bind(object, at: 1)
    return try all(statement, authors)
  }

  /// Forgets all places of an object and of its members.
  func removeAll(with object: Int64) throws {
    try connection.run("DELETE FROM TICDS_PLACE WHERE source = ?1 OR target = ?1", .integer(object))
  }

  /// The places that an author has written.
  func cells(writtenBy author: Int64, authors: AuthorTable) throws -> [Cell] {
    let statement = try connection.cached(
      """
      SELECT source, bit, target, inverse, place, time, author FROM TICDS_PLACE WHERE author = ?
      ORDER BY source, bit, target, inverse
      """)
    try statement.bind(author, at: 1)
    return try all(statement, authors)
  }

  func write(_ cell: Cell, authors: AuthorTable) throws {
    try replacement.bind(cell.pair.source, at: 1)
    try replacement.bind(Int64(cell.pair.bit), at: 2)
    try replacement.bind(cell.pair.target, at: 3)
    try replacement.bind(Int64(cell.pair.isInverse ? 1 : 0), at: 4)
    try replacement.bind(cell.key.bytes, at: 5)
    try replacement.bind(Int64(bitPattern: cell.stamp.time.bits), at: 6)
    try replacement.bind(authors.storedNumber(of: cell.stamp.author), at: 7)
    try replacement.run()
  }

  private func all(_ statement: Statement, _ authors: AuthorTable) throws -> [Cell] {
    var cells: [Cell] = []
    while try statement.step() { cells.append(read(statement, authors)) }
    return cells
  }

  private func read(_ statement: Statement, _ authors: AuthorTable) -> Cell {
    Cell(
      pair: Pair(
        source: statement.int64(0), bit: Int(statement.int64(1)), target: statement.int64(2),
        isInverse: statement.int64(3) != 0),
      key: PlaceKey(bytes: statement.blob(4)), stamp: authors.stamp(statement.int64(5), statement.int64(6)))
  }
}
