/// Rows of one save to which the same happened one after the other: together they take one entry of the log.
struct LogRun {
  /// Rows in one entry at most, so that sets can be made of slices of the log.
  static let limit = 1_000

  let kind: ChangeLog.Kind
  let entity: EntityNumber
  /// Which group of 64 registers ``mask`` stands for.
  let word: Int
  let mask: UInt64
  let first: RowNumber
  private var last: RowNumber
  private var count = 1
  /// Differences of each row to the one before, from the second on, as zigzag integers.
  private(set) var differences: [UInt8] = []

  init(kind: ChangeLog.Kind, entity: EntityNumber, word: Int = 0, mask: UInt64 = 0, row: RowNumber) {
    self.kind = kind
    self.entity = entity
    self.word = word
    self.mask = mask
    first = row
    last = row
  }

  /// Adds a row, if the same happened to it.
  mutating func extend(with other: LogRun) -> Bool {
    guard kind == other.kind, entity == other.entity, mask == other.mask, word == other.word,
      count < Self.limit
    else { return false }
    differences.appendZigzag(other.first.rawValue &- last.rawValue)
    last = other.first
    count += 1
    return true
  }

  /// The rows of an entry; `nil` if it is damaged, or has more than ``limit``.
  static func rows(first: RowNumber, differences: [UInt8]) -> [RowNumber]? {
    differences.withUnsafeBytes { bytes in
      var reader = SetReader(bytes)
      var rows = [first]
      var last = first.rawValue
      while !reader.isAtEnd {
        guard rows.count < limit, let difference = try? reader.zigzag() else { return nil }
        last = last &+ difference
        rows.append(RowNumber(rawValue: last))
      }
      return rows
    }
  }
}
