import ObjectStore
import SQLite

/// What was contributed to properties that are merged by folding: a set that only grows, but for what deletions erase.
struct ContributionTable {
  /// A contribution with the property it belongs to.
  struct Entry {
    var object: Int64
    var bit: Int
    var contribution: Contribution
  }

  private let connection: Connection
  private let selection: Statement
  private let insertion: Statement
  private let removal: Statement

  init(connection: Connection) throws {
    self.connection = connection
    selection = try connection.prepare(
      "SELECT object, bit, time, author, value FROM TICDS_CONTRIBUTION WHERE object = ? AND bit = ?")
    insertion = try connection.prepare(
      "INSERT OR IGNORE INTO TICDS_CONTRIBUTION VALUES (?, ?, ?, ?, ?, ?)")
    removal = try connection.prepare(
      """
      DELETE FROM TICDS_CONTRIBUTION WHERE object = ? AND bit = ? AND time = ? AND author = ? AND value = ?
      """)
  }

  func contributions(to object: Int64, bit: Int, authors: AuthorTable) throws -> [Contribution] {
    try selection.bind(object, at: 1)
    try selection.bind(Int64(bit), at: 2)
    return try all(selection, authors).map(\.contribution)
  }

  /// Adds a contribution; `false` if it is there already.
  ///
  /// - Parameter writer: The author whose sets say it: another than the one who made it if that one is a former self.
  func insert(_ entry: Entry, writer: AuthorID, authors: AuthorTable) throws -> Bool {
    try bind(entry, to: insertion, authors)
    try insertion.bind(authors.storedNumber(of: writer), at: 6)
    try insertion.run()
    return connection.changes > 0
  }

  func remove(_ entry: Entry, authors: AuthorTable) throws {
    try bind(entry, to: removal, authors)
    try removal.run()
  }

  /// Erases what was contributed to an object up to its deletion; `true` if there was something.
  func erase(_ object: Int64, through deletion: Stamp, authors: AuthorTable) throws -> Bool {
    let statement = try connection.cached(
      "SELECT object, bit, time, author, value FROM TICDS_CONTRIBUTION WHERE object = ?")
    try statement.bind(object, at: 1)
    let erased = try all(statement, authors).filter { $0.contribution.origin <= deletion }
    for entry in erased { try remove(entry, authors: authors) }
    return !erased.isEmpty
  }

  // MARK: Incarnations

  /// What an author says, or is still to say.
  func entries(saidBy writer: Int64, authors: AuthorTable) throws -> [Entry] {
    let statement = try connection.cached(
      """
      SELECT object, bit, time, author, value FROM TICDS_CONTRIBUTION WHERE writer = ?
      ORDER BY object, bit, time, author, value
      """)
    try statement.bind(writer, at: 1)
    return try all(statement, authors)
  }

  /// Lets a new author say what a former self may not have said.
  ///
  /// Who made it stays, so that nobody counts it twice, whether the former self has said it after all or not.
  func pass(from former: Int64, since time: LogicalTime, to author: AuthorID, authors: AuthorTable) throws {
    for entry in try entries(saidBy: former, authors: authors)
    where entry.contribution.origin.time >= time {
      try remove(entry, authors: authors)
      _ = try insert(entry, writer: author, authors: authors)
    }
  }

  private func bind(_ entry: Entry, to statement: Statement, _ authors: AuthorTable) throws {
    try statement.bind(entry.object, at: 1)
    try statement.bind(Int64(entry.bit), at: 2)
    try statement.bind(Int64(bitPattern: entry.contribution.origin.time.bits), at: 3)
    try statement.bind(authors.storedNumber(of: entry.contribution.origin.author), at: 4)
    try statement.bind(entry.contribution.value.parkedBytes, at: 5)
  }

  private func all(_ statement: Statement, _ authors: AuthorTable) throws -> [Entry] {
    var entries: [Entry] = []
    while try statement.step() {
      guard let value = AttributeValue(parked: statement.blob(4)) else {
        throw ReplicaError.damagedBookkeeping(
          path: connection.path, "A contribution to object \(statement.int64(0)) is unreadable.")
      }
      entries.append(
        Entry(
          object: statement.int64(0), bit: Int(statement.int64(1)),
          contribution: Contribution(
            origin: authors.stamp(statement.int64(2), statement.int64(3)), value: value)))
    }
    return entries
  }
}
