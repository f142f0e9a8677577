/// The links of objects that live on though deletions have ended what was said before them, in the order in which they were added: so many
/// deletions of one object as a set may say read its links a few times.
struct EndingLinks {
  private struct Left {
    var cells: ArraySlice<LinkTable.Cell> = []
    /// What was added earlier was read.
    var next: LogicalTime
    var limit: Int
    var isAtEnd = false
  }

  /// Links that are held at most, about.
  private static let limit = 200_000
  /// Links that are read at first; each time it is twice as many.
  private static let firstLimit = 4_096

  private var links: [RecordID: Left] = [:]
  private var held = 0
  /// How often links had been written when these were read.
  private var writes: Int
  private let firstLimit: Int

  init(writes: Int = 0, firstLimit: Int = Self.firstLimit) {
    self.writes = writes
    self.firstLimit = firstLimit
  }

  /// For a transaction in which no link has been written yet; nothing, if links have been written since these were read.
  func carriedOver(from table: LinkTable) -> EndingLinks {
    guard table.writes.count == writes else { return EndingLinks(firstLimit: firstLimit) }
    var links = self
    links.writes = 0
    return links
  }

  /// The links of an object that a deletion ends, of which no earlier one has.
  mutating func take(of record: ObjectRecord, through stamp: Stamp, from table: LinkTable) throws
    -> [LinkTable.Cell]
  {
    if table.writes.count != writes || held > Self.limit {
      self = EndingLinks(writes: table.writes.count, firstLimit: firstLimit)
    }
    var left = links[record.id] ?? Left(next: record.deleted.time, limit: firstLimit)
    var taken: [LinkTable.Cell] = []
    while true {
      let ending = left.cells.prefix { $0.added <= stamp }
      taken += ending
      left.cells = left.cells.dropFirst(ending.count)
      guard left.cells.isEmpty, !left.isAtEnd, left.next <= stamp.time else { break }
      try read(&left, of: record, from: table)
    }
    links[record.id] = left
    return taken
  }

  /// Reads what was added next, and all that was added at one time.
  private mutating func read(_ left: inout Left, of record: ObjectRecord, from table: LinkTable) throws {
    var cells = try table.cells(of: record.id, addedSince: left.next, limit: left.limit)
    left.isAtEnd = cells.count < left.limit
    left.limit *= 2
    if !left.isAtEnd, let last = cells.last?.added.time {
      cells.removeAll { $0.added.time == last }
      left.next = last
    }
    held += cells.count
    left.cells = cells.filter { $0.added > record.deleted }.sorted { $0.added < $1.added }[...]
  }
}
