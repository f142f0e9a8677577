/// A slice of the change log, with of several changes of one register or link only the last.
struct TouchedRows {
  struct Row {
    var entity: EntityNumber
    var row: RowNumber
    var insertion: LogicalTime?
    var deletion: (time: LogicalTime, syncID: SyncID)?
    /// Time of the last write of each register, apart from the insertion.
    var writes: [PropertyBit: LogicalTime] = [:]
    /// Of these registers, those that nobody has written: they were cleared with what they led to, or lead to it again.
    var cleared: Set<PropertyBit> = []
    /// Of these, those that lead to something that came back.
    var restored: Set<PropertyBit> = []
    /// Whether the row came into the store without a recorder.
    var isAdopted = false
  }

  struct Link {
    var entity: EntityNumber
    var bit: PropertyBit
    var source: RowNumber
    var target: RowNumber
    var targetRoot: EntityNumber
    var isAdded: Bool
    var time: LogicalTime
  }

  /// Members of a row that have a new order.
  struct List: Hashable {
    var entity: EntityNumber
    var bit: PropertyBit
    var row: RowNumber
    var root: EntityNumber?
    var isInverse: Bool
  }

  private struct RowKey: Hashable {
    var root: EntityNumber
    var row: RowNumber
  }

  private struct LinkKey: Hashable {
    var root: EntityNumber
    var bit: PropertyBit
    var source: RowNumber
    var target: RowNumber
    var targetRoot: EntityNumber
  }

  /// In the order of their first mention.
  private(set) var rows: [Row] = []
  /// In the order of their first mention.
  private(set) var links: [Link] = []
  /// Ordered lists, with the time of the last change of their order.
  private(set) var lists: [List: LogicalTime] = [:]
  private var rowIndexes: [RowKey: Int] = [:]
  /// In the order of their times.
  private var deletions: [RowKey: [(time: LogicalTime, syncID: SyncID)]] = [:]
  private var linkIndexes: [LinkKey: Int] = [:]

  /// - Parameter targetRoot: the root of ``ChangeLog/Entry/target``; `nil` if nothing is known of that.
  mutating func add(_ entry: ChangeLog.Entry, root: EntityNumber, targetRoot: EntityNumber?) {
    switch entry.kind {
    case .insert:
      // A row that is inserted after its deletion came back under its own key: the deletion was undone. That is two changes.
      rows[indexAfterDeletion(of: entry, root: root)].insertion = entry.time
    case .update, .clear, .restore:
      // One that is written after its deletion is another, which another program has put under its key.
      let index = indexAfterDeletion(of: entry, root: root)
      // Registers written in the transaction that inserted the object belong to the insertion.
      guard rows[index].insertion != entry.time else { return }
      for bit in entry.bits { Self.note(entry.kind, of: bit, at: entry.time, in: &rows[index]) }
    case .delete:
      let deletion = (time: entry.time, syncID: SyncID(stored: entry.detail))
      rows[index(of: entry, root: root)].deletion = deletion
      deletions[RowKey(root: root, row: entry.row), default: []].append(deletion)
    case .link, .unlink:
      guard let target = entry.target?.row, let targetRoot else { return }
      let link = Link(
        entity: entry.entity, bit: entry.firstBit, source: entry.row, target: target, targetRoot: targetRoot,
        isAdded: entry.kind == .link, time: entry.time)
      let key = LinkKey(
        root: root, bit: entry.firstBit, source: entry.row, target: target, targetRoot: targetRoot)
      if let index = linkIndexes[key] {
        links[index] = link
      } else {
        linkIndexes[key] = links.count
        links.append(link)
      }
    case .order:
      let list = List(
        entity: entry.entity, bit: entry.firstBit, row: entry.row, root: entry.isInverse ? targetRoot : root,
        isInverse: entry.isInverse)
      lists[list] = entry.time
    }
  }

  /// The object that a row showed at a time and that was deleted then or later. What is said of the row after that is said of another
  /// object, which another program has put under its key.
  func deletedSyncID(of row: RowNumber, root: EntityNumber, since time: LogicalTime) -> SyncID? {
    deletions[RowKey(root: root, row: row)]?.first { $0.time >= time }?.syncID
  }

  private static func note(
    _ kind: ChangeLog.Kind, of bit: PropertyBit, at time: LogicalTime, in row: inout Row
  ) {
    row.restored.remove(bit)
    if kind == .update {
      row.writes[bit] = time
      row.cleared.remove(bit)
    } else if row.writes[bit] == nil || row.cleared.contains(bit) {
      // What was written before, to something that has gone since, keeps its time.
      row.writes[bit] = time
      row.cleared.insert(bit)
      if kind == .restore { row.restored.insert(bit) }
    }
  }

  private mutating func indexAfterDeletion(of entry: ChangeLog.Entry, root: EntityNumber) -> Int {
    let key = RowKey(root: root, row: entry.row)
    if let index = rowIndexes[key], rows[index].deletion != nil { rowIndexes[key] = nil }
    return index(of: entry, root: root)
  }

  private mutating func index(of entry: ChangeLog.Entry, root: EntityNumber) -> Int {
    let key = RowKey(root: root, row: entry.row)
    if let index = rowIndexes[key] { return index }
    rowIndexes[key] = rows.count
    rows.append(Row(entity: entry.entity, row: entry.row))
    return rows.count - 1
  }
}
