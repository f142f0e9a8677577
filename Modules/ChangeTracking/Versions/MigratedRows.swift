import TICDSSQLite

/// Lets the bookkeeping follow rows that got other keys because a migration joined their table with another, and forget those
/// that a migration removed.
struct MigratedRows {
  private let connection: Connection
  private let names: NameTable

  init(_ connection: Connection, _ names: NameTable) {
    self.connection = connection
    self.names = names
  }

  /// Follows all steps of a journal. The names are those of before.
  ///
  /// - Returns: for each entity that had rows the frontier of its root, as its rows are numbered now.
  func move(_ journal: MigrationJournal) throws -> [EntityNumber: RowNumber] {
    var numbers: [String: EntityNumber] = [:]
    for entity in names.entities where names.existingNumber(of: entity.name) == entity.number {
      numbers[entity.name] = entity.number
    }
    var offsets: [EntityNumber: Int64] = [:]
    var dropped = try DroppedValues(connection)
    for (number, step) in zip(1..., journal.steps) {
      try dropped?.keep(step: number, entities: numbers, offsets: offsets)
      dropped?.follow(step, entities: numbers)
      var next = numbers.filter { name, _ in !step.contains { $0.entity == name } }
      for entry in step where entry.property == nil {
        guard let number = numbers[entry.entity] else { continue }
        if let name = entry.newEntity {
          next[name] = number
          offsets[number, default: 0] += entry.keyOffset
        } else {
          try connection.run("UPDATE TICDS_OBJECT SET row = NULL WHERE entity = ?", stored(number))
        }
      }
      numbers = next
    }
    try shiftTargets(offsets)
    for (number, offset) in offsets where offset != 0 { try shift(number, by: offset) }
    var frontiers: [EntityNumber: RowNumber] = [:]
    for entity in names.entities where entity.local != nil {
      let frontier = names.root(of: entity).frontier.rawValue
      // A copy from elsewhere may hold any number; nothing is accounted for then.
      let (moved, isTooGreat) = frontier.addingReportingOverflow(offsets[entity.number, default: 0])
      frontiers[entity.number] = isTooGreat ? RowNumber.none : RowNumber(rawValue: moved)
    }
    return frontiers
  }

  private func shift(_ number: EntityNumber, by offset: Int64) throws {
    try connection.run(
      "UPDATE TICDS_OBJECT SET row = row + ? WHERE entity = ? AND row IS NOT NULL", .integer(offset),
      stored(number))
    // Further rows of an entry are differences to the first. The row of an inverse order is not of the entity.
    try connection.run(
      """
      UPDATE TICDS_LOG SET row = row + ? WHERE action BETWEEN ? AND ? AND NOT (action & 7 = ? AND mask & 1)
      """, .integer(offset), .integer(ChangeLog.Action.all(of: number).lowerBound),
      .integer(ChangeLog.Action.all(of: number).upperBound), .integer(ChangeLog.Kind.order.rawValue))
  }

  /// Links and orders that are still to be sent name the row of a target, and its entity if whoever logged them knew it.
  private func shiftTargets(_ offsets: [EntityNumber: Int64]) throws {
    guard offsets.values.contains(where: { $0 != 0 }) else { return }
    var moved: [(position: Int64, offset: Int64)] = []
    for entry in try ChangeLog.entries(connection, after: 0, limit: .max) {
      guard let target = entry.target else { continue }
      let offset = try offsets[target.entity] ?? offset(of: target.row, in: entry, offsets)
      if offset != 0 { moved.append((entry.position, offset)) }
    }
    for (position, offset) in moved {
      try connection.run(
        """
        UPDATE TICDS_LOG SET detail = detail + ?1, row = CASE WHEN detail IS NULL THEN row + ?1 ELSE row END
        WHERE position = ?2
        """, .integer(offset), .integer(position))
    }
  }

  /// What was added to the key of a target of which only the root is known.
  private func offset(
    of target: RowNumber, in entry: ChangeLog.Entry, _ offsets: [EntityNumber: Int64]
  ) throws -> Int64 {
    guard let root = names.destination(of: try names[entry.entity].property(entry.firstBit))?.number
    else { return 0 }
    let family = offsets.filter { names[$0.key].root == root }
    let offset = family[root] ?? family.values.first ?? 0
    guard Set(family.values).count > 1,
      case .integer(let member)? = try connection.first(
        "SELECT entity FROM TICDS_OBJECT WHERE root = ? AND row = ?", stored(root),
        .integer(target.rawValue))
    else { return offset }
    return family[EntityNumber(rawValue: Int(clamping: member))] ?? offset
  }

  private func stored(_ number: EntityNumber) -> SQLiteValue { .integer(Int64(number.rawValue)) }
}
