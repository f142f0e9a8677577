import TICDSSQLite

/// Forgets deletions and removals that every replica has merged, a batch in one transaction.
///
/// Not of what the local model does not know: what it learns later may turn out to be the same, and bring back what was deleted.
/// Nor of an object that another family has under the same sync ID and still needs: a version of the model that places both below one
/// root makes them one, so whoever has it has deleted that one. What the other family gets later bears greater times, for its writer
/// knew of the deletion.
struct TombstoneCollection {
  let cells: Cells
  private let stability: Stability

  private static let batchSize = 1_000

  init(_ merged: VersionVector, _ cells: Cells) throws {
    self.cells = cells
    stability = try Stability(merged, authors: cells.authors, connection: cells.connection)
  }

  /// Forgets the next links after one.
  ///
  /// - Returns: how many, and the last one looked at; `nil` if there was none.
  func collectLinks(after: LinkTable.Cell?) throws -> (removed: Int, last: LinkTable.Cell?) {
    let next = try cells.links.cells(after: after, limit: Self.batchSize)
    var removed = 0
    for cell in next {
      let source = try cells.objects[cell.source]
      guard try isOwn(cell.bit, below: source.root) else { continue }
      let isRemoved = cell.removed >= cell.added && stability.covers(cell.removed)
      let isErased =
        cell.added <= source.deleted && stability.covers(source.deleted)
        && (cell.removed <= source.deleted || stability.covers(cell.removed))
      guard isRemoved || isErased, try !hasNamesake(cell) else { continue }
      try cells.links.remove(cell)
      removed += 1
    }
    return (removed, next.last)
  }

  /// Forgets the next objects after one.
  ///
  /// - Returns: how many, and the last one looked at; `nil` if there was none.
  func collectObjects(after id: RecordID) throws -> (removed: Int, last: RecordID?) {
    let ids = try cells.objects.withoutRow(after: id, limit: Self.batchSize)
    var removed = 0
    for id in ids {
      guard try isForgettable(id), try cells.objects.namesakes(of: id).allSatisfy(isForgettable)
      else { continue }
      try cells.parked.removeAll(of: id)
      try cells.places.removeAll(with: id)
      try cells.objects.forget(id)
      removed += 1
    }
    return (removed, ids.last)
  }

  private func isForgettable(_ id: RecordID) throws -> Bool {
    let record = try cells.objects[id]
    return try !record.lives && record.row == nil && record.clocks.isEmpty && stability.covers(record.deleted)
      && isOwn(record.root) && !cells.objects.isReferredTo(id)
  }

  /// Whether there is a link between objects that have the sync IDs of both ends in other families.
  private func hasNamesake(_ cell: LinkTable.Cell) throws -> Bool {
    let sources = try cells.objects.namesakes(of: cell.source)
    let targets = try cells.objects.namesakes(of: cell.target)
    if sources.isEmpty, targets.isEmpty { return false }
    // Of a symmetric relationship, the ends may change places.
    for source in sources + [cell.source] {
      for target in targets + [cell.target] where (source, target) != (cell.source, cell.target) {
        if try cells.links.contains(source, target) || cells.links.contains(target, source) { return true }
      }
    }
    return false
  }

  private func isOwn(_ root: EntityNumber) throws -> Bool {
    try cells.names.ownNames(in: .entities).contains(root.rawValue)
  }

  private func isOwn(_ bit: PropertyBit, below root: EntityNumber) throws -> Bool {
    guard try isOwn(root) else { return false }
    let kind = try cells.names[root].property(bit).kind.stored.code
    return try cells.names.ownNames(in: .properties(root: root, kind: kind)).contains(bit.rawValue)
  }
}

/// Knows which stamps belong to sets that every replica has merged.
struct Stability {
  /// Of each author, the greatest time of such a set that no other set of the author reaches back to.
  private var times: [AuthorID: LogicalTime] = [:]

  init(_ merged: VersionVector, authors: AuthorTable, connection: Connection) throws {
    struct Span {
      var covered = LogicalTime.zero
      var uncovered: LogicalTime?
    }
    var spans: [AuthorID: Span] = [:]
    let sets = try connection.cached("SELECT author, sequence, earliest, latest FROM TICDS_SET")
    while try sets.step() {
      let author = authors.author(stored: sets.int64(0))
      let earliest = LogicalTime(bits: UInt64(bitPattern: sets.int64(2)))
      let latest = LogicalTime(bits: UInt64(bitPattern: sets.int64(3)))
      if UInt64(bitPattern: sets.int64(1)) <= merged[author] {
        spans[author, default: Span()].covered = max(spans[author]?.covered ?? .zero, latest)
      } else {
        spans[author, default: Span()].uncovered = min(spans[author]?.uncovered ?? earliest, earliest)
      }
    }
    for (author, span) in spans {
      guard let uncovered = span.uncovered, uncovered <= span.covered else {
        times[author] = span.covered
        continue
      }
      times[author] = LogicalTime(bits: uncovered.bits - min(uncovered.bits, 1))
    }
  }

  /// Whether every replica has merged what bears this stamp, and will only say what is later.
  ///
  /// Clocks do not follow times from ``HybridLogicalClock/far`` on, so a deletion that bears one must be known for ever.
  func covers(_ stamp: Stamp) -> Bool {
    stamp == .zero
      || stamp.time < HybridLogicalClock.far && stamp.time <= times[stamp.author] ?? .zero
  }
}
