/// The links of objects that live on though deletions have ended what was said before them, in the order in which they were added: so many
/// deletions of one object as a set may say read its links once.
struct EndingLinks {
  /// Links that are held at most.
  private static let limit = 200_000

  private var links: [RecordID: ArraySlice<LinkTable.Cell>] = [:]
  private var held = 0
  /// How often links had been written when these were read.
  private let writes: Int

  init(writes: Int = 0) { self.writes = writes }

  /// The links of an object that a deletion ends, of which no earlier one has.
  mutating func take(of record: ObjectRecord, through stamp: Stamp, from table: LinkTable) throws
    -> ArraySlice<LinkTable.Cell>
  {
    if table.writes.count != writes || held > Self.limit { self = EndingLinks(writes: table.writes.count) }
    let left = try links[record.id] ?? read(record, from: table)
    let ending = left.prefix { $0.added <= stamp }
    links[record.id] = left.dropFirst(ending.count)
    return ending
  }

  private mutating func read(_ record: ObjectRecord, from table: LinkTable) throws
    -> ArraySlice<LinkTable.Cell>
  {
    let cells = try table.cells(of: record.id).filter { $0.added > record.deleted }
      .sorted { $0.added < $1.added }
    held += cells.count
    return cells[...]
  }
}
