import ObjectStore
import TICDSSQLite

extension Replica {
  /// Makes sets of all changes logged so far and puts them into the outbox.
  ///
  /// Several saves that wrote one register make one change, with the time of the last. Objects that came into the store without
  /// a recorder are adopted: ``adoptExistingObjects()``. Goes in slices, each one durable transaction, so that others may save
  /// meanwhile.
  /// - Returns: the number of new sets.
  @discardableResult
  public func freeze() throws -> Int {
    var made = 0
    try withIdentifiedRows { try freezeChanges(after: $0, &made) }
    return try made + freezeAdopted()
  }

  /// - Parameter made: the number of new sets, of which some stay if rows come that have no identifiers.
  private func freezeChanges(after identified: IdentifiedRows, _ made: inout Int) throws {
    var identified = identified
    let logged = LoggedInsertions()
    var writing = SharedWriting(connection)
    var hasMore = try hasUnfrozenChanges
    // To the end, even if a slice took all that there was: what waits for an empty log comes then.
    while hasMore {
      try separateSharedRows(after: &identified)
      hasMore = try begin { transaction in
        try prepareRows(transaction, identified)
        let freezing = try Freezing(reader: transaction.reader, options: setOptions)
        let isAtEnd = try freezing.freezeLog(limit: configuration.setLimit, logged: logged)
        made += freezing.frozen.sets
        return try !show(freezing, transaction, isAtEnd: isAtEnd, limit: configuration.setLimit)
      }
      if hasMore { writing.pauseIfDue() }
    }
    try learnModel()
  }

  /// Makes sets of everything that is in the log, inside a transaction that goes on to do something else.
  ///
  /// - Parameters:
  ///   - identified: rows that need not be looked at any more.
  ///   - hidden: what is written to registers whose rows cannot show it: it has still to arrive, or another object shows it.
  func freezeLog(
    in transaction: ReplicaTransaction, _ identified: IdentifiedRows,
    hidden: [RegisterID: Register.Content] = [:]
  ) throws {
    guard try hasUnfrozenChanges else { return }
    try prepareRows(transaction, identified)
    let freezing = try Freezing(reader: transaction.reader, options: setOptions)
    freezing.hidden = hidden
    let isAtEnd = try freezing.freezeLog()
    _ = try show(freezing, transaction, isAtEnd: isAtEnd)
  }

  /// Brings rows up to date with what sets were made of, if nothing is left in the log.
  ///
  /// - Parameter limit: how much is looked at in this transaction, about; the rest waits.
  /// - Returns: whether rows have followed everything.
  private func show(
    _ freezing: Freezing, _ transaction: ReplicaTransaction, isAtEnd: Bool, limit: Int = .max
  ) throws -> Bool {
    let showing = transaction.showing
    let table = transaction.cells.unshown
    var unshown = try showing.correct(freezing.frozen)
    if !isAtEnd || unshown.count > limit {
      try unshown.keep(in: table)
      unshown = UnshownChanges()
    }
    guard isAtEnd else { return false }
    try unshown.formUnion(UnshownChanges(takenFrom: table, limit: limit))
    try showing.show(unshown)
    let isDone = try table.isEmpty
    if isDone, transaction.cells.names.hasUnadoptedMerge { try showing.adoptMergeKinds() }
    try showing.settle()
    return isDone
  }

  /// Whether there are changes that are in no set yet, or that rows have not followed.
  var hasUnfrozenChanges: Bool {
    get throws {
      if try state.contains(.restate) || ChangeLog.hasEntries(connection)
        || !UnshownTable(connection: connection).isEmpty
      {
        return true
      }
      return try hasInsertionsBeyondFrontier
    }
  }

  private var hasInsertionsBeyondFrontier: Bool {
    get throws {
      try Frontiers(of: store).isPassed(in: store, store.database)
    }
  }

  // MARK: Adoption

  /// Looks at every row of the store and adopts the objects that nobody knows of.
  ///
  /// Rows without a sync ID get one: made from the natural key where there is one that is not in use, else at random. Objects
  /// that a store already holds when it is first synchronised count as inserted before everything else, so that two devices
  /// that begin with copies of one file agree, and what either has changed or deleted since outranks both copies. Rows that are
  /// found later count as inserted now. So do many-to-many links, between objects that are known, that came without a recorder.
  ///
  /// ``freeze()`` adopts by itself: all rows the first time, later those without a sync ID that were added since. Values
  /// that a program other than ours has changed in a row that is already known are not noticed.
  ///
  /// Memory is bounded; a crash in between loses nothing, and the next call continues.
  /// - Returns: the number of new sets.
  @discardableResult
  public func adoptExistingObjects() throws -> Int {
    try begin { transaction in
      let state = transaction.cells.state
      try state.remove(.adopted)
      try state.remove(.distinct)
      try Adoption.restart(state)
    }
    return try freeze()
  }

  /// Whether rows may be there that nobody has looked at, or that were identified and that no set says.
  var mayHaveUnknownRows: Bool {
    get throws { try !state.contains(.adopted) || state.contains(.adopting) }
  }

  /// Runs something that reads the log, after giving identifiers to all rows that the log may mention: without one, what it
  /// says of a row would be lost.
  func withIdentifiedRows<R>(_ body: (IdentifiedRows) throws -> R) throws -> R {
    while true {
      try identifyRows()
      var identified = IdentifiedRows()
      try separateSharedRows(after: &identified)
      do { return try body(identified) } catch is UnidentifiedRows { continue }
    }
  }

  /// Somebody has added rows since the rows were identified.
  private struct UnidentifiedRows: Error {}

  /// The rows up to which each of an entity has a sync ID of its own.
  struct IdentifiedRows {
    fileprivate var ends: [LocalEntity: RowNumber] = [:]

    fileprivate func end(_ entity: LocalEntity, from start: RowNumber) -> RowNumber {
      max(ends[entity] ?? .none, start)
    }
  }

  /// Inside a transaction that reads the log, when nobody can add rows any more: sees to it that each row has a sync ID of its own.
  private func prepareRows(_ transaction: ReplicaTransaction, _ identified: IdentifiedRows) throws {
    for entity in store.schema.localEntities {
      guard try store.rows(entity, after: .none, limit: 1, withoutSyncID: true).isEmpty else {
        throw UnidentifiedRows()
      }
    }
    guard try state.contains(.distinct) else { throw UnidentifiedRows() }
    let frontiers = Frontiers(transaction.cells.names, of: store)
    for entity in store.schema.localEntities {
      let end = identified.end(entity, from: frontiers[entity])
      if try store.lastRow(entity, in: store.database) <= end { continue }
      try identification(transaction).separateSharedRows(of: entity, after: end, through: .last)
    }
  }

  /// Makes objects of their own of rows that share their sync ID with another, where there are some. Looks at the rows beyond the
  /// frontiers, and at all of them once: former versions left some. Nobody waits meanwhile, unless some are found.
  private func separateSharedRows(after identified: inout IdentifiedRows) throws {
    let isFirst = try !state.contains(.distinct)
    let frontiers = try Frontiers(of: store)
    for entity in store.schema.localEntities {
      // A store whose sync IDs have no index looks at all rows each time.
      var limit = Adoption.batchSize
      var end = identified.end(entity, from: isFirst ? .none : frontiers[entity])
      while try isFirst || store.lastRow(entity, in: store.database) > end {
        let last = try store.rows(entity, after: end, limit: limit, withoutSyncID: false).last
        limit *= 2
        let bound = last ?? .last
        if try !store.rowsRepeatingSyncIDs(entity, after: end, through: bound).isEmpty {
          try begin {
            try identification($0).separateSharedRows(of: entity, after: end, through: bound)
          }
        }
        guard let last else { break }
        end = last
      }
      identified.ends[entity] = end
    }
    if isFirst { try begin { try $0.cells.state.insert(.distinct) } }
  }

  private func identifyRows() throws {
    let isFirst = try !state.contains(.adopted)
    let entities = store.schema.localEntities
    // Natural keys must not give an identifier that some row has.
    if isFirst { for entity in entities { try recordUnknownRows(of: entity) } }
    for entity in entities { try identifyRows(of: entity, mayBeLogged: !isFirst) }
    if isFirst { try begin { try $0.cells.state.insert(.adopted) } }
  }

  /// Makes records of rows that have a sync ID, up to the frontier: those beyond are insertions.
  private func recordUnknownRows(of entity: LocalEntity) throws {
    let name = Adoption.position(store.schema[entity].name)
    let end = try min(store.lastRow(entity, in: store.database), Frontiers(of: store)[entity])
    var position = RowNumber(rawValue: Int64(bitPattern: try state.integer(name)))
    while position < end {
      let rows = try store.rows(entity, after: position, limit: Adoption.batchSize, withoutSyncID: false)
        .prefix { $0 <= end }
      position = rows.last ?? end
      try begin { transaction in
        try identification(transaction).recordUnknown(rows, of: entity)
        try transaction.cells.state.setInteger(name, UInt64(bitPattern: position.rawValue))
      }
    }
  }

  /// Assigns identifiers to rows without one, wherever they are: another program may put a row under the key of one that was deleted.
  private func identifyRows(of entity: LocalEntity, mayBeLogged: Bool) throws {
    var position = RowNumber.none
    while true {
      let rows = try store.rows(entity, after: position, limit: Adoption.batchSize, withoutSyncID: true)
      guard let last = rows.last else { return }
      position = last
      try begin {
        // A recorder may have been there before anything was synchronised.
        let mayBeLogged = try mayBeLogged || ChangeLog.hasEntries(connection)
        try identification($0).identify(rows, of: entity, mayBeLogged: mayBeLogged)
      }
    }
  }

  func identification(_ transaction: ReplicaTransaction) -> RowIdentification {
    RowIdentification(
      cells: transaction.cells, showing: transaction.showing, log: log, now: configuration.now,
      random: configuration.random)
  }

  private func freezeAdopted() throws -> Int {
    var made = 0
    var id = RecordID.none
    while try state.contains(.adopting) {
      _ = try begin { transaction in
        let freezing = try Freezing(reader: transaction.reader, options: setOptions)
        _ = try freezing.freezeAdopted(after: &id)
        // What was saved meanwhile is in the log.
        let isAtEnd = try !ChangeLog.hasEntries(connection) && !hasInsertionsBeyondFrontier
        _ = try show(freezing, transaction, isAtEnd: isAtEnd)
        made += freezing.frozen.sets
      }
    }
    return made
  }
}
