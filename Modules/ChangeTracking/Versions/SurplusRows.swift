import SQLite

/// Rows of objects that became one with another when their entities got one root: they go once somebody can write rows.
struct SurplusRows {
  private let state: StateTable
  private static let prefix = "surplus."

  init(_ connection: Connection) {
    state = StateTable(connection)
  }

  func note(_ rows: [(record: RecordID, entity: EntityNumber, row: RowNumber)]) throws {
    for (record, entity, row) in rows {
      try state.set(
        StateTable.Name("\(Self.prefix)\(entity.rawValue).\(row.rawValue)"), .integer(record.rawValue))
    }
  }

  func remove(_ transaction: ReplicaTransaction) throws {
    for name in try state.names(prefix: Self.prefix) {
      let numbers = name.text.dropFirst(Self.prefix.count).split(separator: ".").compactMap { Int64($0) }
      let record = RecordID(rawValue: Int64(bitPattern: try state.integer(name)))
      if numbers.count == 2,
        let local = transaction.cells.names[EntityNumber(rawValue: Int(clamping: numbers[0]))].local
      {
        try transaction.showing.dropRow(
          RowReference(entity: local, row: RowNumber(rawValue: numbers[1])),
          of: transaction.cells.objects.slot(record))
      }
      try state.remove(name)
    }
  }
}
