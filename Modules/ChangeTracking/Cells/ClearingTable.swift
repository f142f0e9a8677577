import TICDSSQLite

/// Registers that were cleared here because what they led to was deleted, or given to another object, or that lead to it again because its deletion
/// was undone, until the remote has the sets that say so.
///
/// The cell alone does not tell this from a write of the user, and only a write can be one side of a conflict. An entry whose time is not that of
/// its register any more, because the register was written since or has another bit, means nothing.
final class ClearingTable {
  private let connection: Connection
  /// Whether there is anything in the table; as a rule there is not.
  private var mayHoldEntries: Bool

  init(connection: Connection) throws {
    self.connection = connection
    mayHoldEntries = try connection.first("SELECT 1 FROM TICDS_CLEARING LIMIT 1") != nil
  }

  /// Notes that a set says of a register, at a time, that it was cleared.
  func insert(_ register: RegisterID, at time: LogicalTime) throws {
    mayHoldEntries = true
    try connection.run(
      "INSERT OR REPLACE INTO TICDS_CLEARING VALUES (?, ?, ?)", .integer(register.object.rawValue),
      .integer(Int64(register.bit.rawValue)), .integer(Int64(bitPattern: time.bits)))
  }

  /// Whether what is said of a register at a time is that it was cleared.
  func contains(_ register: RegisterID, at time: LogicalTime) throws -> Bool {
    guard mayHoldEntries else { return false }
    return try connection.first(
      "SELECT 1 FROM TICDS_CLEARING WHERE object = ? AND bit = ? AND time = ?",
      .integer(register.object.rawValue), .integer(Int64(register.bit.rawValue)),
      .integer(Int64(bitPattern: time.bits))) != nil
  }

  /// Follows the registers of an object to other bits.
  func rename(_ bits: [PropertyBit: PropertyBit], of object: RecordID) throws {
    guard mayHoldEntries else { return }
    let statement = try connection.prepare("SELECT bit, time FROM TICDS_CLEARING WHERE object = ?")
    try statement.bind(object.rawValue, at: 1)
    var entries: [(bit: PropertyBit, time: LogicalTime)] = []
    while try statement.step() {
      entries.append(
        (
          PropertyBit(rawValue: Int(clamping: statement.int64(0))),
          LogicalTime(bits: UInt64(bitPattern: statement.int64(1)))
        ))
    }
    // All of them go first, for one may get the bit of another.
    try connection.run("DELETE FROM TICDS_CLEARING WHERE object = ?", .integer(object.rawValue))
    for entry in entries {
      try insert(RegisterID(object: object, bit: bits[entry.bit] ?? entry.bit), at: entry.time)
    }
  }

  /// Forgets all of them.
  static func removeAll(_ connection: Connection) throws {
    try connection.run("DELETE FROM TICDS_CLEARING")
  }
}
