import TICDSSQLite

extension StoreSnapshot {
  /// Reads what a copy of a store contains, after checking that it is one: whole, and without anything that would run when somebody
  /// opens it or writes to it. Its indexes are made anew: nothing but they tells whether they fit their tables, and who looks something up in
  /// one that does not gets another row, or none. Nothing else is written.
  ///
  /// - Parameter path: a copy that came from elsewhere and that nobody has opened yet.
  /// - Throws: ``ReplicaError`` with `invalidSnapshot`, `newerBookkeeping`, `olderBookkeeping` or `damagedBookkeeping`, or `SQLiteError`.
  public init(reading path: String) throws {
    self.init(path: path)
    try Self.checkLayout(path)
    try Self.rebuildIndexes(path)
    let connection = try Connection(path: path, options: .init(access: .immutable))
    try connection.execute(script: Self.caution)
    try SnapshotLog(connection).check()
    let state = StateTable(connection)
    // Whoever begins with it goes on from its clock. Beyond what a clock that begins follows, nobody could answer him.
    guard try state.time(.clock) <= HybridLogicalClock.greatest else {
      throw ReplicaError.invalidSnapshot(
        path: path, "Its clock is further in the future than any clock comes.")
    }
    author = try state.author
    let authors = try AuthorTable(connection: connection)
    for author in authors.authors {
      contents[author.id] = author.id == self.author ? try state.integer(.pushed) : author.sequence
      horizon[author.id] = author.collected
      guard author.collected <= author.sequence else {
        throw ReplicaError.invalidSnapshot(
          path: path, "It says that deletions were forgotten in sets that it does not know.")
      }
    }
    contents = try GapTable(connection).held(contents)
    try SnapshotRecords(connection, authors).check(containing: contents, own: author)
    includesUnpushedChanges = try ChangeLog.hasEntries(connection) || !Outbox(connection).isEmpty
  }

  private static let caution = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON"

  /// What the schema says, and whether the pages are whole.
  private static func checkLayout(_ path: String) throws {
    let connection = try Connection(path: path, options: .init(access: .immutable))
    try connection.execute(script: caution)
    let layout = SnapshotSchema(connection)
    try layout.check()
    guard try connection.first("SELECT 1 FROM sqlite_master WHERE name = 'TICDS_STATE'") != nil else {
      throw ReplicaError.invalidSnapshot(path: path, "It holds no bookkeeping.")
    }
    let state = StateTable(connection)
    guard case .integer(let version)? = try state.value(.version), try state.contains(.snapshot) else {
      throw ReplicaError.invalidSnapshot(path: path, "It is not a copy that a replica has made.")
    }
    guard version <= Bookkeeping.version else {
      throw ReplicaError.newerBookkeeping(path: path, version: version)
    }
    guard version == Bookkeeping.version else {
      throw ReplicaError.olderBookkeeping(path: path, version: version)
    }
    try layout.checkBookkeeping()
    try checkDamage(connection)
  }

  /// - Throws: ``ReplicaError`` with `invalidSnapshot` if rows are alike that an index tells apart.
  private static func rebuildIndexes(_ path: String) throws {
    do throws(SQLiteError) {
      let connection = try Connection(path: path, options: .init(access: .readWrite))
      // If it is cut off, the copy is fetched anew.
      try connection.execute(script: caution + "; PRAGMA journal_mode = OFF; REINDEX")
    } catch {
      guard error.code == .constraint else { throw error }
      throw ReplicaError.invalidSnapshot(
        path: path, "It holds several rows of which there can be one: \(error.message).")
    }
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

  /// The long values that the copy mentions and does not hold.
  package func awaitedLongValues() throws -> Set<ContentHash> {
    let connection = try Connection(path: path, options: .init(access: .immutable))
    return Set(try ParkedTable(connection: connection).awaited().map(\.value.hash))
  }

  /// SQLite's search for damage computes what the schema says, so the schema comes first.
  private static func checkDamage(_ connection: Connection) throws {
    let damage = try connection.first("PRAGMA quick_check(1)")
    guard damage == .text("ok") else {
      throw ReplicaError.invalidSnapshot(path: connection.path, "SQLite finds damage in it.")
    }
  }
}
