import TICDSSQLite

/// Own sets, and the long values that they mention, that the remote had once: what storage loses is sent again.
///
/// The newest are kept, within a budget. They are kept also if everybody has merged them: who joins later has not.
struct SentSets {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Greatest number of sets, and of long values, that are kept.
  static let countLimit: Int64 = 4_096

  /// Takes over what leaves the outbox.
  func insert(through sequence: UInt64, of author: AuthorID, budget: Int64) throws {
    let number = SQLiteValue.integer(Int64(bitPattern: sequence))
    try connection.run(
      """
      INSERT OR REPLACE INTO TICDS_SENT (author, sequence, hash, bytes)
      SELECT ?, sequence, hash, bytes FROM TICDS_OUTBOX WHERE sequence <= ? ORDER BY sequence
      """, .integer(Int64(bitPattern: author.bits)), number)
    try connection.run(
      """
      INSERT OR REPLACE INTO TICDS_SENTVALUE (hash, bytes)
      SELECT hash, bytes FROM TICDS_LONGVALUE WHERE sequence <= ? ORDER BY sequence
      """, number)
    for table in ["TICDS_SENT", "TICDS_SENTVALUE"] { try trim(table, budget: budget / 2) }
  }

  /// Removes the oldest rows of a table beyond the budget.
  private func trim(_ table: String, budget: Int64) throws {
    let rows = try connection.cached("SELECT id, length(bytes) FROM \(table) ORDER BY id DESC")
    var (count, bytes) = (Int64(0), Int64(0))
    var last: Int64?
    while try rows.step() {
      count += 1
      bytes += rows.int64(1)
      guard count > Self.countLimit || bytes > budget else { continue }
      last = rows.int64(0)
      break
    }
    rows.reset()
    if let last { try connection.run("DELETE FROM \(table) WHERE id <= ?", .integer(last)) }
  }

  /// What is known of a set without its bytes.
  struct Entry {
    var sequence: UInt64
    var hash: ContentHash
    var size: Int64
  }

  func entries(of author: AuthorID) throws -> [Entry] {
    let rows = try connection.cached(
      "SELECT sequence, hash, length(bytes) FROM TICDS_SENT WHERE author = ? ORDER BY sequence")
    try rows.bind(Int64(bitPattern: author.bits), at: 1)
    var entries: [Entry] = []
    while try rows.step() {
      guard let hash = ContentHash(bytes: rows.blob(1)) else { continue }
      entries.append(
        Entry(sequence: UInt64(bitPattern: rows.int64(0)), hash: hash, size: rows.int64(2)))
    }
    return entries
  }

  func set(_ sequence: UInt64, of author: AuthorID) throws -> FrozenSet? {
    let rows = try connection.cached("SELECT hash, bytes FROM TICDS_SENT WHERE author = ? AND sequence = ?")
    try rows.bind(Int64(bitPattern: author.bits), at: 1)
    try rows.bind(Int64(bitPattern: sequence), at: 2)
    defer { rows.reset() }
    guard try rows.step(), let hash = ContentHash(bytes: rows.blob(0)) else { return nil }
    return FrozenSet(author: author, sequence: sequence, hash: hash, changeCount: 0, bytes: rows.blob(1))
  }

  func authors() throws -> [AuthorID] {
    let rows = try connection.cached("SELECT DISTINCT author FROM TICDS_SENT ORDER BY author")
    var authors: [AuthorID] = []
    while try rows.step() { authors.append(AuthorID(bits: UInt64(bitPattern: rows.int64(0)))) }
    return authors
  }

  func longValues() throws -> [ContentHash] {
    let rows = try connection.cached("SELECT hash FROM TICDS_SENTVALUE ORDER BY id")
    var hashes: [ContentHash] = []
    while try rows.step() { if let hash = ContentHash(bytes: rows.blob(0)) { hashes.append(hash) } }
    return hashes
  }

  func longValue(_ hash: ContentHash) throws -> [UInt8]? {
    guard
      case .blob(let bytes)? = try connection.first(
        "SELECT bytes FROM TICDS_SENTVALUE WHERE hash = ?", .blob(hash.bytes))
    else { return nil }
    return bytes
  }

  func removeAll() throws {
    try connection.run("DELETE FROM TICDS_SENT")
    try connection.run("DELETE FROM TICDS_SENTVALUE")
  }
}
