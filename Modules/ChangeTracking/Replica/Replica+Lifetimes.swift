import ObjectStore
import TICDSSQLite

/// Copies of a store, forgetting, and taking back.
extension Replica {
  /// Goes on under a new author, because another copy of the store goes on under the present one, or the store has been
  /// restored from an old copy.
  ///
  /// What the remote is not known to have is said again under the new author, with the times it happened at, in sets that are made at once;
  /// the next merge reports it (``SyncWarning/Kind/restamped``). What the former self pushed is read like anybody's.
  public func beginNewIncarnation() throws { try begin(newIncarnation: .unpushed) }

  /// Goes on under a new author, and says some of what is in effect again.
  ///
  /// - Parameter along: what else happens in the transaction.
  func begin(newIncarnation scope: Incarnation.Scope, along: () throws -> Void = {}) throws {
    try withIdentifiedRows { identified in
      try begin { transaction in
        try freezeForSuccessor(in: transaction, identified)
        try succeed(scope, in: transaction, identified)
        try along()
      }
    }
  }

  /// Takes a new author, and makes the sets of what he says again: at once, while the rows are what the stamps tell, for what is written later
  /// has later ones.
  func succeed(
    _ scope: Incarnation.Scope, in transaction: ReplicaTransaction, _ identified: IdentifiedRows
  ) throws {
    try Incarnation(showing: transaction.showing, random: configuration.random)
      .begin(client: client, scope)
    try freezeLog(in: transaction, identified)
  }

  /// Brings into the cells what is in the log, before a new author says what was not pushed: the sets of the former one go at once, so they
  /// need no sealing.
  func freezeForSuccessor(
    in transaction: ReplicaTransaction, _ identified: IdentifiedRows,
    hidden: [RegisterID: Register.Content] = [:]
  ) throws {
    let sealing = sealing
    self.sealing = { plain, _, _ in plain }
    defer { self.sealing = sealing }
    try freezeLog(in: transaction, identified, hidden: hidden)
  }

  /// Writes a copy of the store with its bookkeeping, as of one moment. Others may read and write meanwhile.
  ///
  /// Whoever opens a replica of the copy goes on under an author of his own, by himself and at once. What the layer above had
  /// stored is not in the copy, apart from what it names.
  ///
  /// - Parameters:
  ///   - path: where nothing lies yet.
  ///   - names: names of remote states that remain.
  /// - Throws: `SQLiteError`, or a file system error; nothing lies at the path then.
  public func snapshot(to path: String, keepingRemoteStates names: Set<String> = []) throws -> StoreSnapshot {
    try StoreSnapshot(of: store, at: path, keepingRemoteStates: names)
  }

  /// Writes a copy of the store as ``snapshot(to:keepingRemoteStates:)`` does, for others.
  ///
  /// - Parameters:
  ///   - path: where nothing lies yet.
  ///   - kinds: kinds of notes of the remote that remain.
  /// - Throws: ``ReplicaError`` with `damagedBookkeeping` if the store contradicts itself: whoever reads the copy would refuse it.
  package func snapshot(to path: String, keepingRemoteNotes kinds: Set<String>) throws -> StoreSnapshot {
    do {
      try connection.transaction(.deferred) {
        let names = try NameTable(connection: connection, schema: store.schema)
        try SnapshotRows(store, names, state, authors()).check()
      }
      let snapshot = try StoreSnapshot(of: store, at: path, keepingRemoteStates: [], notes: kinds)
      _ = try StoreSnapshot(reading: path)
      return snapshot
    } catch let error as ReplicaError where error.code == .invalidSnapshot {
      throw ReplicaError.damagedBookkeeping(path: storePath, error.message)
    }
  }

  /// The file of the store.
  package var storePath: String { connection.path }

  /// Takes back what a merge changed, by new changes of this device: objects that came go, objects that went come back,
  /// properties and ordered relationships show what they showed.
  ///
  /// What was changed again since the merge stays as it is, and so does a relationship to something that is gone by now. Makes sets of
  /// the log first; taking back is one durable transaction, in which sets are made of it.
  /// - Parameters:
  ///   - inverse: of a merge into this replica: ``ApplyReport/inverse``.
  ///   - entities: entities of which objects that came stay, without the links that came with them.
  public func undo(_ inverse: MergeInverse, keeping entities: Set<String> = []) throws -> UndoReport {
    while true {
      try freeze()
      let report: UndoReport? = try withIdentifiedRows { identified in
        try begin { transaction in
          // What was saved meanwhile may have made or removed rows that no record knows of.
          guard try !hasUnfrozenChanges else { return nil }
          return try undo(inverse, keeping: entities, in: transaction, identified)
        }
      }
      if let report { return report }
    }
  }

  /// What waited for objects that come back shows with them, though it did not before: that is taken back too.
  private func undo(
    _ inverse: MergeInverse, keeping entities: Set<String>, in transaction: ReplicaTransaction,
    _ identified: IdentifiedRows
  ) throws -> UndoReport {
    var report: UndoReport?
    var left = inverse
    for _ in 0..<Self.undoRounds where report == nil || !left.isEmpty {
      var undo = try MergeUndo(
        left, keeping: entities, showing: transaction.showing, log: log,
        time: try ChangeLog.nextTime(connection, now: configuration.now()))
      try undo.run()
      let journal = ShownJournal(reader: transaction.reader)
      transaction.showing.rows.journal = journal
      defer { transaction.showing.rows.journal = nil }
      try freezeLog(in: transaction, identified, hidden: undo.awaited.mapValues { .longValue($0) })
      left = try journal.inverse()
      report = report ?? undo.report
    }
    var result = report ?? UndoReport()
    let kept = Set(result.kept)
    result.kept += left.kept.filter { !kept.contains($0) }
    return result
  }

  private static let undoRounds = 3

  // MARK: Forgetting deletions

  /// Where this replica stands.
  public func position() throws -> ReplicaPosition {
    let author = try author
    return ReplicaPosition(
      author: author, sequence: try authors()[author]?.sequence ?? 0, applied: try held())
  }

  /// The sets of each author below which this replica has forgotten deletions.
  public func horizon() throws -> VersionVector {
    var horizon = VersionVector()
    for author in try authors().authors { horizon[author.id] = author.collected }
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
    // What was not pushed a new author may have to say.
    var merged = horizon.merged
    merged[try author] = min(merged[try author], try pushedSequence)
    try begin { transaction in
      for (author, sequence) in merged.sequences {
        try transaction.cells.authors.collect(author, through: sequence)
      }
    }
    var cell: LinkTable.Cell?
    repeat {
      cell = try begin { transaction in
        let batch = try TombstoneCollection(merged, transaction.cells).collectLinks(after: cell)
        collected.links += batch.removed
        return batch.last
      }
    } while cell != nil
    var id: RecordID? = RecordID.none
    while let next = id {
      id = try begin { transaction in
        let batch = try TombstoneCollection(merged, transaction.cells).collectObjects(after: next)
        collected.objects += batch.removed
        return batch.last
      }
    }
    return collected
  }
}
