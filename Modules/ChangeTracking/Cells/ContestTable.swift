import TICDSSQLite

/// Targets of one-to-one relationships that several objects claim: who shows each, by the record that shows it.
///
/// Once that one leaves its target, by whatever way and even if nobody knows any more what it showed, this says which claims that are
/// kept aside may show instead. An entry may be left over from former times, but none is missing.
final class ContestTable {
  /// A target that may belong to another claim of the same relationship now.
  struct Target: Hashable {
    var bit: PropertyBit
    var target: RecordID
  }

  /// Whether there is anything in the table; as a rule there is not.
  private var mayHoldEntries: Bool
  private let selection: Statement
  private let replacement: Statement
  private let removal: Statement

  init(connection: Connection) throws {
    selection = try connection.cached("SELECT bit, target FROM TICDS_CONTEST WHERE holder = ? ORDER BY bit")
    replacement = try connection.cached("INSERT OR REPLACE INTO TICDS_CONTEST VALUES (?, ?, ?)")
    removal = try connection.cached("DELETE FROM TICDS_CONTEST WHERE holder = ? AND bit = ?")
    mayHoldEntries = try connection.first("SELECT 1 FROM TICDS_CONTEST LIMIT 1") != nil
  }

  /// Notes that an object shows a target that others claim too.
  func write(_ target: Target, holder: RecordID) throws {
    mayHoldEntries = true
    try replacement.bind(holder.rawValue, at: 1)
    try replacement.bind(Int64(target.bit.rawValue), at: 2)
    try replacement.bind(target.target.rawValue, at: 3)
    try replacement.run()
  }

  /// Forgets what an object shows, and tells it.
  ///
  /// - Parameter bit: the relationship; `nil` for all.
  func take(from holder: RecordID, _ bit: PropertyBit? = nil) throws -> [Target] {
    guard mayHoldEntries else { return [] }
    try selection.bind(holder.rawValue, at: 1)
    var targets: [Target] = []
    while try selection.step() {
      targets.append(
        Target(
          bit: PropertyBit(rawValue: Int(clamping: selection.int64(0))),
          target: RecordID(rawValue: selection.int64(1))))
    }
    if let bit { targets.removeAll { $0.bit != bit } }
    for target in targets {
      try removal.bind(holder.rawValue, at: 1)
      try removal.bind(Int64(target.bit.rawValue), at: 2)
      try removal.run()
    }
    return targets
  }
}
