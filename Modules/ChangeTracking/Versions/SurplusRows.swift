import SQLite

/// Rows of objects that became one with another when their entities got one root: they go once somebody can write rows.
struct SurplusRows {
  private let state: StateTable
  private let connection: Connection
  private static let prefix = "surplus."

  init(_ connection: Connection) {
    self.connection = connection
    state = StateTable(connection)
  }

  func note(_ rows: [(record: RecordID, entity: EntityNumber, row: RowNumber)]) throws {
    for (record, entity, row) in rows {
      try state.set(
        StateTable.Name("\(Self.prefix)\(entity.rawValue).\(row.rawValue)"), .integer(record.rawValue))
    }
  }

  func remove(_ transaction: ReplicaTransaction) throws {
    let statement = try connection.prepare(
      "SELECT name, value FROM TICDS_STATE WHERE name LIKE '\(Self.prefix)%'")
    var noted: [(name: String, record: RecordID)] = []
    while try statement.step() { noted.append((statement.text(0), RecordID(rawValue: statement.int64(1)))) }
    for (name, record) in noted {
      let numbers = name.dropFirst(Self.prefix.count).split(separator: ".").compactMap { Int64($0) }
      if numbers.count == 2,
        let local = transaction.cells.names[EntityNumber(rawValue: Int(clamping: numbers[0]))].local
      {
        try transaction.showing.dropRow(
          RowReference(entity: local, row: RowNumber(rawValue: numbers[1])),
          of: transaction.cells.objects.slot(record))
      }
      try state.remove(StateTable.Name(name))
    }
  }
}
