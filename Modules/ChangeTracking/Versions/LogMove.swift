import SQLite

/// Gives the properties in the change log other bits.
struct LogMove {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  private struct Entry {
    var action: Int64
    var row: Int64
    var mask: Int64
    var time: Int64
    var detail: SQLiteValue

    var kind: ChangeLog.Kind? { ChangeLog.Kind(rawValue: action & 7) }
    var entity: EntityNumber { EntityNumber(rawValue: Int(action >> 16)) }
    var part: Int { Int(action >> 3 & 0x1fff) }

    func with(part: Int, mask: Int64) -> Entry {
      var entry = self
      entry.action = (action >> 16) << 16 | Int64(part) << 3 | action & 7
      entry.mask = mask
      return entry
    }
  }

  /// Renames the bits in what the log says of some entities. Entries keep their order.
  func rename(_ bits: [PropertyBit: PropertyBit], of entities: Set<EntityNumber>) throws {
    guard bits.contains(where: { $0.key != $0.value }), try ChangeLog.hasEntries(connection) else { return }
    let statement = try connection.prepare(
      "SELECT action, row, mask, time, detail FROM TICDS_LOG ORDER BY position")
    var entries: [Entry] = []
    var isChanged = false
    while try statement.step() {
      let entry = Entry(
        action: statement.int64(0), row: statement.int64(1), mask: statement.int64(2),
        time: statement.int64(3), detail: statement.value(4))
      let renamed = entities.contains(entry.entity) ? Self.rename(bits, in: entry) : nil
      isChanged = isChanged || renamed != nil
      entries += renamed ?? [entry]
    }
    guard isChanged else { return }
    try connection.run("DELETE FROM TICDS_LOG")
    for entry in entries {
      try connection.run(
        "INSERT INTO TICDS_LOG (action, row, mask, time, detail) VALUES (?, ?, ?, ?, ?)",
        .integer(entry.action), .integer(entry.row), .integer(entry.mask), .integer(entry.time), entry.detail)
    }
  }

  private static func rename(_ bits: [PropertyBit: PropertyBit], in entry: Entry) -> [Entry]? {
    func renamed(_ bit: PropertyBit) -> PropertyBit { bits[bit] ?? bit }
    switch entry.kind {
    case .update:
      var words: [Int: UInt64] = [:]
      for bit in PropertyBit.all(in: UInt64(bitPattern: entry.mask)) {
        let bit = renamed(PropertyBit(rawValue: 64 * entry.part + bit.rawValue))
        words[bit.word, default: 0] |= bit.mask
      }
      return words.sorted { $0.key < $1.key }.map {
        entry.with(part: $0.key, mask: Int64(bitPattern: $0.value))
      }
    case .link, .unlink, .order:
      return [entry.with(part: renamed(PropertyBit(rawValue: entry.part)).rawValue, mask: entry.mask)]
    case .insert, .delete, nil:
      return nil
    }
  }
}
