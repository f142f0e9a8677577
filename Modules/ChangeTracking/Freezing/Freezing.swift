import ObjectStore
import TICDSSQLite

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
  /// What is written to registers whose rows cannot show it.
  var hidden: [RegisterID: Register.Content] = [:]
  /// Lists that the user gave a new order, and when.
  var reordered: [MemberListID: LogicalTime] = [:]
  /// Takes the sets, instead of the outbox: what a copy of a store holds goes to nobody else.
  let taking: ((ChangeSet) throws -> Void)?
  /// Rows of objects that others show.
  var surplus: Set<ChangeLog.Row>
  /// The latest time that is in a set.
  private var latest: LogicalTime
  /// What happened until then is said as a whole; of what came later a part may be still to say.
  private var complete: LogicalTime

  typealias Slot = ObjectTable.Slot

  init(
    reader: RegisterReader, options: SetOptions, taking: ((ChangeSet) throws -> Void)? = nil
  ) throws {
    self.taking = taking
    cells = reader.cells
    store = reader.store
    self.reader = reader
    lists = MemberLists(reader: reader)
    author = try cells.state.author
    surplus = try SurplusRows(cells.connection, cells.authors).rows
    self.options = options
    builder = ChangeSetBuilder(cells.names)
    latest = try cells.state.time(.clock)
    complete = latest
  }

  /// Makes sets of what is in the log and in rows that no log mentions.
  ///
  /// - Parameters:
  ///   - limit: after how many changes to stop, about.
  ///   - logged: what former slices of the same log have read of it.
  /// - Returns: whether nothing is left.
  func freezeLog(limit: Int = .max, logged: LoggedInsertions = LoggedInsertions()) throws -> Bool {
    if try cells.state.contains(.restate) {
      try restate()
      try finish()
    }
    var scan = try InsertionScan(reader, now: nextTime(), logged: logged)
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
      complete = latest
      if builder.changes.count >= options.setLimit { try finish() }
    }
    try finish()
    try ChangeLog.removeEntries(cells.connection, through: position)
    try logged.endSlice(cells.connection)
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
        of: names[entity].root, to: reader.store.lastRow(entity, in: reader.store.database))
    }
  }

  /// The time of what happens now.
  func nextTime() throws -> LogicalTime { try ChangeLog.nextTime(cells.connection, now: options.now()) }

  /// Notes the time of something that goes into a set.
  func note(_ time: LogicalTime) { latest = max(latest, time) }

  private func freeze(_ entries: [ChangeLog.Entry]) throws {
    var touched = TouchedRows()
    for entry in entries {
      let root = cells.names[entry.entity].root
      touched.add(entry, root: root, targetRoot: try targetRoot(of: entry))
    }
    for row in touched.rows {
      try freeze(row)
      try finishIfFull()
    }
    for link in touched.links {
      try freeze(link, touched)
      try finishIfFull()
    }
    for (list, time) in touched.lists { try noteOrder(list, at: time) }
    if !reordered.isEmpty { try freezeOrders() }
  }

  // MARK: Sets

  /// Makes a set of what was collected and puts it into the outbox; several, if it is more than a set can hold.
  func finish() throws { try finish(through: latest) }

  /// Makes a set before everything that one batch says is collected, so that memory is bounded. Not while one row or link is
  /// looked at, for its names have their numbers in the set that is being made.
  func finishIfFull() throws {
    if builder.isFull { try finish(through: complete) }
  }

  /// - Parameter time: until when nothing is left to say once the set is pushed.
  private func finish(through time: LogicalTime) throws {
    defer { builder = ChangeSetBuilder(cells.names) }
    if let taking { return try take(builder.changes, taking) }
    let division = SetDivision(try sayable(builder.changes), fits: builder.fits)
    for (changes, bound) in zip(division.sets, division.bounds) {
      try finish(changes, latest: min(time, bound ?? time), isDivided: division.sets.count > 1)
    }
  }

  /// Nothing is too long for a set that stays on this device, and nobody asks for its number.
  private func take(_ changes: [Change], _ taking: (ChangeSet) throws -> Void) throws {
    guard !changes.isEmpty else { return }
    try taking(
      ChangeSet(
        author: author, client: cells.authors.client(of: author), sequence: 1, previous: nil,
        model: store.schema.model, entities: builder.entities, changes: changes))
  }

  private func finish(_ changes: [Change], latest complete: LogicalTime, isDivided: Bool) throws {
    let known = cells.authors[author]
    let (sequence, isLast) = (known?.sequence ?? 0).addingReportingOverflow(1)
    guard !isLast else {
      throw ReplicaError.damagedBookkeeping(
        path: cells.connection.path, "The number of the last own set leaves none for another one.")
    }
    let set = ChangeSet(
      author: author, client: options.reportedClient, sequence: sequence, previous: known?.chain,
      model: store.schema.model, entities: builder.entities, changes: changes)
    let bytes = try options.sealing(try options.codec.encode(set), author, sequence)
    let hash = ContentHash(of: bytes)
    let outbox = Outbox(cells.connection)
    try outbox.insert(
      FrozenSet(
        author: author, sequence: sequence, hash: hash, changeCount: set.changes.count, bytes: bytes),
      latest: complete)
    if isDivided { try outbox.note(set.missingLongValues, sequence: sequence) }
    try cells.authors.insert(hash, set)
    try cells.authors.advance(author, to: sequence, chain: hash)
    try cells.state.setTime(.clock, latest)
    frozen.sets += 1
  }

  /// Keeps the bytes of a long value for the upload.
  ///
  /// - Returns: what the set says instead.
  func outOfLine(_ content: Register.Content) throws -> Register.Content {
    guard taking == nil, options.codec.hasLongValues, case .value(let value) = content,
      let (_, bytes) = LongValue.bytes(of: value), let reference = LongValue(value)
    else { return content }
    // The set that is being made. Later sets that say the same move the number on.
    let sequence = (cells.authors[author]?.sequence ?? 0) &+ 1
    try Outbox(cells.connection).insert(bytes, of: reference, sequence: sequence)
    return .longValue(reference)
  }
}
