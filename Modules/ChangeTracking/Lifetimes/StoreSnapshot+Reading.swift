import SQLite

extension StoreSnapshot {
  /// Reads what a copy of a store contains, after checking that it is one: whole, and without anything that would run when somebody
  /// opens it. Nothing is written.
  ///
  /// - Parameter path: a copy that came from elsewhere and that nobody has opened yet.
  /// - Throws: ``ReplicaError`` with `invalidSnapshot`, `newerBookkeeping` or `damagedBookkeeping`, or `SQLiteError`.
  public init(reading path: String) throws {
    self.init(path: path)
    let connection = try Connection(path: path, options: .init(access: .immutable))
    try connection.execute(script: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    try Self.check(connection)
    let state = StateTable(connection)
    guard case .integer(let version)? = try state.value(.version), try state.contains(.snapshot) else {
      throw ReplicaError.invalidSnapshot(path: path, "It is not a copy that a replica has made.")
    }
    guard version <= Bookkeeping.version else {
      throw ReplicaError.newerBookkeeping(path: path, version: version)
    }
    author = try state.author
    for author in try AuthorTable(connection: connection).authors {
      contents[author.id] = author.id == self.author ? try state.integer(.pushed) : author.sequence
      horizon[author.id] = author.collected
    }
    includesUnpushedChanges = try ChangeLog.hasEntries(connection) || !Outbox(connection).isEmpty
  }

  /// The greatest time that its maker had met or given: nothing in it is later.
  package func latestTime() throws -> LogicalTime {
    try StateTable(Connection(path: path, options: .init(access: .immutable))).time(.clock)
  }

  /// Of each author, the sets that the copy contains, of all branches.
  package func settledSets() throws -> [AuthorID: [(sequence: UInt64, hash: ContentHash)]] {
    let authors = try AuthorTable(connection: Connection(path: path, options: .init(access: .immutable)))
    return try authors.authors.reduce(into: [:]) { $0[$1.id] = try authors.sets(of: $1.id) }
  }

  private static func check(_ connection: Connection) throws {
    let path = connection.path
    let damage = try connection.first("PRAGMA quick_check(1)")
    guard damage == .text("ok") else {
      throw ReplicaError.invalidSnapshot(path: path, "SQLite finds damage in it.")
    }
    // No store has any of these. They would run as soon as somebody reads or writes a row.
    let foreign = try connection.first(
      """
      SELECT name FROM sqlite_master
      WHERE type NOT IN ('table', 'index') OR (type = 'table' AND upper(sql) LIKE 'CREATE VIRTUAL%') LIMIT 1
      """)
    if case .text(let name)? = foreign {
      throw ReplicaError.invalidSnapshot(
        path: path, "It holds a trigger, a view or a virtual table, “\(name.prefix(64))”.")
    }
    guard try connection.first("SELECT 1 FROM sqlite_master WHERE name = 'TICDS_STATE'") != nil else {
      throw ReplicaError.invalidSnapshot(path: path, "It holds no bookkeeping.")
    }
  }
}
