import ObjectStore
import SQLite

extension Replica {
  /// Makes sets of all changes logged so far and puts them into the outbox.
  ///
  /// Several saves that wrote one register make one change, with the time of the last. Objects that came into the store without
  /// a recorder are adopted: ``adoptExistingObjects()``. Goes in slices, each one durable transaction, so that others may save
  /// meanwhile.
  /// - Returns: the number of new sets.
  @discardableResult
  public func freeze() throws -> Int {
    try withIdentifiedRows { try freezeChanges() } + freezeAdopted()
  }

  private func freezeChanges() throws -> Int {
    var made = 0
    let logged = LoggedInsertions()
    var writing = SharedWriting(connection)
    while try hasUnfrozenChanges {
      let isAtEnd = try begin { transaction in
        try requireIdentifiedRows()
        let freezing = try Freezing(reader: transaction.reader, options: setOptions)
        let isAtEnd = try freezing.freezeLog(limit: configuration.setLimit, logged: logged)
        try show(freezing, transaction, isAtEnd: isAtEnd)
        made += freezing.frozen.sets
        return isAtEnd
      }
      if isAtEnd { break }
      writing.pauseIfDue()
    }
    try learnModel()
    return made
  }

  /// Makes sets of everything that is in the log, inside a transaction that goes on to do something else.
  func freezeLog(in transaction: ReplicaTransaction) throws {
    guard try hasUnfrozenChanges else { return }
    try requireIdentifiedRows()
    let freezing = try Freezing(reader: transaction.reader, options: setOptions)
    let isAtEnd = try freezing.freezeLog()
    try show(freezing, transaction, isAtEnd: isAtEnd)
  }

  /// - Parameter isAtEnd: whether nothing is left in the log.
  private func show(_ freezing: Freezing, _ transaction: ReplicaTransaction, isAtEnd: Bool) throws {
    let showing = transaction.showing
    var unshown = try showing.correct(freezing.frozen)
    try identification(transaction).separate(freezing.frozen.duplicates)
    let table = transaction.cells.unshown
    guard isAtEnd else { return try unshown.keep(in: table) }
    try unshown.formUnion(UnshownChanges(takenFrom: table))
    try showing.show(unshown)
    if transaction.cells.names.hasUnadoptedMerge { try showing.adoptMergeKinds() }
    try showing.settle()
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
      let names = try NameTable(connection: connection, schema: store.schema)
      return try store.hasRowsBeyondFrontier(names, in: connection)
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
      for entity in store.schema.entities {
        try state.remove(Adoption.Search.unknown.position(entity.name))
        try state.remove(Adoption.Search.unidentified.position(entity.name))
      }
    }
    return try freeze()
  }

  /// Whether rows may be there that nobody has looked at, or that were identified and that no set says.
  var mayHaveUnknownRows: Bool {
    get throws { try !state.contains(.adopted) || state.contains(.adopting) }
  }

  /// Runs something that reads the log, after giving identifiers to all rows that the log may mention: without one, what it
  /// says of a row would be lost.
  func withIdentifiedRows<R>(_ body: () throws -> R) throws -> R {
    while true {
      try identifyRows()
      do { return try body() } catch is UnidentifiedRows { continue }
    }
  }

  /// Somebody has added rows since the rows were identified.
  private struct UnidentifiedRows: Error {}

  /// Inside a transaction that reads the log: nobody can add rows any more.
  func requireIdentifiedRows() throws {
    for entity in store.schema.localEntities {
      let position = try lastIdentifiedRow(.unidentified, entity)
      guard try store.rows(entity, after: position, limit: 1, withoutSyncID: true).isEmpty else {
        throw UnidentifiedRows()
      }
    }
  }

  private func lastIdentifiedRow(_ search: Adoption.Search, _ entity: LocalEntity) throws -> RowNumber {
    let position = try state.integer(search.position(store.schema[entity].name))
    return RowNumber(rawValue: Int64(bitPattern: position))
  }

  private func identifyRows() throws {
    let isFirst = try !state.contains(.adopted)
    let entities = store.schema.localEntities
    // Natural keys must not give an identifier that some row has.
    if isFirst { for entity in entities { try identify(.unknown, entity, mayBeLogged: false) } }
    for entity in entities { try identify(.unidentified, entity, mayBeLogged: !isFirst) }
    if isFirst { try begin { try $0.cells.state.insert(.adopted) } }
  }

  private func identify(_ search: Adoption.Search, _ entity: LocalEntity, mayBeLogged: Bool) throws {
    let name = search.position(store.schema[entity].name)
    var position = try lastIdentifiedRow(search, entity)
    var end = try store.lastRow(entity, in: connection)
    // Rows with a sync ID beyond the frontier are insertions.
    if search == .unknown {
      let names = try NameTable(connection: connection, schema: store.schema)
      end = min(end, InsertionScan.frontier(of: names[entity], in: names, of: store))
    }
    guard position < end else { return }
    let start = position
    while true {
      let rows = try store.rows(
        entity, after: position, limit: Adoption.batchSize, withoutSyncID: search == .unidentified
      ).prefix { $0 <= end }
      guard let last = rows.last else { break }
      position = last
      try begin { transaction in
        try identification(transaction).identify(search, rows, of: entity, mayBeLogged: mayBeLogged)
        try transaction.cells.state.setInteger(name, UInt64(bitPattern: last.rawValue))
      }
    }
    // Rows that are known need not be passed over again and again; but not every look is worth a write.
    if end.rawValue - start.rawValue >= Adoption.batchSize {
      try begin { try $0.cells.state.setInteger(name, UInt64(bitPattern: end.rawValue)) }
    }
  }

  private func identification(_ transaction: ReplicaTransaction) -> RowIdentification {
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
        try show(freezing, transaction, isAtEnd: isAtEnd)
        made += freezing.frozen.sets
      }
    }
    return made
  }
}
