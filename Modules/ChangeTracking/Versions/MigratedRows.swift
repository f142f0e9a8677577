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
  func move(_ journal: MigrationJournal) throws {
    guard !journal.steps.isEmpty else { return }
    var numbers: [String: EntityNumber] = [:]
    for entity in names.entities where names.existingNumber(of: entity.name) == entity.number {
      numbers[entity.name] = entity.number
    }
    var offsets: [EntityNumber: Int64] = [:]
    for step in journal.steps {
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
    try shiftLinks(offsets)
    for (number, offset) in offsets where offset != 0 { try shift(number, by: offset) }
    try moveFrontiers(offsets)
  }

  private func shift(_ number: EntityNumber, by offset: Int64) throws {
    try connection.run(
      "UPDATE TICDS_OBJECT SET row = row + ? WHERE entity = ? AND row IS NOT NULL", .integer(offset),
      stored(number))
    // Further rows of an entry are differences to the first.
    try connection.run(
      "UPDATE TICDS_LOG SET row = row + ? WHERE action BETWEEN ? AND ?", .integer(offset),
      .integer(ChangeLog.Action.all(of: number).lowerBound),
      .integer(ChangeLog.Action.all(of: number).upperBound))
  }

  /// Links that are still to be sent name the target's row, of which only the root of the entity is known.
  private func shiftLinks(_ offsets: [EntityNumber: Int64]) throws {
    guard offsets.values.contains(where: { $0 != 0 }) else { return }
    var moved: [(position: Int64, offset: Int64)] = []
    for link in try ChangeLog.entries(connection, after: 0, limit: .max) where link.kind.isLink {
      guard case .integer(let target) = link.detail,
        let root = names.destination(of: try names[link.entity].property(link.firstBit))?.number
      else { continue }
      let family = offsets.filter { names[$0.key].root == root }
      var offset = family[root] ?? family.values.first ?? 0
      if Set(family.values).count > 1,
        case .integer(let member)? = try connection.first(
          "SELECT entity FROM TICDS_OBJECT WHERE root = ? AND row = ?", stored(root), .integer(target))
      {
        offset = family[EntityNumber(rawValue: Int(clamping: member))] ?? offset
      }
      if offset != 0 { moved.append((link.position, offset)) }
    }
    for (position, offset) in moved {
      try connection.run(
        "UPDATE TICDS_LOG SET detail = detail + ? WHERE position = ?", .integer(offset), .integer(position))
    }
  }

  /// Of each root of before, the frontier that its rows have now; ``FamilyMoves`` takes the least of those that join.
  private func moveFrontiers(_ offsets: [EntityNumber: Int64]) throws {
    for entity in names.entities where entity.root == entity.number {
      let offset = offsets[entity.number] ?? 0
      if offset == 0 { continue }
      entity.frontier = RowNumber(rawValue: entity.frontier.rawValue + offset)
      try connection.run(
        "UPDATE TICDS_ENTITY SET frontier = ? WHERE id = ?", .integer(entity.frontier.rawValue),
        stored(entity.number))
    }
  }

  private func stored(_ number: EntityNumber) -> SQLiteValue { .integer(Int64(number.rawValue)) }
}
