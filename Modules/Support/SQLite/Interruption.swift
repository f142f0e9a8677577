import CTICDSSQLite

extension Connection {
  /// Runs `body` so that its statements end with the code `interrupted` once the current task is cancelled.
  ///
  /// A transaction that is interrupted while it writes is rolled back as a whole.
  /// - Throws: what `body` throws.
  public func interruptedByCancellation<Result>(_ body: () throws -> Result) rethrows -> Result {
    try interrupted(when: { Task.isCancelled }, body)
  }

  /// Runs `body` so that its statements end with the code `interrupted` once a condition holds.
  ///
  /// May be nested; then any of the conditions is enough.
  /// - Parameters:
  ///   - operations: After how many operations of SQLite's virtual machine the condition is asked, at least 1.
  ///   - condition: Must not use the connection.
  ///   - body: What uses the connection.
  /// - Throws: what `body` throws.
  public func interrupted<Result>(
    every operations: Int32 = 4_096, when condition: @escaping () -> Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = interruption
    setInterruption(
      Interruption(
        operations: min(operations, outer?.operations ?? operations),
        condition: { condition() || outer?.condition() == true }))
    defer { setInterruption(outer) }
    return try body()
  }

  /// Runs what must come to its end even though it is time to stop.
  func uninterrupted(_ body: () throws -> Void) rethrows {
    let outer = interruption
    setInterruption(nil)
    defer { setInterruption(outer) }
    try body()
  }

  private func setInterruption(_ new: Interruption?) {
    // The connection holds on to it for as long as SQLite may call it.
    interruption = new
    guard let new else { return sqlite3_progress_handler(handle, 0, nil, nil) }
    sqlite3_progress_handler(
      handle, new.operations,
      { data in
        guard let data else { return 0 }
        return Unmanaged<Interruption>.fromOpaque(data).takeUnretainedValue().condition() ? 1 : 0
      }, Unmanaged.passUnretained(new).toOpaque())
  }
}

/// When the statements of a connection are to end early.
final class Interruption {
  let operations: Int32
  let condition: () -> Bool

  init(operations: Int32, condition: @escaping () -> Bool) {
    self.operations = operations
    self.condition = condition
  }
}
