/// The links of objects that one author has made or removed, so that many deletions of one object read all of its links once.
struct OwnLinks {
  private var links: [RecordID: [LinkTable.Cell]] = [:]
  /// How often links had been written when these were read.
  private var writes = 0

  /// The links that an object has, and those that lead to it, of which an author has said the latest.
  mutating func cells(with object: RecordID, by author: AuthorID, in table: LinkTable) throws
    -> [LinkTable.Cell]
  {
    if table.writes.count != writes { (links, writes) = ([:], table.writes.count) }
    if let known = links[object] { return known }
    let own = try (table.cells(of: object) + table.cells(to: object)).filter {
      max($0.added, $0.removed).author == author
    }
    links[object] = own
    return own
  }
}
