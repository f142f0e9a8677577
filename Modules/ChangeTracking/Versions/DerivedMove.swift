import TICDSSQLite

/// Moves what follows from cells to other records and bits: totals of contributions, holders of contested targets, and what rows have
/// still to show.
///
/// Totals are computed anew. Whoever held a contested target may have lost it to another claim, so every claim is looked at again.
struct DerivedMove {
  private let connection: Connection
  private let unshown: UnshownTable

  init(_ connection: Connection) {
    self.connection = connection
    unshown = UnshownTable(connection: connection)
  }

  /// Follows the registers of an object to other bits.
  func rename(_ bits: [PropertyBit: PropertyBit], of id: RecordID) throws {
    try forgetTotals(of: id)
    try ClearingTable(connection: connection).rename(bits, of: id)
    for target in try ContestTable(connection: connection).take(from: id) {
      try unshown.insert(
        UnshownTable.Entry(reason: .freed, object: target.target, bit: bits[target.bit] ?? target.bit))
    }
    for entry in try unshown.entries(of: id) {
      guard let bit = entry.bit, let moved = bits[bit], moved != bit else { continue }
      try unshown.insert(UnshownTable.Entry(reason: entry.reason, object: id, bit: moved))
    }
  }

  /// Follows the properties of a family to other bits. A target that was left does not tell of which family its holder was, and an
  /// object's own entries are looked at by ``rename(_:of:)``, so entries are added and none is taken away: one too many does no harm.
  func rename(_ bits: [PropertyBit: PropertyBit]) throws {
    for entry in try unshown.entries(for: .freed) {
      guard let bit = entry.bit, let moved = bits[bit], moved != bit else { continue }
      try unshown.insert(UnshownTable.Entry(reason: .freed, object: entry.object, bit: moved))
    }
  }

  /// Follows an object into the one that it turned out to be.
  func unite(_ other: RecordID, into id: RecordID) throws {
    try forgetTotals(of: other)
    try forgetTotals(of: id)
    let contests = try ContestTable(connection: connection)
    for target in try contests.take(from: other) + contests.take(from: id) {
      try unshown.insert(UnshownTable.Entry(reason: .freed, object: target.target, bit: target.bit))
    }
    try connection.run(
      "UPDATE TICDS_CONTEST SET target = ? WHERE target = ?", .integer(id.rawValue), .integer(other.rawValue))
    try connection.run(
      "UPDATE OR IGNORE TICDS_UNSHOWN SET object = ? WHERE object = ?", .integer(id.rawValue),
      .integer(other.rawValue))
    try connection.run("DELETE FROM TICDS_UNSHOWN WHERE object = ?", .integer(other.rawValue))
    try connection.run(
      "UPDATE OR IGNORE TICDS_CLEARING SET object = ? WHERE object = ?", .integer(id.rawValue),
      .integer(other.rawValue))
  }

  private func forgetTotals(of id: RecordID) throws {
    try connection.run("DELETE FROM TICDS_TOTAL WHERE object = ?", .integer(id.rawValue))
  }
}
