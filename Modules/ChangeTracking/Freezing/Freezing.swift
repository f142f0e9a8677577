import ObjectStore
import SQLite

/// Makes sets of what the user has done, within one transaction: of the log and the rows that it mentions.
///
/// Several saves that wrote one register make one change, with the time of the last.
final class Freezing {
  let cells: Cells
  let store: any LocalStore
  let reader: RegisterReader
  let lists: MemberLists
  /// Under whose name sets are made.
  let author: AuthorID
  let options: SetOptions
  var builder: ChangeSetBuilder
  var frozen = FrozenChanges()
  /// Lists that the user gave a new order, and when.
  var reordered: [MemberListID: LogicalTime] = [:]
  /// The latest time that is in a set.
  private var latest: LogicalTime

  typealias Slot = ObjectTable.Slot

  init(reader: RegisterReader, options: SetOptions) throws {
    cells = reader.cells
    store = reader.store
    self.reader = reader
    lists = MemberLists(reader: reader)
    author = try cells.state.author
    self.options = options
    builder = ChangeSetBuilder(cells.names)
    latest = try cells.state.time(.clock)
  }

  /// Makes sets of what is in the log and in rows that no log mentions.
  ///
  /// - Parameter limit: after how many changes to stop, about.
  /// - Returns: whether nothing is left.
  func freezeLog(limit: Int = .max) throws -> Bool {
    if try cells.state.contains(.restate) {
      try restate()
      try finish()
    }
    var scan = try InsertionScan(reader, now: nextTime())
    var position: Int64 = 0
    var count = 0
    var isAtEnd = false
    while count < limit {
      let batch = scan.isAtEnd ? options.setLimit : max(1, options.setLimit / 2)
      var entries = try ChangeLog.entries(cells.connection, after: position, limit: batch)[...]
      let insertions = try scan.next(through: entries.last?.time, limit: batch)
      // No set may say anything that is earlier than what an earlier set says.
      if insertions.count == batch, let last = insertions.last {
        entries = entries.prefix { $0.time <= last.time }
      }
      guard let last = [insertions.last, entries.last].compactMap(\.self).map(\.time).max() else {
        isAtEnd = true
        break
      }
      position = entries.last?.position ?? position
      latest = max(latest, last)
      count += insertions.count + entries.count
      try freeze(insertions + entries)
      if builder.changes.count >= options.setLimit { try finish() }
    }
    try finish()
    frozen.duplicates += scan.duplicates
    try ChangeLog.removeEntries(cells.connection, through: position)
    if isAtEnd {
      try Self.moveFrontiers(of: reader)
    } else {
      for (root, row) in scan.frontiers() { try cells.names.moveFrontier(of: root, to: row) }
    }
    try cells.state.setTime(.clock, latest)
    return isAtEnd
  }

  /// Notes that the insertions of all rows that are there now are accounted for.
  static func moveFrontiers(of reader: RegisterReader) throws {
    let names = reader.cells.names
    for entity in reader.store.schema.localEntities {
      try names.moveFrontier(
        of: names[entity].root, to: reader.store.lastRow(entity, in: reader.cells.connection))
    }
  }

  /// The time of what happens now.
  func nextTime() throws -> LogicalTime { try ChangeLog.nextTime(cells.connection, now: options.now()) }

  /// Notes the time of something that goes into a set.
  func note(_ time: LogicalTime) { latest = max(latest, time) }

  private func freeze(_ entries: [ChangeLog.Entry]) throws {
    var touched = TouchedRows()
    for entry in entries { touched.add(entry, root: cells.names[entry.entity].root) }
    for row in touched.rows { try freeze(row) }
    for link in touched.links { try freeze(link, touched) }
    for (list, time) in touched.lists { try noteOrder(list, at: time) }
    if !reordered.isEmpty { try freezeOrders() }
  }

  // MARK: Sets

  /// Makes a set of what was collected and puts it into the outbox.
  func finish() throws {
    defer { builder = ChangeSetBuilder(cells.names) }
    guard !builder.changes.isEmpty else { return }
    let known = cells.authors[author]
    let sequence = (known?.sequence ?? 0) + 1
    let set = ChangeSet(
      author: author, client: options.client, sequence: sequence, previous: known?.chain,
      model: store.schema.model, entities: builder.entities, changes: builder.changes)
    let bytes = try options.sealing(try options.codec.encode(set), author, sequence)
    let hash = ContentHash(of: bytes)
    try Outbox(cells.connection).insert(
      FrozenSet(
        author: author, sequence: sequence, hash: hash, changeCount: set.changes.count, bytes: bytes),
      latest: latest)
    try cells.authors.insert(hash, set)
    try cells.authors.advance(author, to: sequence, chain: hash)
    try cells.state.setTime(.clock, latest)
    frozen.sets += 1
  }

  /// Keeps the bytes of a long value for the upload.
  ///
  /// - Returns: what the set says instead.
  func outOfLine(_ content: Register.Content) throws -> Register.Content {
    guard options.codec.hasLongValues, case .value(let value) = content,
      let (_, bytes) = LongValue.bytes(of: value), let reference = LongValue(value)
    else { return content }
    // The set that is being made. Later sets that say the same move the number on.
    let sequence = (cells.authors[author]?.sequence ?? 0) + 1
    try Outbox(cells.connection).insert(bytes, of: reference, sequence: sequence)
    return .longValue(reference)
  }
}

/// How sets are made.
struct SetOptions {
  /// Identifier of the client.
  let client: String
  /// The wall clock, in milliseconds since 1970.
  let now: @Sendable () -> UInt64
  /// Changes in one set at most, about.
  let setLimit: Int
  let codec: any ChangeSetCodec.Type
  let sealing: Replica.Sealing
}
