import CTICDSSQLite

extension Connection {
  /// When a transaction takes the write lock.
  public enum TransactionKind: String, Sendable {
    /// At the first statement that needs a lock: for reading.
    case deferred = "DEFERRED"
    /// At once: for writing. Waits for the busy timeout, then throws `busy`.
    case immediate = "IMMEDIATE"
  }

  /// Whether a transaction is open.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Runs `body` in one transaction: committed when it returns, rolled back when it throws.
  ///
  /// Transactions do not nest; use ``savepoint(_:)`` inside one.
  /// - Throws: what `body` throws, or ``SQLiteError``. A commit that fails is rolled back.
  public func transaction<R>(_ kind: TransactionKind = .immediate, _ body: () throws -> R) throws -> R {
    try run("BEGIN \(kind.rawValue)")
    do {
      let result = try body()
      try run("COMMIT")
      end(from: 0, isCommitted: true)
      return result
    } catch {
      defer { end(from: 0, isCommitted: false) }
      // Some errors, a full disk among them, have rolled back already.
      let hasRolledBack = !isInTransaction
      if !hasRolledBack { try uninterrupted { try run("ROLLBACK") } }
      if hasRolledBack || (error as? SQLiteError)?.mayLeaveJournal == true { takeBack() }
      throw error
    }
  }

  /// Reads, so that SQLite takes back from a journal what it has written to the file and could not take back when the disk was full: it
  /// does that when somebody reads next. Whoever reads only cannot.
  private func takeBack() {
    uninterrupted { _ = try? first("SELECT count(*) FROM sqlite_master") }
  }

  /// Calls `body` once the current ``transaction(_:_:)`` has ended, or the ``savepoint(_:)`` that undoes what came before; at
  /// once if there is none. For things outside of the database that belong to its content.
  public func afterTransaction(_ body: @escaping (_ isCommitted: Bool) -> Void) {
    if isInTransaction { endings.append(body) } else { body(true) }
  }

  private func end(from first: Int, isCommitted: Bool) {
    let ended = endings[first...]
    endings.removeSubrange(first...)
    for body in ended { body(isCommitted) }
  }

  /// Runs `body` so that its changes are undone if it throws, inside or outside a transaction.
  public func savepoint<R>(_ body: () throws -> R) throws -> R {
    try run("SAVEPOINT nested")
    let first = endings.count
    do {
      let result = try body()
      try run("RELEASE nested")
      if !isInTransaction { end(from: 0, isCommitted: true) }
      return result
    } catch {
      defer { end(from: first, isCommitted: false) }
      if isInTransaction {
        try uninterrupted {
          try run("ROLLBACK TO nested")
          try run("RELEASE nested")
        }
      }
      throw error
    }
  }
}

extension SQLiteError {
  /// Whether it may have kept SQLite from taking a transaction back.
  fileprivate var mayLeaveJournal: Bool { code == .full || code == .inputOutput }
}
