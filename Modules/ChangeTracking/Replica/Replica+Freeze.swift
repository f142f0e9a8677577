import ObjectStore
import SQLite

/// An own set, fixed for good: what its file contains and what it is called.
public struct FrozenSet: Hashable, Sendable {
  /// The author.
  public var author: AuthorID
  /// Position in the author's history.
  public var sequence: UInt64
  /// Hash of ``bytes``.
  public var hash: ContentHash
  /// Number of changes in the set.
  public var changeCount: Int
  /// The file's bytes, sealed if the document is encrypted.
  public var bytes: [UInt8]
}

extension Replica {
  /// Turns a set's bytes into those of its file, sealing them if the document is encrypted.
  public typealias Sealing = (_ plain: [UInt8], _ author: AuthorID, _ sequence: UInt64) throws -> [UInt8]

  /// Makes sets of all changes logged so far and puts them into the outbox.
  ///
  /// Several saves that wrote one register make one change, with the time of the last. One durable transaction. Objects that
  /// came into the store without a recorder are adopted: ``adoptExistingObjects(sealing:)``.
  /// - Returns: the number of new sets.
  public func freeze(sealing: Sealing) throws -> Int {
    try withIdentifiedRows { try freezeChanges(sealing: sealing) } + sayIdentifiedRows(sealing: sealing)
  }

  private func freezeChanges(sealing: Sealing) throws -> Int {
    guard try hasUnfrozenChanges else { return 0 }
    var changes = ChangedRows()
    let made = try begin {
      changes = ChangedRows()
      return try freezeLog(sealing: sealing, changes: &changes)
    }
    if !changes.isEmpty { store.announce(changes) }
    return made
  }

  /// Whether there are changes that are in no set yet.
  var hasUnfrozenChanges: Bool {
    get throws {
      if try state.value("restate") != nil { return true }
      return try ChangeLog.count(connection) > 0 || hasRowsBeyondFrontier(in: connection, names)
    }
  }

  /// Makes sets of the log inside the open transaction, and notes the rows that show something new because of it.
  func freezeLog(sealing: Sealing, changes: inout ChangedRows) throws -> Int {
    try requireIdentifiedRows()
    let author = try author
    var made = 0
    var position: Int64 = 0
    var builder = ChangeSetBuilder()
    var latest = LogicalTime(bits: try state.integer("clock"))
    var revealed: [Int] = []

    func finish() throws {
      if try fix(builder, latest: latest, sealing: sealing) { made += 1 }
      revealed += builder.insertedSlots
      builder = ChangeSetBuilder()
    }

    if try state.value("restate") != nil {
      try restate(by: author, into: &builder)
      try finish()
    }
    var scan = try InsertionScan(self)
    while true {
      let limit = scan.isAtEnd ? configuration.setLimit : max(1, configuration.setLimit / 2)
      var entries = try ChangeLog.entries(connection, after: position, limit: limit)[...]
      let insertions = try scan.next(through: entries.last?.time, limit: limit)
      // No set may say anything that is earlier than what an earlier set says.
      if insertions.count == limit, let last = insertions.last {
        entries = entries.prefix { $0.time <= last.time }
      }
      guard let last = [insertions.last, entries.last].compactMap(\.self).map(\.time).max() else { break }
      position = entries.last?.position ?? position
      latest = max(latest, last)
      try fold(insertions + entries, by: author, into: &builder)
      if builder.changes.count >= configuration.setLimit { try finish() }
    }
    try finish()
    // Only now, for what is shown here must not be taken for something that the user wrote.
    for slot in revealed { try showWhatWaitsForInsertion(of: slot, changes: &changes) }
    try connection.run("DELETE FROM TICDS_LOG")
    try moveFrontiers()
    if names.hasUnadoptedMerge { try adoptMergeKinds(changes: &changes) }
    try settle(changes: &changes)
    try state.setInteger("clock", latest.bits)
    return made
  }

  /// Makes a set of what was collected and puts it into the outbox; `false` if there is nothing.
  func fix(_ builder: ChangeSetBuilder, latest: LogicalTime, sealing: Sealing) throws -> Bool {
    guard !builder.changes.isEmpty else { return false }
    let author = try author
    let number = try authors.number(of: author, client: client)
    let sequence = authors.authors[number].sequence + 1
    let set = ChangeSet(
      author: author, client: client, sequence: sequence, previous: authors.authors[number].chain,
      model: store.schema.model, entities: builder.entities, changes: builder.changes)
    let bytes = try sealing(try configuration.codec.encode(set), author, sequence)
    let hash = ContentHash(of: bytes)
    try connection.run(
      "INSERT INTO TICDS_OUTBOX VALUES (?, ?, ?, ?, ?)", .integer(Int64(bitPattern: sequence)),
      .blob(hash.bytes), .integer(Int64(set.changes.count)), .integer(Int64(bitPattern: latest.bits)),
      .blob(bytes))
    try authors.advance(number, to: sequence, chain: hash)
    try authors.insert(hash, of: number, set)
    return true
  }

  private func fold(_ entries: [ChangeLog.Entry], by author: AuthorID, into builder: inout ChangeSetBuilder)
    throws
  {
    var touched = TouchedRows()
    for entry in entries {
      guard names.entities.indices.contains(entry.entity) else {
        throw ReplicaError.damagedBookkeeping(
          path: connection.path, "The change log names an unknown entity.")
      }
      touched.add(entry, root: names.entities[entry.entity].root)
    }
    for row in touched.rows { try freeze(row, by: author, into: &builder) }
    for link in touched.links { try freeze(link, touched: touched, by: author, into: &builder) }
    for (list, time) in touched.lists { try noteOrder(list, at: time) }
    if !reordered.isEmpty { try freezeOrders(by: author, into: &builder) }
  }
}
