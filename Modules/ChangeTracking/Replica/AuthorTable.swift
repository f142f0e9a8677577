import SQLite

/// Numbers for authors and, of each, the contiguous prefix of sets that has been applied.
struct AuthorTable {
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

  /// Indexed by author number; index 0 stands for nobody, the author of ``Stamp/zero``.
  private(set) var authors: [Author] = [Author(id: AuthorID(bits: 0), client: "", sequence: 0)]
  private var numbers: [AuthorID: Int] = [AuthorID(bits: 0): 0]
  private let connection: Connection

  init(connection: Connection) throws {
    self.connection = connection
    let statement = try connection.cached(
      "SELECT id, author, client, sequence, chain, collected FROM TICDS_AUTHOR ORDER BY id")
    while try statement.step() {
      guard statement.int64(0) == Int64(authors.count) else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "The table of authors has a gap.")
      }
      add(
        Author(
          id: AuthorID(bits: UInt64(bitPattern: statement.int64(1))), client: statement.text(2),
          sequence: UInt64(bitPattern: statement.int64(3)), chain: ContentHash(bytes: statement.blob(4)),
          collected: UInt64(bitPattern: statement.int64(5))))
    }
  }

  private mutating func add(_ author: Author) {
    numbers[author.id] = authors.count
    authors.append(author)
  }

  /// The number of an author, given now if it has none.
  mutating func number(of id: AuthorID, client: String) throws -> Int {
    if let number = numbers[id] { return number }
    let number = authors.count
    add(Author(id: id, client: client, sequence: 0))
    try connection.run(
      "INSERT INTO TICDS_AUTHOR VALUES (?, ?, ?, 0, NULL, 0)", .integer(Int64(number)),
      .integer(Int64(bitPattern: id.bits)), .text(client))
    return number
  }

  func existingNumber(of id: AuthorID) -> Int? { numbers[id] }

  /// Identifier of the client that wrote as an author; empty if that is unknown.
  func client(of id: AuthorID) -> String { numbers[id].map { authors[$0].client } ?? "" }

  /// The number that a stamp's author is stored as; every author of a stored stamp has one.
  func storedNumber(of id: AuthorID) -> Int64 { Int64(numbers[id] ?? 0) }

  /// Reads a stored stamp. A number without an author can only come from damage and reads as nobody.
  func stamp(_ time: Int64, _ author: Int64) -> Stamp {
    let known = Int(exactly: author).flatMap { authors.indices.contains($0) ? authors[$0].id : nil }
    return Stamp(time: LogicalTime(bits: UInt64(bitPattern: time)), author: known ?? AuthorID(bits: 0))
  }

  /// Takes back all sets of an author.
  mutating func forget(_ number: Int) throws {
    authors[number].sequence = 0
    authors[number].chain = nil
    try connection.run(
      "UPDATE TICDS_AUTHOR SET sequence = 0, chain = NULL WHERE id = ?", .integer(Int64(number)))
  }

  /// Whether a set has been applied, or made here.
  func contains(_ hash: ContentHash, of number: Int, sequence: UInt64) throws -> Bool {
    try connection.first(
      "SELECT 1 FROM TICDS_SET WHERE author = ? AND sequence = ? AND hash = ?", .integer(Int64(number)),
      .integer(Int64(bitPattern: sequence)), .blob(hash.bytes)) != nil
  }

  /// Notes a set that has been applied, or made here.
  func insert(_ hash: ContentHash, of number: Int, _ set: ChangeSet) throws {
    var times = (earliest: UInt64.max, latest: UInt64.zero)
    for change in set.changes {
      times.earliest = min(times.earliest, change.time.bits)
      times.latest = max(times.latest, change.time.bits)
    }
    try connection.run(
      "INSERT OR IGNORE INTO TICDS_SET VALUES (?, ?, ?, ?, ?)", .integer(Int64(number)),
      .integer(Int64(bitPattern: set.sequence)), .blob(hash.bytes),
      .integer(Int64(bitPattern: times.earliest)),
      .integer(Int64(bitPattern: times.latest)))
  }

  /// Notes that deletions up to a set are forgotten.
  mutating func collect(_ author: AuthorID, through sequence: UInt64) throws {
    guard let number = numbers[author], authors[number].collected < sequence else { return }
    authors[number].collected = sequence
    try connection.run(
      "UPDATE TICDS_AUTHOR SET collected = ? WHERE id = ?", .integer(Int64(bitPattern: sequence)),
      .integer(Int64(number)))
  }

  /// Notes the last set of an author.
  mutating func advance(_ number: Int, to sequence: UInt64, chain: ContentHash) throws {
    authors[number].sequence = sequence
    authors[number].chain = chain
    try connection.run(
      "UPDATE TICDS_AUTHOR SET sequence = ?, chain = ? WHERE id = ?", .integer(Int64(bitPattern: sequence)),
      .blob(chain.bytes), .integer(Int64(number)))
  }
}
