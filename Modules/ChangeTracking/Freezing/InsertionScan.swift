import ObjectStore
import TICDSSQLite

/// Finds the insertions that no log mentions, in the order of their times.
///
/// Row numbers only grow, so a row beyond the frontier of its root that no set mentions yet was inserted since sets were last
/// made. A save need not log it, which would dirty one more page of the file. When it was inserted its sync ID tells.
struct InsertionScan {
  /// The rows of one entity beyond the frontier, in the order of their numbers.
  private struct Lane {
    let entity: KnownEntity
    let local: LocalEntity
    var position: RowNumber
    /// The last row that was handed out.
    var passed: RowNumber
    /// The time of the last row found; times do not fall along a lane, so that lanes can be merged.
    var time: LogicalTime
    var found: ArraySlice<ChangeLog.Entry> = []
    var isAtEnd = false

    var isExhausted: Bool { isAtEnd && found.isEmpty }
  }

  private static let batchSize = 256

  private let reader: RegisterReader
  private let now: LogicalTime
  private var lanes: [Lane] = []
  private let logged: LoggedInsertions
  /// Rows of objects that others show.
  private let surplus: Set<ChangeLog.Row>
  private var last: [EntityNumber: RowNumber] = [:]

  /// Looks at all roots, inside the transaction that makes sets.
  ///
  /// - Parameters:
  ///   - now: when rows count as inserted whose identifiers have no time, or one in the future.
  ///   - logged: what is known of the log; brought up to date.
  init(_ reader: RegisterReader, now: LogicalTime, logged: LoggedInsertions = LoggedInsertions()) throws {
    self.reader = reader
    self.now = now
    self.logged = logged
    let (cells, store) = (reader.cells, reader.store)
    surplus = try SurplusRows(cells.connection, cells.authors).rows
    // Later than everything that is in a set.
    let earliest = try cells.state.time(.clock).next
    for local in store.schema.localEntities {
      let entity = cells.names[local]
      let frontier = Self.frontier(of: entity, in: cells.names, of: store)
      let last = try store.lastRow(local, in: store.database)
      guard last > frontier else { continue }
      self.last[entity.root] = last
      lanes.append(
        Lane(entity: entity, local: local, position: frontier, passed: frontier, time: earliest))
    }
    if !lanes.isEmpty { try logged.read(cells.connection) }
  }

  /// The row number beyond which the rows of an entity came since sets were last made. Where the log mentions every insertion
  /// nothing lies beyond.
  static func frontier(of entity: KnownEntity, in names: NameTable, of store: any LocalStore) -> RowNumber {
    store.logsInsertions ? .last : names.root(of: entity).frontier
  }

  /// Whether there is nothing more to find.
  var isAtEnd: Bool { lanes.allSatisfy(\.isExhausted) }

  /// Of each root, the row up to which all insertions were handed out.
  func frontiers() -> [EntityNumber: RowNumber] {
    var frontiers = last
    for lane in lanes where !lane.isExhausted {
      frontiers[lane.entity.root] = min(frontiers[lane.entity.root] ?? lane.passed, lane.passed)
    }
    return frontiers
  }

  /// The next insertions up to a time; `nil` for no bound.
  mutating func next(through bound: LogicalTime?, limit: Int) throws -> [ChangeLog.Entry] {
    var entries: [ChangeLog.Entry] = []
    while entries.count < limit {
      var earliest: (lane: Int, time: LogicalTime)?
      for index in lanes.indices {
        if lanes[index].found.isEmpty, !lanes[index].isAtEnd { lanes[index] = try filled(lanes[index]) }
        guard let first = lanes[index].found.first else { continue }
        if earliest.map({ first.time < $0.time }) ?? true { earliest = (index, first.time) }
      }
      guard let earliest, bound.map({ earliest.time <= $0 }) ?? true else { break }
      let entry = lanes[earliest.lane].found.removeFirst()
      lanes[earliest.lane].passed = entry.row
      entries.append(entry)
    }
    return entries
  }

  /// A lane with the next rows of which an insertion is to be said.
  private func filled(_ lane: Lane) throws -> Lane {
    var lane = lane
    while lane.found.isEmpty, !lane.isAtEnd {
      let rows = try reader.store.rows(
        lane.local, after: lane.position, limit: Self.batchSize, withoutSyncID: false)
      guard let last = rows.last else {
        lane.isAtEnd = true
        break
      }
      lane.position = last
      var times: [RowTime] = []
      for row in rows {
        if let syncID = try unsaidSyncID(of: row, lane) {
          times.append(RowTime(row: row, time: try time(of: syncID, lane)))
        } else if let time = logged.time(of: ChangeLog.Row(entity: lane.entity.number, row: row)) {
          times.append(RowTime(row: row, time: time, isLogged: true))
        }
      }
      var found: [ChangeLog.Entry] = []
      for (row, time) in Self.unlogged(times, now: now) {
        lane.time = max(lane.time, time)
        found.append(
          ChangeLog.Entry(
            position: 0, kind: .insert, entity: lane.entity.number, row: row,
            firstBit: PropertyBit(rawValue: 0), mask: 0, time: lane.time, detail: .null))
      }
      lane.found = found[...]
    }
    return lane
  }

  /// When a row was inserted, as its identifier tells.
  ///
  /// An application that makes identifiers without a time has its objects inserted now. So has whoever gives a row the identifier of an
  /// object that is known: it comes after whatever became of that.
  private func time(of syncID: SyncID, _ lane: Lane) throws -> LogicalTime {
    try isKnown(syncID, lane) ? now : syncID.milliseconds.map(LogicalTime.init(milliseconds:)) ?? now
  }

  /// When a row was inserted, by its identifier or by the log.
  private struct RowTime {
    let row: RowNumber
    let time: LogicalTime
    var isLogged = false
  }

  /// The rows that no log mentions. Those whose identifiers were made by a clock that was ahead of what it says now have the time of the row
  /// after them, or that of the row before if there is none: otherwise they and all that follow would count as inserted whenever
  /// somebody looks, and a copy of the store would say it later than the store.
  private static func unlogged(_ rows: [RowTime], now: LogicalTime) -> [(row: RowNumber, time: LogicalTime)] {
    var found: [(row: RowNumber, time: LogicalTime)] = []
    var later: LogicalTime?
    for row in rows.reversed() {
      let time = row.time > now ? later ?? .zero : row.time
      if row.time <= now { later = row.time }
      if !row.isLogged { found.append((row.row, time)) }
    }
    return found.reversed()
  }

  private func isKnown(_ syncID: SyncID, _ lane: Lane) throws -> Bool {
    try reader.cells.objects.find(syncID, root: lane.entity.root).map {
      reader.cells[$0].inserted != .zero || reader.cells[$0].deleted != .zero
    } ?? false
  }

  /// The sync ID of a row that neither a set nor the log mentions.
  private func unsaidSyncID(of row: RowNumber, _ lane: Lane) throws -> SyncID? {
    let (cells, store) = (reader.cells, reader.store)
    let root = cells.names.root(of: lane.entity)
    guard let syncID = try store.checkedIdentity(of: row, below: root.name)?.syncID else { return nil }
    let logRow = ChangeLog.Row(entity: lane.entity.number, row: row)
    if logged.contains(logRow) || surplus.contains(logRow) { return nil }
    if let slot = try cells.objects.find(syncID, root: root.number), cells[slot].row == row, cells[slot].lives
    {
      return nil
    }
    return syncID
  }
}

/// The rows whose insertion the log mentions.
///
/// The log is read on from where it was read before, so that whoever makes sets of it slice by slice reads it once. Rows
/// stay that the log mentions no more: some set says them then, and no other object gets their numbers.
final class LoggedInsertions {
  private var rows: [ChangeLog.Row: LogicalTime] = [:]
  private var position: Int64 = 0
  /// The first entry of the log when the last slice ended. Positions begin anew when the log has been empty.
  private var first: ChangeLog.Mark?

  func contains(_ row: ChangeLog.Row) -> Bool { rows[row] != nil }

  /// When the log says that a row was inserted.
  func time(of row: ChangeLog.Row) -> LogicalTime? { rows[row] }

  /// Reads what has come to the log, inside the transaction that makes sets.
  func read(_ connection: Connection) throws {
    if try first == nil || ChangeLog.first(connection) != first { position = 0 }
    while true {
      let entries = try ChangeLog.entries(connection, after: position, limit: 1_000, kind: .insert)
      guard let last = entries.last else { return }
      position = last.position
      for entry in entries { rows[ChangeLog.Row(entity: entry.entity, row: entry.row)] = entry.time }
    }
  }

  /// Notes that the transaction has removed its entries.
  func endSlice(_ connection: Connection) throws { first = try ChangeLog.first(connection) }
}
