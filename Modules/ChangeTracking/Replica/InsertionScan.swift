import ObjectStore

/// Finds the insertions that no log mentions, in the order of their times.
///
/// Row numbers only grow, so a row beyond the frontier of its root that nobody has said yet was inserted since sets were last
/// made. A save need not log it, which would dirty one more page of the file. When it was inserted its sync ID tells.
struct InsertionScan {
  /// The rows of one entity beyond the frontier, in the order of their numbers.
  private struct Lane {
    let local: Int
    let number: Int
    var position: Int64
    /// The time of the last row found; times do not fall along a lane, so that lanes can be merged.
    var time: LogicalTime
    var found: ArraySlice<ChangeLog.Entry> = []
    var isAtEnd = false
  }

  private static let batchSize = 256

  private let replica: Replica
  private let now: LogicalTime
  private var lanes: [Lane] = []
  private var logged: Set<ChangeLog.Row> = []

  /// Looks at all roots, inside the transaction that makes sets.
  init(_ replica: Replica) throws {
    self.replica = replica
    now = try ChangeLog.nextTime(replica.connection, now: replica.configuration.now())
    // Later than everything that is in a set.
    let earliest = LogicalTime(bits: try replica.state.integer("clock") + 1)
    for (index, entity) in replica.store.schema.entities.enumerated() {
      guard let number = replica.names.existingNumber(of: entity.name) else { continue }
      let frontier = replica.frontier(of: number)
      guard try replica.store.lastRow(entity: index, in: replica.connection) > frontier else { continue }
      lanes.append(Lane(local: index, number: number, position: frontier, time: earliest))
    }
    if !lanes.isEmpty { logged = try ChangeLog.rows(replica.connection, with: .insert) }
  }

  /// Whether there is nothing more to find.
  var isAtEnd: Bool { lanes.allSatisfy { $0.isAtEnd && $0.found.isEmpty } }

  /// The next insertions up to a time; `nil` for no bound.
  mutating func next(through bound: LogicalTime?, limit: Int) throws -> [ChangeLog.Entry] {
    var entries: [ChangeLog.Entry] = []
    while entries.count < limit {
      var earliest: (lane: Int, time: LogicalTime)?
      for lane in lanes.indices {
        if lanes[lane].found.isEmpty { try fill(&lanes[lane]) }
        guard let first = lanes[lane].found.first else { continue }
        if earliest.map({ first.time < $0.time }) ?? true { earliest = (lane, first.time) }
      }
      guard let earliest, bound.map({ earliest.time <= $0 }) ?? true else { break }
      entries.append(lanes[earliest.lane].found.removeFirst())
    }
    return entries
  }

  private func fill(_ lane: inout Lane) throws {
    while lane.found.isEmpty, !lane.isAtEnd {
      let rows = try replica.store.rows(
        entity: lane.local, after: lane.position, limit: Self.batchSize, withoutSyncID: false)
      guard let last = rows.last else {
        lane.isAtEnd = true
        return
      }
      lane.position = last
      var found: [ChangeLog.Entry] = []
      for row in rows {
        guard !logged.contains(ChangeLog.Row(entity: lane.number, row: row)),
          let syncID = try replica.unsaidSyncID(of: row, entity: lane.number)
        else { continue }
        // An application that makes identifiers without a time has its objects inserted now.
        let wall = syncID.milliseconds.map(LogicalTime.init(milliseconds:)) ?? now
        lane.time = min(max(lane.time, wall), now)
        found.append(
          ChangeLog.Entry(
            position: 0, kind: .insert, entity: lane.number, row: row, firstBit: 0, mask: 0, time: lane.time,
            detail: .null))
      }
      lane.found = found[...]
    }
  }
}
