import CSQLite

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
      return result
    } catch {
      // Some errors, a full disk among them, have rolled back already.
      if isInTransaction { try run("ROLLBACK") }
      throw error
    }
  }

  /// Runs `body` so that its changes are undone if it throws, inside or outside a transaction.
  public func savepoint<R>(_ body: () throws -> R) throws -> R {
    try run("SAVEPOINT nested")
    do {
      let result = try body()
      try run("RELEASE nested")
      return result
    } catch {
      if isInTransaction {
        try run("ROLLBACK TO nested")
        try run("RELEASE nested")
      }
      throw error
    }
  }
}
