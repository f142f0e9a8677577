import TICDSSQLite

/// A row of an object that two turned out to be, when the entities of both got one root.
struct SurplusRow {
  var record: RecordID
  var entity: EntityNumber
  var row: RowNumber
  /// What this row alone shows of the object.
  var registers: [RegisterClock] = []
  /// What both rows show with one stamp.
  var tied: [RegisterClock] = []
}

/// Rows of objects that became one with another when their entities got one root: they go once somebody can write rows.
struct SurplusRows {
  private let state: StateTable
  private let authors: AuthorTable
  private static let prefix = "surplus."

  init(_ connection: Connection, _ authors: AuthorTable) {
    state = StateTable(connection)
    self.authors = authors
  }

  private static func name(_ row: ChangeLog.Row) -> StateTable.Name {
    StateTable.Name("\(prefix)\(row.entity.rawValue).\(row.row.rawValue)")
  }

  func note(_ rows: [SurplusRow]) throws {
    for surplus in rows {
      var bytes: [UInt8] = []
      bytes.appendVarint(UInt64(bitPattern: surplus.record.rawValue))
      bytes.appendVarint(UInt64(surplus.tied.count))
      for register in surplus.tied + surplus.registers {
        bytes.appendVarint(UInt64(register.bit.rawValue))
        bytes.appendVarint(register.stamp.time.bits)
        bytes.appendVarint(UInt64(bitPattern: authors.storedNumber(of: register.stamp.author)))
      }
      try state.set(Self.name(ChangeLog.Row(entity: surplus.entity, row: surplus.row)), .blob(bytes))
    }
  }

  /// The rows that are still there.
  var rows: Set<ChangeLog.Row> {
    get throws { Set(try state.names(prefix: Self.prefix).compactMap(Self.row)) }
  }

  /// Whether a row is one of them, and still there.
  func contains(_ row: ChangeLog.Row) throws -> Bool { try state.contains(Self.name(row)) }

  private static func row(_ name: StateTable.Name) -> ChangeLog.Row? {
    let numbers = name.text.dropFirst(prefix.count).split(separator: ".").compactMap { Int64($0) }
    guard numbers.count == 2 else { return nil }
    return ChangeLog.Row(
      entity: EntityNumber(rawValue: Int(clamping: numbers[0])), row: RowNumber(rawValue: numbers[1]))
  }

  func remove(_ showing: Showing) throws {
    let names = try state.names(prefix: Self.prefix)
    try showing.drop(names.compactMap(surplus))
    for name in names { try state.remove(name) }
  }

  private func surplus(_ name: StateTable.Name) throws -> SurplusRow? {
    guard let row = Self.row(name), case .blob(let bytes)? = try state.value(name) else { return nil }
    return try surplus(row, bytes)
  }

  private func surplus(_ row: ChangeLog.Row, _ bytes: [UInt8]) throws -> SurplusRow {
    try bytes.withUnsafeBytes { bytes in
      var reader = SetReader(bytes)
      let record = RecordID(rawValue: Int64(bitPattern: try reader.varint()))
      var surplus = SurplusRow(record: record, entity: row.entity, row: row.row)
      let tiedCount = try reader.varint()
      while !reader.isAtEnd {
        let bit = PropertyBit(rawValue: Int(clamping: try reader.varint()))
        let time = Int64(bitPattern: try reader.varint())
        let author = Int64(bitPattern: try reader.varint())
        let register = RegisterClock(bit: bit, stamp: authors.stamp(time, author))
        if surplus.tied.count < tiedCount {
          surplus.tied.append(register)
        } else {
          surplus.registers.append(register)
        }
      }
      return surplus
    }
  }
}
