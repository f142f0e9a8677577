import TICDSSQLite

/// Changes the bits of properties in the change log.
struct LogMove {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// A row of the log. What it says of rows and times stays as it is stored.
  private struct Entry {
    var action: ChangeLog.Action
    var mask: UInt64
    let row: SQLiteValue
    let time: SQLiteValue
    let detail: SQLiteValue

    func with(part: Int, mask: UInt64) -> Entry {
      var entry = self
      entry.action.part = part
      entry.mask = mask
      return entry
    }
  }

  /// Renames the bits in what the log says of some entities. Entries keep their order.
  func rename(_ bits: [PropertyBit: PropertyBit], of entities: Set<EntityNumber>) throws {
    guard bits.contains(where: { $0.key != $0.value }), try ChangeLog.hasEntries(connection) else { return }
    let statement = try connection.prepare(
      "SELECT action, mask, row, time, detail FROM TICDS_LOG ORDER BY position")
    var entries: [Entry] = []
    var isChanged = false
    while try statement.step() {
      let entry = Entry(
        action: try ChangeLog.Action(stored: statement.int64(0), in: connection),
        mask: UInt64(bitPattern: statement.int64(1)), row: statement.value(2), time: statement.value(3),
        detail: statement.value(4))
      let renamed = entities.contains(entry.action.entity) ? Self.rename(bits, in: entry) : nil
      isChanged = isChanged || renamed != nil
      entries += renamed ?? [entry]
    }
    guard isChanged else { return }
    try connection.run("DELETE FROM TICDS_LOG")
    for entry in entries {
      try connection.run(
        "INSERT INTO TICDS_LOG (action, row, mask, time, detail) VALUES (?, ?, ?, ?, ?)",
        .integer(entry.action.stored), entry.row, .integer(Int64(bitPattern: entry.mask)), entry.time,
        entry.detail)
    }
  }

  private static func rename(_ bits: [PropertyBit: PropertyBit], in entry: Entry) -> [Entry]? {
    func renamed(_ bit: PropertyBit) -> PropertyBit { bits[bit] ?? bit }
    switch entry.action.kind {
    case .update, .clear, .restore:
      var words: [Int: UInt64] = [:]
      for bit in PropertyBit.all(in: entry.mask) {
        let bit = renamed(PropertyBit(rawValue: 64 * entry.action.part + bit.rawValue))
        words[bit.word, default: 0] |= bit.mask
      }
      return words.sorted { $0.key < $1.key }.map {
        entry.with(part: $0.key, mask: $0.value)
      }
    case .link, .unlink, .order:
      return [entry.with(part: renamed(PropertyBit(rawValue: entry.action.part)).rawValue, mask: entry.mask)]
    case .insert, .delete:
      return nil
    }
  }
}
