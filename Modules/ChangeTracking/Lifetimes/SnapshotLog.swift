import TICDSSQLite

/// The change log of a copy that came from elsewhere: whoever begins with the copy says what is in it.
struct SnapshotLog {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// - Throws: ``ReplicaError`` with `invalidSnapshot`, or with `damagedBookkeeping` if it holds something that nobody logs.
  func check() throws {
    try ChangeLog.checkActions(connection)
    // The clock goes on from the last entry. The bound is that of the clock.
    let times = try connection.first(
      "SELECT 1 FROM TICDS_LOG WHERE time < 0 OR time > ? LIMIT 1",
      .integer(Int64(bitPattern: HybridLogicalClock.greatest.bits)))
    guard times == nil else { throw refusal("Its log holds times that no clock comes to.") }
    let runs = try connection.prepare("SELECT row, detail FROM TICDS_LOG WHERE action & 7 IN (?, ?, ?, ?)")
    for (index, kind) in [ChangeLog.Kind.insert, .update, .clear, .restore].enumerated() {
      try runs.bind(kind.rawValue, at: index + 1)
    }
    while try runs.step() {
      guard case .blob(let differences) = runs.value(1) else { continue }
      guard LogRun.rows(first: RowNumber(rawValue: runs.int64(0)), differences: differences) != nil else {
        throw refusal("Its log holds a list of rows that cannot be read.")
      }
    }
  }

  private func refusal(_ message: String) -> ReplicaError {
    ReplicaError.invalidSnapshot(path: connection.path, message)
  }
}
