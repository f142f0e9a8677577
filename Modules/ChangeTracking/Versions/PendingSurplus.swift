/// Rows that are to go since objects became one, while more of them may.
struct PendingSurplus {
  private(set) var rows: [SurplusRow] = []
  private var indexes: [RecordID: [Int]] = [:]

  mutating func append(_ row: SurplusRow) {
    indexes[row.record, default: []].append(rows.count)
    rows.append(row)
  }

  /// Whether a row that is to go still tells what a register holds.
  func tells(_ register: RegisterClock, of record: RecordID) -> Bool {
    indexes[record, default: []].contains {
      rows[$0].registers.contains(register) || rows[$0].tied.contains(register)
    }
  }

  /// Follows an object into the one that it turned out to be.
  mutating func unite(_ other: RecordID, into id: RecordID) {
    guard let moved = indexes.removeValue(forKey: other) else { return }
    for index in moved { rows[index].record = id }
    indexes[id, default: []] += moved
  }

  /// Follows the registers of an object to other bits.
  mutating func rename(_ bits: [PropertyBit: PropertyBit], of id: RecordID) {
    for index in indexes[id] ?? [] {
      for other in rows[index].registers.indices {
        let bit = rows[index].registers[other].bit
        rows[index].registers[other].bit = bits[bit] ?? bit
      }
      for other in rows[index].tied.indices {
        let bit = rows[index].tied[other].bit
        rows[index].tied[other].bit = bits[bit] ?? bit
      }
    }
  }
}
