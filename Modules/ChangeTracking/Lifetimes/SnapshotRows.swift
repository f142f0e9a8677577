import TICDSSQLite

/// Whether the rows of a copy that came from elsewhere are those that its records speak of.
///
/// Nobody would miss a row that is not there: the sets that brought it are contained, so they are not merged again. And of a row without a record
/// nothing would ever be said.
struct SnapshotRows {
  private let store: any LocalStore
  private let names: NameTable
  private let exempt: ExemptRows
  /// Whether rows without a record must have come since sets were last made: before, all were looked at.
  private let areAllRecorded: Bool

  private var connection: Connection { store.connection }

  init(_ store: any LocalStore, _ names: NameTable, _ state: StateTable, _ authors: AuthorTable) throws {
    self.store = store
    self.names = names
    exempt = ExemptRows(store.connection, try SurplusRows(store.connection, authors).rows)
    areAllRecorded = try state.contains(.adopted) && state.contains(.distinct)
  }

  /// - Throws: ``ReplicaError`` with `invalidSnapshot`.
  func check() throws {
    try checkNames()
    try checkDeletions()
    var records = try RecordedRows(connection)
    let entities = store.schema.localEntities.map { (local: $0, known: names[$0]) }
    for (local, known) in entities.sorted(by: { $0.known.number < $1.known.number }) {
      try records.skip(to: known.number)
      if try !tellsRows(local) {
        try checkRecords(&records, local, known)
      } else {
        try checkRows(&records, local, known)
      }
    }
  }

  /// What the local model calls entities and properties is what they are called: under other names nothing of them would reach others.
  private func checkNames() throws {
    for (local, entity) in zip(store.schema.localEntities, store.schema.entities) {
      let known = names[local]
      let properties = zip(known.localProperties, entity.properties)
      guard known.name == entity.name, names[known.root].name == entity.root,
        properties.allSatisfy({ $0.path.name == $1.name })
      else { throw refusal("It calls entities or properties otherwise than its model.") }
    }
  }

  /// What is to be said to be deleted has no row.
  private func checkDeletions() throws {
    var position: Int64 = 0
    while true {
      let entries = try ChangeLog.entries(connection, after: position, limit: 1_000, kind: .delete)
      guard let last = entries.last else { return }
      position = last.position
      for entry in entries {
        guard let local = names[entry.entity].local,
          let row = try store.readRow(RowReference(entity: local, row: entry.row), []),
          row.syncID == SyncID(stored: entry.detail),
          try !exempt.containsInsertion(of: ChangeLog.Row(entity: entry.entity, row: entry.row))
        else { continue }
        throw refusal("It holds rows that it says were deleted.")
      }
    }
  }

  /// Whether the store can tell all rows of an entity; one whose log mentions every insertion need not.
  private func tellsRows(_ local: LocalEntity) throws -> Bool {
    try !store.logsInsertions
      || !store.identifiedRows(local, after: RowNumber(rawValue: .min), limit: 1).isEmpty
  }

  /// Of a store that need not tell all its rows: looks for the row of each record.
  private func checkRecords(
    _ records: inout RecordedRows, _ local: LocalEntity, _ known: KnownEntity
  ) throws {
    while let record = records.next, record.entity == known.number {
      let row = try store.readRow(RowReference(entity: local, row: record.row), [])
      if row?.syncID != record.syncID {
        try require(record.row, known, "It lacks rows that its records name.")
      }
      try records.advance()
    }
  }

  private func checkRows(_ records: inout RecordedRows, _ local: LocalEntity, _ known: KnownEntity) throws {
    let frontier = areAllRecorded ? InsertionScan.frontier(of: known, in: names, of: store) : .none
    var rows = StoreRows(store, local)
    while true {
      let record = records.next.flatMap { $0.entity == known.number ? $0 : nil }
      let row = try rows.next()
      guard record != nil || row != nil else { return }
      if let record, row.map({ record.row < $0.row }) ?? true {
        try require(record.row, known, "It lacks rows that its records name.")
        try records.advance()
      } else if let row, record.map({ row.row < $0.row }) ?? true {
        if row.syncID != nil, row.row <= frontier {
          try require(row.row, known, "It holds rows without a record.")
        }
        rows.advance()
      } else {
        if record?.syncID != row?.syncID {
          try require(record?.row ?? .none, known, "Its rows are others than its records name.")
        }
        rows.advance()
        try records.advance()
      }
    }
  }

  /// Refuses what no change that is still to be said explains.
  private func require(_ row: RowNumber, _ entity: KnownEntity, _ message: String) throws {
    if try exempt.contains(ChangeLog.Row(entity: entity.number, row: row)) { return }
    throw refusal(message)
  }

  private func refusal(_ message: String) -> ReplicaError {
    ReplicaError.invalidSnapshot(path: connection.path, message)
  }
}

/// The rows that records name, by the numbers of entities and rows.
private struct RecordedRows {
  struct Record {
    var entity: EntityNumber
    var row: RowNumber
    var syncID: SyncID
  }

  private(set) var next: Record?
  private let statement: Statement

  init(_ connection: Connection) throws {
    statement = try connection.prepare(
      "SELECT entity, row, syncid FROM TICDS_OBJECT WHERE row IS NOT NULL ORDER BY entity, row")
    try advance()
  }

  mutating func advance() throws {
    guard try statement.step() else {
      next = nil
      return
    }
    next = Record(
      entity: EntityNumber(rawValue: Int(clamping: statement.int64(0))),
      row: RowNumber(rawValue: statement.int64(1)), syncID: SyncID(stored: statement.value(2)))
  }

  mutating func skip(to entity: EntityNumber) throws {
    while let record = next, record.entity < entity { try advance() }
  }
}

/// The rows of an entity, in the order of their numbers.
private struct StoreRows {
  private let store: any LocalStore
  private let entity: LocalEntity
  private var batch: ArraySlice<IdentifiedRow> = []
  private var last = RowNumber(rawValue: .min)
  private static let batchSize = 1_000

  init(_ store: any LocalStore, _ entity: LocalEntity) {
    self.store = store
    self.entity = entity
  }

  mutating func next() throws -> IdentifiedRow? {
    if batch.isEmpty { batch = try store.identifiedRows(entity, after: last, limit: Self.batchSize)[...] }
    return batch.first
  }

  mutating func advance() {
    if let row = batch.popFirst() { last = row.row }
  }
}

/// Rows that may have no record, or none any more: what the log says of them is in no set yet, or they go once somebody can write rows.
private final class ExemptRows {
  private let connection: Connection
  private let surplus: Set<ChangeLog.Row>
  private var logged: (inserted: Set<ChangeLog.Row>, deleted: Set<ChangeLog.Row>)?

  init(_ connection: Connection, _ surplus: Set<ChangeLog.Row>) {
    self.connection = connection
    self.surplus = surplus
  }

  func contains(_ row: ChangeLog.Row) throws -> Bool {
    let logged = try readLog()
    return surplus.contains(row) || logged.inserted.contains(row) || logged.deleted.contains(row)
  }

  func containsInsertion(of row: ChangeLog.Row) throws -> Bool { try readLog().inserted.contains(row) }

  private func readLog() throws -> (inserted: Set<ChangeLog.Row>, deleted: Set<ChangeLog.Row>) {
    if let logged { return logged }
    let read = (inserted: try rows(.insert), deleted: try rows(.delete))
    logged = read
    return read
  }

  private func rows(_ kind: ChangeLog.Kind) throws -> Set<ChangeLog.Row> {
    var rows: Set<ChangeLog.Row> = []
    var position: Int64 = 0
    while true {
      let entries = try ChangeLog.entries(connection, after: position, limit: 1_000, kind: kind)
      guard let last = entries.last else { return rows }
      for entry in entries { rows.insert(ChangeLog.Row(entity: entry.entity, row: entry.row)) }
      position = last.position
    }
  }
}
