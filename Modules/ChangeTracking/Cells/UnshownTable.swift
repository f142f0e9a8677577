import TICDSSQLite

/// What sets say already and rows do not show yet, because there is more in the log.
///
/// What the log says of a row is newer than what waits for it. So nothing is written to rows before everything that the user did is
/// said, and what is to be written then must outlast the process.
struct UnshownTable {
  /// Why a row has to be looked at.
  enum Reason: Int64 {
    case inserted = 1, claimed, contributed, freed, freedValues, renewed
  }

  struct Entry: Hashable {
    var reason: Reason
    /// ``RecordID/none`` if it is about no object in particular.
    var object: RecordID
    /// The property, if it is about one.
    var bit: PropertyBit?
  }

  private let connection: Connection

  init(connection: Connection) { self.connection = connection }

  var isEmpty: Bool { get throws { try connection.first("SELECT 1 FROM TICDS_UNSHOWN LIMIT 1") == nil } }

  func insert(_ entry: Entry) throws {
    let statement = try connection.cached("INSERT OR IGNORE INTO TICDS_UNSHOWN VALUES (?, ?, ?)")
    try statement.bind(entry.reason.rawValue, at: 1)
    try statement.bind(entry.object.rawValue, at: 2)
    try statement.bind(Int64(entry.bit?.rawValue ?? -1), at: 3)
    try statement.run()
  }

  /// Returns what is noted of an object's own properties.
  func entries(of object: RecordID) throws -> [Entry] {
    try entries(
      connection.cached(
        "SELECT reason, object, bit FROM TICDS_UNSHOWN WHERE reason IN (2, 3) AND object = ?"),
      object.rawValue)
  }

  /// Returns everything that is noted for one reason.
  func entries(for reason: Reason) throws -> [Entry] {
    try entries(
      connection.cached("SELECT reason, object, bit FROM TICDS_UNSHOWN WHERE reason = ?"), reason.rawValue)
  }

  /// Returns some entries, in the order of the table, and removes them.
  func take(limit: Int) throws -> [Entry] {
    let taken = try entries(
      connection.cached("SELECT reason, object, bit FROM TICDS_UNSHOWN ORDER BY reason, object, bit LIMIT ?"),
      Int64(limit))
    guard let last = taken.last else {
      if try !isEmpty { try connection.run("DELETE FROM TICDS_UNSHOWN") }
      return []
    }
    try connection.run(
      "DELETE FROM TICDS_UNSHOWN WHERE (reason, object, bit) <= (?, ?, ?)", .integer(last.reason.rawValue),
      .integer(last.object.rawValue), .integer(Int64(last.bit?.rawValue ?? -1)))
    return taken
  }

  private func entries(_ statement: Statement, _ parameters: Int64...) throws -> [Entry] {
    for (index, parameter) in parameters.enumerated() { try statement.bind(parameter, at: index + 1) }
    var entries: [Entry] = []
    while try statement.step() {
      guard let reason = Reason(rawValue: statement.int64(0)) else { continue }
      let bit = statement.int64(2)
      entries.append(
        Entry(
          reason: reason, object: RecordID(rawValue: statement.int64(1)),
          bit: bit < 0 ? nil : PropertyBit(rawValue: Int(clamping: bit))))
    }
    return entries
  }
}
