import SQLite

extension Replica {
  /// Where this replica stands.
  public func position() throws -> ReplicaPosition {
    let author = try author
    return ReplicaPosition(author: author, sequence: madeSequence(of: author), applied: try vector())
  }

  /// The sets of each author below which this replica has forgotten deletions.
  public func horizon() -> VersionVector {
    var horizon = VersionVector()
    for author in authors.authors.dropFirst() { horizon[author.id] = author.collected }
    return horizon
  }

  /// Whether somebody has forgotten deletions that this replica does not know of.
  ///
  /// Such a replica may still show what everybody else has deleted and forgotten. It must not be synchronised any more: the
  /// device begins anew from a snapshot, and brings its own changes in again by hand.
  /// - Parameter horizon: that of another replica, ``horizon()``.
  public func isBehind(_ horizon: VersionVector) throws -> Bool {
    let position = try position()
    var known = position.applied
    known[position.author] = position.sequence
    return !known.covers(horizon)
  }

  /// Forgets the deletions of objects and the removals of links that every replica has merged. What rows show stays the same,
  /// now and after everything that may still come.
  ///
  /// Kept are deleted objects that something still points at, or that somebody has edited without knowing of the deletion, for
  /// both would show if the object were inserted again. Nothing is done unless this replica has merged all that the horizon
  /// tells of. A set below the horizon that arrives later under a number that is known, from a forgotten copy of a store, is left
  /// out with a warning.
  ///
  /// Goes in batches, each one durable transaction.
  /// - Returns: what was forgotten.
  @discardableResult
  public func collectTombstones(below horizon: Horizon) throws -> CollectedTombstones {
    var collected = CollectedTombstones()
    guard try !isBehind(horizon.made) else { return collected }
    try begin {
      for (author, sequence) in horizon.merged.sequences { try authors.collect(author, through: sequence) }
    }
    let stability = try Stability(horizon.merged, authors: authors, connection: connection)
    var after: LinkTable.Cell?
    repeat {
      let batch = try begin { try collectLinks(after: after, stability) }
      collected.links += batch.removed
      after = batch.last
    } while after != nil
    var id: Int64?
    id = 0
    while let next = id {
      let batch = try begin { try collectObjects(after: next, stability) }
      collected.objects += batch.removed
      id = batch.last
    }
    return collected
  }

  private func madeSequence(of author: AuthorID) -> UInt64 {
    authors.existingNumber(of: author).map { authors.authors[$0].sequence } ?? 0
  }

  private static let batchSize = 1_000

  private func collectLinks(after: LinkTable.Cell?, _ stability: Stability) throws -> (
    removed: Int, last: LinkTable.Cell?
  ) {
    let cells = try links.cells(
      after: after, limit: Self.batchSize, connection: connection, authors: authors)
    var removed = 0
    for cell in cells {
      let source = objects[try objects.slot(id: cell.source, authors: authors)]
      let isRemoved = cell.removed >= cell.added && stability.covers(cell.removed)
      let isErased =
        cell.added <= source.deleted && stability.covers(source.deleted)
        && (cell.removed <= source.deleted || stability.covers(cell.removed))
      guard isRemoved || isErased else { continue }
      try links.remove(cell, connection: connection)
      removed += 1
    }
    return (removed, cells.last)
  }

  private func collectObjects(after id: Int64, _ stability: Stability) throws -> (removed: Int, last: Int64?)
  {
    let ids = try objects.withoutRow(after: id, limit: Self.batchSize)
    var removed = 0
    for id in ids {
      let record = objects[try objects.slot(id: id, authors: authors)]
      guard !record.lives, record.clocks.isEmpty, stability.covers(record.deleted),
        try !objects.isReferredTo(id)
      else { continue }
      try parked.removeAll(of: id)
      try places.removeAll(with: id)
      try objects.forget(id)
      removed += 1
    }
    return (removed, ids.last)
  }
}

/// Tells which stamps belong to sets that every replica has merged.
struct Stability {
  /// By author number: the greatest time of such a set that no other set of the author reaches back to.
  private var times: [AuthorID: LogicalTime] = [:]

  init(_ merged: VersionVector, authors: AuthorTable, connection: Connection) throws {
    struct Span {
      var covered = LogicalTime.zero
      var uncovered: LogicalTime?
    }
    var spans: [AuthorID: Span] = [:]
    let sets = try connection.cached("SELECT author, sequence, earliest, latest FROM TICDS_SET")
    while try sets.step() {
      guard let number = Int(exactly: sets.int64(0)), authors.authors.indices.contains(number) else {
        continue
      }
      let author = authors.authors[number].id
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

  /// Whether every replica has merged what bears this stamp.
  func covers(_ stamp: Stamp) -> Bool {
    stamp == .zero || stamp.time <= times[stamp.author] ?? .zero
  }
}
