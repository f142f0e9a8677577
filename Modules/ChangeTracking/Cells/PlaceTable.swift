import TICDSSQLite

/// The cells of ordered relationships: for each source, relationship and target the place of one among the other's members,
/// a register merged by "greater stamp wins".
///
/// A place outlives the link, but not the deletion of one of the two objects. It is looked at only where a list shows the
/// member.
struct PlaceTable {
  /// Which register of a pair it is.
  struct Pair: Hashable {
    var source: RecordID
    var bit: PropertyBit
    var target: RecordID
    /// Whether it is the place of the source among the target's members.
    var isInverse: Bool
  }

  struct Cell {
    var pair: Pair
    var key: PlaceKey
    var stamp: Stamp
  }

  private let connection: Connection
  private let authors: AuthorTable
  private let selection: Statement
  private let replacement: Statement

  init(connection: Connection, authors: AuthorTable) throws {
    self.connection = connection
    self.authors = authors
    let columns = "source, bit, target, inverse, place, time, author"
    // Without the plus, SQLite compiles the statement anew for each value, for indexes of one value might do.
    selection = try connection.cached(
      "SELECT \(columns) FROM TICDS_PLACE WHERE source = ? AND bit = ? AND target = ? AND +inverse = ?")
    replacement = try connection.cached("INSERT OR REPLACE INTO TICDS_PLACE VALUES (?, ?, ?, ?, ?, ?, ?)")
  }

  func cell(_ pair: Pair) throws -> Cell? {
    try selection.bind(pair.source.rawValue, at: 1)
    try selection.bind(Int64(pair.bit.rawValue), at: 2)
    try selection.bind(pair.target.rawValue, at: 3)
    try selection.bind(Int64(pair.isInverse ? 1 : 0), at: 4)
    guard try selection.step() else { return nil }
    defer { selection.reset() }
    return read(selection)
  }

  /// A place with what the file says of the member's record.
  struct MemberPlace {
    var cell: Cell
    var row: RowNumber
    var entity: EntityNumber
    var deleted: Stamp
  }

  /// The places of an object's members that rows show, from the file as it was last flushed. Of the sources, those in all
  /// relationships that lead to it.
  func shownMembers(of owner: RecordID, _ bit: PropertyBit, isInverse: Bool) throws -> [MemberPlace] {
    let statement = try connection.cached(Self.shownMembers(isInverse: isInverse))
    try statement.bind(owner.rawValue, at: 1)
    try statement.bind(Int64(bit.rawValue), at: 2)
    var members: [MemberPlace] = []
    while try statement.step() { members.append(readMember(statement)) }
    return members
  }

  private static func shownMembers(isInverse: Bool, _ rest: String = "") -> String {
    let (own, member) = isInverse ? ("target", "source") : ("source", "target")
    return """
      SELECT p.source, p.bit, p.target, p.inverse, p.place, p.time, p.author, o.row, o.entity, o.deleted, o.deleter
      FROM TICDS_PLACE p JOIN TICDS_OBJECT o ON o.id = p.\(member)
      WHERE p.\(own) = ? AND p.bit = ? AND p.inverse = \(isInverse ? 1 : 0) AND o.row IS NOT NULL \(rest)
      """
  }

  private func readMember(_ statement: Statement) -> MemberPlace {
    MemberPlace(
      cell: read(statement), row: RowNumber(rawValue: statement.int64(7)),
      entity: EntityNumber(rawValue: Int(clamping: statement.int64(8))),
      deleted: authors.stamp(statement.int64(9), statement.int64(10)))
  }

  /// Which way along a list.
  enum Direction {
    case towardsBeginning, towardsEnd
  }

  /// Visits the places of an object's members that rows show from a key on, it included, from the file as it was last flushed.
  ///
  /// - Parameter body: returns whether to go on.
  func visitShownMembers(
    of owner: RecordID, _ bit: PropertyBit, isInverse: Bool, from key: PlaceKey, _ direction: Direction,
    _ body: (MemberPlace) throws -> Bool
  ) throws {
    let isBackwards = direction == .towardsBeginning
    let statement = try connection.cached(
      Self.shownMembers(
        isInverse: isInverse,
        """
        AND p.place \(isBackwards ? "<=" : ">=") ? ORDER BY p.place \(isBackwards ? "DESC" : "ASC")
        """))
    try statement.bind(owner.rawValue, at: 1)
    try statement.bind(Int64(bit.rawValue), at: 2)
    try statement.bind(key.bytes, at: 3)
    defer { statement.reset() }
    while try statement.step() { guard try body(readMember(statement)) else { return } }
  }

  /// All places of an object among the members of others, and of others among its own.
  func cells(with object: RecordID) throws -> [Cell] {
    let statement = try connection.cached(
      """
      SELECT source, bit, target, inverse, place, time, author FROM TICDS_PLACE WHERE source = ?1 OR target = ?1
      """)
    try statement.bind(object.rawValue, at: 1)
    return try all(statement)
  }

  /// The places that fulfil a condition.
  func cells(where condition: String, _ values: [SQLiteValue]) throws -> [Cell] {
    let statement = try connection.prepare(
      """
      SELECT source, bit, target, inverse, place, time, author FROM TICDS_PLACE WHERE \(condition)
      ORDER BY source, bit, target, inverse
      """)
    try statement.bind(values)
    return try all(statement)
  }

  func remove(_ pair: Pair) throws {
    try connection.run(
      "DELETE FROM TICDS_PLACE WHERE source = ? AND bit = ? AND target = ? AND inverse = ?",
      .integer(pair.source.rawValue), .integer(Int64(pair.bit.rawValue)), .integer(pair.target.rawValue),
      .integer(pair.isInverse ? 1 : 0))
  }

  /// Forgets all places of an object and of its members.
  func removeAll(with object: RecordID) throws {
    try connection.run("DELETE FROM TICDS_PLACE WHERE source = ?1 OR target = ?1", .integer(object.rawValue))
  }

  /// The places that an author has written.
  func cells(writtenBy author: AuthorID) throws -> [Cell] {
    let statement = try connection.cached(
      """
      SELECT source, bit, target, inverse, place, time, author FROM TICDS_PLACE WHERE author = ?
      ORDER BY source, bit, target, inverse
      """)
    try statement.bind(authors.storedNumber(of: author), at: 1)
    return try all(statement)
  }

  func write(_ cell: Cell) throws {
    try replacement.bind(cell.pair.source.rawValue, at: 1)
    try replacement.bind(Int64(cell.pair.bit.rawValue), at: 2)
    try replacement.bind(cell.pair.target.rawValue, at: 3)
    try replacement.bind(Int64(cell.pair.isInverse ? 1 : 0), at: 4)
    try replacement.bind(cell.key.bytes, at: 5)
    try replacement.bind(Int64(bitPattern: cell.stamp.time.bits), at: 6)
    try replacement.bind(authors.storedNumber(of: cell.stamp.author), at: 7)
    try replacement.run()
  }

  private func all(_ statement: Statement) throws -> [Cell] {
    var cells: [Cell] = []
    while try statement.step() { cells.append(read(statement)) }
    return cells
  }

  private func read(_ statement: Statement) -> Cell {
    Cell(
      pair: Pair(
        source: RecordID(rawValue: statement.int64(0)),
        bit: PropertyBit(rawValue: Int(clamping: statement.int64(1))),
        target: RecordID(rawValue: statement.int64(2)),
        isInverse: statement.int64(3) != 0),
      key: PlaceKey(bytes: statement.blob(4)), stamp: authors.stamp(statement.int64(5), statement.int64(6)))
  }
}
