import TICDSSQLite

/// Numbers for authors and, of each, the contiguous prefix of sets that has been applied.
final class AuthorTable {
  struct Author {
    var id: AuthorID
    var client: String
    /// The last set applied; for the replica's own author, the last set frozen.
    var sequence: UInt64
    /// Hash of the file of that set.
    var chain: ContentHash?
    /// Deletions in sets up to this one have been forgotten, where they could be.
    var collected: UInt64 = 0
  }

  /// Indexed by number; the first is nobody.
  private var all: [Author] = [Author(id: AuthorID(bits: 0), client: "", sequence: 0)]
  private var numbers: [AuthorID: AuthorNumber] = [AuthorID(bits: 0): .nobody]
  private let connection: Connection

  init(connection: Connection) throws {
    self.connection = connection
    let statement = try connection.cached(
      "SELECT id, author, client, sequence, chain, collected FROM TICDS_AUTHOR ORDER BY id")
    while try statement.step() {
      guard statement.int64(0) == Int64(all.count) else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "The table of authors has a gap.")
      }
      add(
        Author(
          id: AuthorID(bits: UInt64(bitPattern: statement.int64(1))), client: statement.text(2),
          sequence: UInt64(bitPattern: statement.int64(3)), chain: ContentHash(bytes: statement.blob(4)),
          collected: UInt64(bitPattern: statement.int64(5))))
    }
  }

  private func add(_ author: Author) {
    numbers[author.id] = AuthorNumber(rawValue: all.count)
    all.append(author)
  }

  /// All authors that are somebody.
  var authors: ArraySlice<Author> { all.dropFirst() }

  /// The number of an author, given now if it has none.
  func number(of id: AuthorID, client: String) throws -> AuthorNumber {
    if let number = numbers[id] { return number }
    let number = AuthorNumber(rawValue: all.count)
    add(Author(id: id, client: client, sequence: 0))
    try connection.run(
      "INSERT INTO TICDS_AUTHOR VALUES (?, ?, ?, 0, NULL, 0)", .integer(Int64(number.rawValue)),
      .integer(Int64(bitPattern: id.bits)), .text(client))
    return number
  }

  /// What is known of an author, if it has a number.
  subscript(id: AuthorID) -> Author? { numbers[id].map { all[$0.rawValue] } }

  /// Identifier of the client that wrote as an author; empty if that is unknown.
  func client(of id: AuthorID) -> String { self[id]?.client ?? "" }

  /// The number that a stamp's author is stored as; every author of a stored stamp has one.
  func storedNumber(of id: AuthorID) -> Int64 { Int64((numbers[id] ?? .nobody).rawValue) }

  /// Whether a stored number is that of an author, or of nobody.
  func isNumber(_ number: Int64) -> Bool { Int(exactly: number).map(all.indices.contains) ?? false }

  /// The author with a stored number. One without an author can only come from damage and is nobody.
  func author(stored number: Int64) -> AuthorID {
    guard let number = Int(exactly: number), all.indices.contains(number) else { return AuthorID(bits: 0) }
    return all[number].id
  }

  /// Reads a stored stamp.
  func stamp(_ time: Int64, _ author: Int64) -> Stamp {
    Stamp(time: LogicalTime(bits: UInt64(bitPattern: time)), author: self.author(stored: author))
  }

  // MARK: Sets

  /// Takes back all sets of an author.
  func forgetSets(of id: AuthorID) throws {
    guard let number = numbers[id] else { return }
    all[number.rawValue].sequence = 0
    all[number.rawValue].chain = nil
    try connection.run(
      "UPDATE TICDS_AUTHOR SET sequence = 0, chain = NULL WHERE id = ?", .integer(Int64(number.rawValue)))
  }

  /// Whether a set has been applied, or made here.
  func contains(_ hash: ContentHash, of id: AuthorID, sequence: UInt64) throws -> Bool {
    guard let number = numbers[id] else { return false }
    return try connection.first(
      "SELECT 1 FROM TICDS_SET WHERE author = ? AND sequence = ? AND hash = ?",
      .integer(Int64(number.rawValue)), .integer(Int64(bitPattern: sequence)), .blob(hash.bytes)) != nil
  }

  /// Notes a set that has been applied, or made here.
  func insert(_ hash: ContentHash, _ set: ChangeSet) throws {
    let number = try number(of: set.author, client: set.client)
    var times = (earliest: UInt64.max, latest: UInt64.zero)
    for change in set.changes {
      times.earliest = min(times.earliest, change.time.bits)
      times.latest = max(times.latest, change.time.bits)
    }
    try connection.run(
      "INSERT OR IGNORE INTO TICDS_SET VALUES (?, ?, ?, ?, ?)", .integer(Int64(number.rawValue)),
      .integer(Int64(bitPattern: set.sequence)), .blob(hash.bytes),
      .integer(Int64(bitPattern: times.earliest)), .integer(Int64(bitPattern: times.latest)))
  }

  /// Notes a set that need not be applied, because what was in effect of it was said again. Its times are not known, so nothing is
  /// forgotten on the strength of it.
  func insertUnread(_ hash: ContentHash, of id: AuthorID, sequence: UInt64) throws {
    guard let number = numbers[id] else { return }
    try connection.run(
      "INSERT OR IGNORE INTO TICDS_SET VALUES (?, ?, ?, 0, 0)", .integer(Int64(number.rawValue)),
      .integer(Int64(bitPattern: sequence)), .blob(hash.bytes))
  }

  /// The sets of an author that were applied, made here, or need not be applied, in order.
  func sets(of id: AuthorID) throws -> [(sequence: UInt64, hash: ContentHash)] {
    guard let number = numbers[id] else { return [] }
    let rows = try connection.cached(
      "SELECT sequence, hash FROM TICDS_SET WHERE author = ? ORDER BY sequence, hash")
    try rows.bind(Int64(number.rawValue), at: 1)
    var sets: [(sequence: UInt64, hash: ContentHash)] = []
    while try rows.step() {
      guard let hash = ContentHash(bytes: rows.blob(1)) else { continue }
      sets.append((UInt64(bitPattern: rows.int64(0)), hash))
    }
    return sets
  }

  /// A set that is settled, with the times of what it says.
  struct SettledSet {
    var sequence: UInt64
    var hash: ContentHash
    var earliest: Int64
    var latest: Int64
  }

  /// The settled sets of an author, in order.
  func settled(by id: AuthorID) throws -> [SettledSet] {
    guard let number = numbers[id] else { return [] }
    let rows = try connection.cached(
      "SELECT sequence, hash, earliest, latest FROM TICDS_SET WHERE author = ? ORDER BY sequence, hash")
    try rows.bind(Int64(number.rawValue), at: 1)
    var sets: [SettledSet] = []
    while try rows.step() {
      guard let hash = ContentHash(bytes: rows.blob(1)) else { continue }
      sets.append(
        SettledSet(
          sequence: UInt64(bitPattern: rows.int64(0)), hash: hash, earliest: rows.int64(2),
          latest: rows.int64(3)))
    }
    return sets
  }

  /// Notes a set that is settled in a copy that was merged.
  func insert(_ set: SettledSet, of id: AuthorID) throws {
    try connection.run(
      "INSERT OR IGNORE INTO TICDS_SET VALUES (?, ?, ?, ?, ?)", .integer(storedNumber(of: id)),
      .integer(Int64(bitPattern: set.sequence)), .blob(set.hash.bytes), .integer(set.earliest),
      .integer(set.latest))
  }

  /// Forgets the sets of an author after one.
  func removeSets(of id: AuthorID, after sequence: UInt64) throws {
    try connection.run(
      "DELETE FROM TICDS_SET WHERE author = ? AND sequence > ?", .integer(storedNumber(of: id)),
      .integer(Int64(bitPattern: sequence)))
  }

  /// Notes that deletions up to a set are forgotten.
  func collect(_ id: AuthorID, through sequence: UInt64) throws {
    guard let number = numbers[id], all[number.rawValue].collected < sequence else { return }
    all[number.rawValue].collected = sequence
    try connection.run(
      "UPDATE TICDS_AUTHOR SET collected = ? WHERE id = ?", .integer(Int64(bitPattern: sequence)),
      .integer(Int64(number.rawValue)))
  }

  /// Notes the last set of an author.
  func advance(_ id: AuthorID, to sequence: UInt64, chain: ContentHash) throws {
    guard let number = numbers[id] else { return }
    all[number.rawValue].sequence = sequence
    all[number.rawValue].chain = chain
    try connection.run(
      "UPDATE TICDS_AUTHOR SET sequence = ?, chain = ? WHERE id = ?", .integer(Int64(bitPattern: sequence)),
      .blob(chain.bytes), .integer(Int64(number.rawValue)))
  }
}
