import TICDSSQLite

/// The times of what a copy that came from elsewhere says.
///
/// Whoever begins with the copy goes on from its clock. A cell that bears a later time would keep what it says, whatever the others have
/// said or will say, on this device alone.
struct SnapshotTimes {
  private let connection: Connection
  /// The latest time that a cell bears in a copy that nobody has edited: what is said of one object at once has times one after the other, and
  /// the clock stays at the first.
  private let latest: LogicalTime

  init(_ connection: Connection) throws {
    self.connection = connection
    let clock = try StateTable(connection).time(.clock)
    latest = LogicalTime(bits: min(clock.bits, HybridLogicalClock.far.bits) + Self.margin)
  }

  /// Checks the cells that stand in tables of their own.
  ///
  /// - Throws: ``ReplicaError`` with `invalidSnapshot`.
  func check() throws {
    for (table, times, objects) in [
      ("LINK", ["added", "removed"], ["source", "target"]), ("PLACE", ["time"], ["source", "target"]),
      ("CONTRIBUTION", ["time"], ["object"]), ("TOTAL", ["time"], ["object"]),
    ] {
      for time in times {
        if try connection.first("SELECT 1 FROM TICDS_\(table) WHERE \(time) < 0 LIMIT 1") != nil {
          throw refusal("It holds times that there are not.")
        }
        try checkLate(time, table, objects)
      }
    }
  }

  private func checkLate(_ time: String, _ table: String, _ objects: [String]) throws {
    let identifiers = objects.map { "(SELECT syncid FROM TICDS_OBJECT WHERE id = \($0))" }
    let cells = try connection.prepare(
      """
      SELECT \(time), \(identifiers.joined(separator: ", ")) FROM TICDS_\(table)
      WHERE \(time) > ? AND \(time) < ?
      """)
    try cells.bind(Int64(bitPattern: latest.bits), at: 1)
    try cells.bind(Int64(bitPattern: HybridLogicalClock.far.bits), at: 2)
    while try cells.step() {
      let late = LogicalTime(bits: UInt64(bitPattern: cells.int64(0)))
      let identifiers = objects.indices.map { SyncID(stored: cells.value($0 + 1)) }
      guard identifiers.contains(where: { reaches(late, from: $0) }) else { throw later }
    }
  }

  /// Whether a time is later than the clock, though clocks follow such times.
  func isLate(_ time: LogicalTime) -> Bool { time > latest && time < HybridLogicalClock.far }

  /// Checks a late time of an object.
  ///
  /// - Throws: ``ReplicaError`` with `invalidSnapshot`.
  func check(_ late: LogicalTime, of syncID: SyncID) throws {
    guard reaches(late, from: syncID) else { throw later }
  }

  /// How much may be said of an object after a time that is told: all that takes 256 milliseconds.
  private static let margin: UInt64 = 1 << 24

  /// The wall clock may have been ahead when an object got its identifier. What is said of it after that has a time of its own, and
  /// the clock stays (`Freezing.identifierStamp`).
  private func reaches(_ late: LogicalTime, from syncID: SyncID) -> Bool {
    guard let time = syncID.milliseconds.map(LogicalTime.init(milliseconds:)) else { return false }
    return late.bits <= time.bits + Self.margin
  }

  private var later: ReplicaError { refusal("It holds times after its own clock.") }

  private func refusal(_ message: String) -> ReplicaError {
    ReplicaError.invalidSnapshot(path: connection.path, message)
  }
}
