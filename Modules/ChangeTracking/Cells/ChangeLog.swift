import TICDSSQLite

/// The append-only log of what the user's transactions touched: numbers only, no values.
///
/// Values are read and clocks written when a set is made, so that a save pays for one small row per object.
struct ChangeLog {
  enum Kind: Int64 {
    case insert = 0
    case update = 1
    case delete = 2
    case link = 3
    case unlink = 4
    case order = 5
    /// To-one relationships were cleared to what goes, or is given to another object, in the same transaction.
    case clear = 6
    /// To-one relationships lead again to what comes back in the same transaction, whose deletion was undone.
    case restore = 7

    var isLink: Bool { self == .link || self == .unlink }
    /// Whether it is of registers.
    var isWrite: Bool { self == .update || self == .clear || self == .restore }
  }

  /// What happened to what: the column `action`, which holds the kind in bits 0 to 2, a word or bit in bits 3 to 15, and the number of
  /// the entity above.
  struct Action {
    var kind: Kind
    var entity: EntityNumber
    /// Of insertions, updates and what was cleared or restored, the word of ``Entry/mask``; of links and orders, the relationship's bit.
    var part: Int

    var stored: Int64 { Int64(entity.rawValue) << 16 | Int64(part) << 3 | kind.rawValue }

    init(_ kind: Kind, of entity: EntityNumber, part: Int = 0) {
      self.kind = kind
      self.entity = entity
      self.part = part
    }

    /// What can stand in the column for an entity.
    static func all(of entity: EntityNumber) -> ClosedRange<Int64> {
      let least = Action(.insert, of: entity).stored
      return least...least + 0xffff
    }

    /// - Throws: ``ReplicaError`` with `damagedBookkeeping`.
    init(stored: Int64, in connection: Connection) throws {
      guard let kind = Kind(rawValue: stored & 7) else {
        throw ReplicaError.damagedBookkeeping(
          path: connection.path, "The change log holds an unknown action.")
      }
      self.init(kind, of: EntityNumber(rawValue: Int(stored >> 16)), part: Int(stored >> 3 & 0x1fff))
    }
  }

  struct Entry {
    var position: Int64
    var kind: Kind
    var entity: EntityNumber
    var row: RowNumber
    /// For updates and what was cleared or restored, the first bit that ``mask`` stands for; for links and orders, the relationship's bit.
    var firstBit: PropertyBit
    /// For orders, 1 if the row is the target and its members are the sources, and twice the number of its entity; for links, the number
    /// of the target's entity. The number is 0 where whoever logged it did not know the entity.
    var mask: UInt64
    var time: LogicalTime
    /// A deletion's sync ID or a link's target row.
    var detail: SQLiteValue

    /// Of an update, or of what was cleared or restored: the registers that were written.
    var bits: [PropertyBit] {
      PropertyBit.all(in: mask).map { PropertyBit(rawValue: firstBit.rawValue + $0.rawValue) }
    }

    /// Whether it is an order and the row is the target of its members.
    var isInverse: Bool { kind == .order && mask & 1 == 1 }

    /// The row at the other end of the relationship than the one that says it: the target of a link, the owner of an inverse order. Its
    /// entity is `unknown` if the log does not tell.
    var target: Row? {
      if isInverse { return Row(entity: EntityNumber(rawValue: Int(clamping: mask >> 1)), row: row) }
      guard kind.isLink, case .integer(let target) = detail else { return nil }
      return Row(entity: EntityNumber(rawValue: Int(clamping: mask)), row: RowNumber(rawValue: target))
    }
  }

  private let insertion: Statement
  private let connection: Connection

  init(connection: Connection) throws {
    self.connection = connection
    insertion = try connection.prepare(
      "INSERT INTO TICDS_LOG (action, row, mask, time, detail) VALUES (?, ?, ?, ?, ?)")
  }

  private func append(
    _ action: Action, row: RowNumber, mask: UInt64 = 0, time: LogicalTime, detail: SQLiteValue = .null
  ) throws {
    try insertion.bind(action.stored, at: 1)
    try insertion.bind(row.rawValue, at: 2)
    try insertion.bind(Int64(bitPattern: mask), at: 3)
    try insertion.bind(Int64(bitPattern: time.bits), at: 4)
    try insertion.bind(detail, at: 5)
    try insertion.run()
  }

  func appendInsertion(entity: EntityNumber, row: RowNumber, time: LogicalTime) throws {
    try append(Action(.insert, of: entity), row: row, time: time)
  }

  /// Notes insertions, or writes of the same registers.
  func append(_ run: LogRun, time: LogicalTime) throws {
    try append(
      Action(run.kind, of: run.entity, part: run.word), row: run.first, mask: run.mask, time: time,
      detail: run.differences.isEmpty ? .null : .blob(run.differences))
  }

  /// Notes a written register.
  func appendUpdate(entity: EntityNumber, row: RowNumber, bit: PropertyBit, time: LogicalTime) throws {
    try append(Action(.update, of: entity, part: bit.word), row: row, mask: bit.mask, time: time)
  }

  /// Notes a relationship that was cleared because its target went, or belongs to another object.
  func appendClearing(entity: EntityNumber, row: RowNumber, bit: PropertyBit, time: LogicalTime) throws {
    try append(Action(.clear, of: entity, part: bit.word), row: row, mask: bit.mask, time: time)
  }

  func appendDeletion(entity: EntityNumber, row: RowNumber, syncID: SyncID, time: LogicalTime) throws {
    try append(Action(.delete, of: entity), row: row, time: time, detail: syncID.stored)
  }

  func appendLink(
    entity: EntityNumber, row: RowNumber, bit: PropertyBit, target: Row, added: Bool, time: LogicalTime
  ) throws {
    try append(
      Action(added ? .link : .unlink, of: entity, part: bit.rawValue), row: row,
      mask: UInt64(target.entity.rawValue), time: time, detail: .integer(target.row.rawValue))
  }

  /// Notes that the members of a row have a new order; `entity` is one that has the canonical end.
  func appendOrder(entity: EntityNumber, owner: Row, bit: PropertyBit, isInverse: Bool, time: LogicalTime)
    throws
  {
    try append(
      Action(.order, of: entity, part: bit.rawValue), row: owner.row,
      mask: UInt64(owner.entity.rawValue) << 1 | (isInverse ? 1 : 0), time: time)
  }

  /// Whether there are entries that are in no set yet.
  static func hasEntries(_ connection: Connection) throws -> Bool {
    try connection.first("SELECT 1 FROM TICDS_LOG LIMIT 1") != nil
  }

  /// Whether something that happened until a time waits to be put into a set.
  static func hasEntries(_ connection: Connection, through time: LogicalTime) throws -> Bool {
    let bits = Int64(bitPattern: time.bits)
    return try connection.first("SELECT 1 FROM TICDS_LOG WHERE time <= ? LIMIT 1", .integer(bits)) != nil
  }

  /// Looks whether all entries are of a known kind, and of entities that have a number.
  ///
  /// - Throws: ``ReplicaError`` with `damagedBookkeeping`.
  static func checkActions(_ connection: Connection) throws {
    let actions = try connection.prepare(
      "SELECT DISTINCT action, action >> 16 IN (SELECT id FROM TICDS_ENTITY) FROM TICDS_LOG")
    while try actions.step() {
      _ = try Action(stored: actions.int64(0), in: connection)
      guard actions.int64(1) != 0 else {
        throw ReplicaError.damagedBookkeeping(
          path: connection.path, "The change log holds changes of no entity.")
      }
    }
  }

  /// What is the first entry's alone.
  struct Mark: Equatable {
    var position: Int64
    var time: Int64
  }

  /// The first entry; `nil` without entries.
  static func first(_ connection: Connection) throws -> Mark? {
    let statement = try connection.cached("SELECT position, time FROM TICDS_LOG ORDER BY position LIMIT 1")
    defer { statement.reset() }
    return try statement.step() ? Mark(position: statement.int64(0), time: statement.int64(1)) : nil
  }

  /// The next entries in order after a position: `limit` of them, or as many more as share a row of the log.
  static func entries(
    _ connection: Connection, after position: Int64, limit: Int, kind: Kind? = nil
  ) throws -> [Entry] {
    let statement = try connection.cached(
      """
      SELECT position, action, row, mask, time, detail FROM TICDS_LOG
      WHERE position > ?1 AND (?2 IS NULL OR action & 7 = ?2) ORDER BY position
      """)
    try statement.bind(position, at: 1)
    try statement.bind(kind.map { .integer($0.rawValue) } ?? .null, at: 2)
    defer { statement.reset() }
    var entries: [Entry] = []
    while entries.count < limit, try statement.step() {
      let action = try Action(stored: statement.int64(1), in: connection)
      let kind = action.kind
      var entry = Entry(
        position: statement.int64(0), kind: kind, entity: action.entity,
        row: RowNumber(rawValue: statement.int64(2)),
        firstBit: PropertyBit(rawValue: kind.isWrite ? action.part * 64 : action.part),
        mask: UInt64(bitPattern: statement.int64(3)),
        time: LogicalTime(bits: UInt64(bitPattern: statement.int64(4))), detail: statement.value(5))
      if kind == .insert || kind.isWrite, case .blob(let differences) = entry.detail {
        guard let rows = LogRun.rows(first: entry.row, differences: differences) else {
          throw ReplicaError.damagedBookkeeping(
            path: connection.path, "The change log holds an unreadable list of rows.")
        }
        entry.detail = .null
        for row in rows {
          entry.row = row
          entries.append(entry)
        }
      } else {
        entries.append(entry)
      }
    }
    return entries
  }

  /// What the log says of the deletion of rows with a number, of whatever entity. Looks through the whole log.
  static func deletions(of row: RowNumber, _ connection: Connection) throws -> [Entry] {
    var deletions: [Entry] = []
    var position: Int64 = 0
    while true {
      let entries = try entries(connection, after: position, limit: 1_000, kind: .delete)
      guard let last = entries.last else { return deletions }
      position = last.position
      deletions += entries.filter { $0.row == row }
    }
  }

  /// A row with the number of its entity.
  struct Row: Hashable {
    /// Of what a relationship leads to, `unknown` if whoever logs the relationship does not know it.
    var entity: EntityNumber
    var row: RowNumber
  }

  /// The rows that the log mentions.
  static func rows(_ connection: Connection) throws -> Set<Row> {
    var rows: Set<Row> = []
    var position: Int64 = 0
    while true {
      let entries = try entries(connection, after: position, limit: 1_000)
      guard let last = entries.last else { return rows }
      position = last.position
      for entry in entries { rows.insert(Row(entity: entry.entity, row: entry.row)) }
    }
  }

  /// Forgets the entries up to a position.
  static func removeEntries(_ connection: Connection, through position: Int64) throws {
    try connection.run("DELETE FROM TICDS_LOG WHERE position <= ?", .integer(position))
  }

  /// The time of a transaction that is about to log changes: after everything that this store has seen.
  static func nextTime(_ connection: Connection, now: UInt64) throws -> LogicalTime {
    var last = try StateTable(connection).time(.clock)
    if case .integer(let logged)? = try connection.first(
      "SELECT time FROM TICDS_LOG ORDER BY position DESC LIMIT 1")
    {
      last = max(last, LogicalTime(bits: UInt64(bitPattern: logged)))
    } else {
      // The first after it is left to insertions, which no log mentions: what is written to them later is later.
      last = last.next
    }
    var clock = HybridLogicalClock(last: last)
    return clock.next(now: now)
  }
}
