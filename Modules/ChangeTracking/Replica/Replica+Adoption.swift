import ObjectStore
import SQLite

/// Adopts objects that came into the store without a recorder: those that are older than the bookkeeping, and those that
/// another program or a context without a recorder has added.
///
/// First every row gets its sync ID and a record, then the objects are said as insertions: only then have all targets of
/// relationships an identifier. Both halves go in batches, each one durable transaction that notes how far it came.
extension Replica {
  /// Looks at every row of the store and adopts the objects that nobody knows of.
  ///
  /// Rows without a sync ID get one: made from the natural key where there is one that is not in use, else at random. Objects
  /// that a store already holds when it is first synchronised count as inserted before everything else, so that two devices
  /// that begin with copies of one file agree, and what either has changed or deleted since outranks both copies. Rows that are
  /// found later count as inserted now. So do many-to-many links, between objects that are known, that came without a recorder.
  ///
  /// ``freeze(sealing:)`` adopts by itself: all rows the first time, later those without a sync ID that were added since. Values
  /// that a program other than ours has changed in a row that is already known are not noticed.
  ///
  /// Memory is bounded; a crash in between loses nothing, and the next call continues.
  /// - Parameter sealing: as in ``freeze(sealing:)``.
  /// - Returns: the number of new sets.
  @discardableResult
  public func adoptExistingObjects(sealing: Sealing) throws -> Int {
    try begin {
      try state.remove(Adoption.isCompleteKey)
      for entity in store.schema.entities {
        try state.remove(Adoption.Search.unknown.positionKey(entity.name))
        try state.remove(Adoption.Search.unidentified.positionKey(entity.name))
      }
    }
    return try freeze(sealing: sealing)
  }

  /// Whether rows may be there that nobody has looked at, or that were identified and not said.
  var mayHaveUnknownRows: Bool {
    get throws {
      try state.value(Adoption.isCompleteKey) == nil || state.value(Adoption.openKey) != nil
    }
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
    for (index, entity) in store.schema.entities.enumerated() {
      let key = Adoption.Search.unidentified.positionKey(entity.name)
      let position = Int64(bitPattern: try state.integer(key))
      guard try store.rows(entity: index, after: position, limit: 1, withoutSyncID: true).isEmpty else {
        throw UnidentifiedRows()
      }
    }
  }

  /// The first half.
  private func identifyRows() throws {
    let isFirst = try state.value(Adoption.isCompleteKey) == nil
    let entities = store.schema.entities.indices
    // Natural keys must not give an identifier that some row has.
    if isFirst { for entity in entities { try identify(.unknown, entity, mayBeLogged: false) } }
    for entity in entities { try identify(.unidentified, entity, mayBeLogged: !isFirst) }
    if isFirst { try begin { try state.set(Adoption.isCompleteKey, .integer(1)) } }
  }

  /// The second half.
  func sayIdentifiedRows(sealing: Sealing) throws -> Int {
    var made = 0
    var position: Int64 = 0
    while try state.value(Adoption.openKey) != nil {
      if try sayAdopted(after: &position, sealing: sealing) { made += 1 }
    }
    return made
  }

  // MARK: Identifying

  /// - Parameter mayBeLogged: whether rows may be there that have no record because no set of the log was made yet.
  private func identify(_ search: Adoption.Search, _ entity: Int, mayBeLogged: Bool) throws {
    let key = search.positionKey(store.schema.entities[entity].name)
    var position = Int64(bitPattern: try state.integer(key))
    var end = try store.lastRow(entity: entity, in: connection)
    // Rows with a sync ID beyond the frontier are insertions.
    if search == .unknown, let number = names.existingNumber(of: store.schema.entities[entity].name) {
      end = min(end, frontier(of: number))
    }
    guard position < end else { return }
    let start = position
    while true {
      let rows = try store.rows(
        entity: entity, after: position, limit: Adoption.batchSize, withoutSyncID: search == .unidentified
      ).prefix { $0 <= end }
      guard let last = rows.last else { break }
      position = last
      var changes = ChangedRows()
      try begin {
        changes = ChangedRows()
        var isOpen = false
        for row in rows {
          let isNew =
            switch search {
            case .unknown: try recordUnknown(row, of: entity, changes: &changes)
            case .unidentified: try identify(row, of: entity, mayBeLogged: mayBeLogged, changes: &changes)
            }
          isOpen = isOpen || isNew
        }
        if isOpen, try state.value(Adoption.openKey) == nil {
          try state.set(Adoption.openKey, .integer(try moment.rawValue))
        }
        try state.setInteger(key, UInt64(bitPattern: last))
      }
      if !changes.isEmpty { store.announce(changes) }
    }
    // Rows that are known need not be passed over again and again; but not every look is worth a write.
    if end - start >= Adoption.batchSize { try begin { try state.setInteger(key, UInt64(bitPattern: end)) } }
  }

  private var moment: Adoption.Moment {
    get throws {
      let own = try authors.existingNumber(of: author).map { authors.authors[$0].sequence } ?? 0
      return try own == 0 && vector().sequences.isEmpty ? .beforeEverything : .now
    }
  }

  /// Makes a record of a row with a sync ID; `false` if there is one.
  private func recordUnknown(_ row: Int64, of entity: Int, changes: inout ChangedRows) throws -> Bool {
    guard let stored = try store.readRow(entity: entity, row: row, properties: []),
      let syncID = stored.syncID,
      let holder = try holder(of: syncID, entity)
    else { return false }
    switch holder {
    case row:
      try logUnknownLinks(of: row, entity)
      return false
    case 0: try record(row, of: entity, as: syncID)
    // An object that was duplicated with its identifier is another object.
    default: try give(newSyncID(), to: row, of: entity, changes: &changes)
    }
    return true
  }

  /// Logs the links of a row that no cell knows.
  private func logUnknownLinks(of row: Int64, _ entity: Int) throws {
    guard let number = names.existingNumber(of: store.schema.entities[entity].name) else { return }
    for (bit, property) in names.entities[number].properties.enumerated() {
      guard let position = property.local, case .toMany(let destination) = property.kind else { continue }
      for target in try store.targets(entity: entity, row: row, property: position)
      where try !isKnownLink(of: row, number, bit: bit, to: target, root: destination) {
        let time = try ChangeLog.nextTime(connection, now: configuration.now())
        try log.appendLink(entity: number, row: row, bit: bit, target: target, added: true, time: time)
      }
    }
  }

  private func isKnownLink(of row: Int64, _ entity: Int, bit: Int, to target: Int64, root: String) throws
    -> Bool
  {
    guard let targetRoot = names.existingNumber(of: root),
      let source = try store.syncID(root: names.entities[names.entities[entity].root].name, row: row),
      let member = try store.syncID(root: root, row: target),
      let first = try objects.find(source, root: names.entities[entity].root, authors: authors),
      let second = try objects.find(member, root: targetRoot, authors: authors)
    else { return false }
    let isReversed = names.entities[entity].properties[bit].isSymmetric && member < source
    return try links.cell(
      source: objects[isReversed ? second : first].id, bit: bit,
      target: objects[isReversed ? first : second].id, authors: authors
    ).added != .zero
  }

  /// Gives a row without a sync ID one, and a record; `false` if it has one by now.
  private func identify(_ row: Int64, of entity: Int, mayBeLogged: Bool, changes: inout ChangedRows) throws
    -> Bool
  {
    guard let stored = try store.readRow(entity: entity, row: row, properties: []), stored.syncID == nil
    else {
      return false
    }
    var syncID = newSyncID()
    let key = try store.naturalKey(entity: entity, row: row)
    if !key.isEmpty {
      let natural = SyncID(naturalKey: key, of: store.schema.entities[entity].root)
      // The key of an object that was renamed since may be in use again; it is then another object.
      let isLogged = try mayBeLogged && store.row(entity: entity, syncID: natural) != nil
      if !isLogged, try holder(of: natural, entity) == 0 { syncID = natural }
    }
    try give(syncID, to: row, of: entity, changes: &changes)
    return true
  }

  /// The row that is known to have a sync ID, 0 for none; `nil` if the entity has no number.
  private func holder(of syncID: SyncID, _ entity: Int) throws -> Int64? {
    guard let number = names.existingNumber(of: store.schema.entities[entity].name) else { return nil }
    let slot = try objects.find(syncID, root: names.entities[number].root, authors: authors)
    return slot.flatMap { objects[$0].row } ?? 0
  }

  private func give(_ syncID: SyncID, to row: Int64, of entity: Int, changes: inout ChangedRows) throws {
    try store.setSyncID(syncID, entity: entity, row: row)
    changes.update(RowReference(entity: entity, row: row))
    try record(row, of: entity, as: syncID)
  }

  private func record(_ row: Int64, of entity: Int, as syncID: SyncID) throws {
    guard let number = names.existingNumber(of: store.schema.entities[entity].name) else { return }
    let slot = try objects.obtain(syncID, root: names.entities[number].root, authors: authors)
    objects[slot].entity = number
    objects[slot].row = row
    objects[slot].isChanged = true
  }

  private func newSyncID() -> SyncID {
    var random = ConfiguredRandom(source: configuration.random)
    return SyncID(milliseconds: configuration.now(), using: &random)
  }

  // MARK: Saying

  /// Makes a set of the next objects that were identified; `false` if there was none.
  private func sayAdopted(after position: inout Int64, sealing: Sealing) throws -> Bool {
    var changes = ChangedRows()
    let before = position
    let (made, last) = try begin {
      changes = ChangedRows()
      var last = before
      let made = try sayAdopted(after: &last, sealing: sealing, changes: &changes)
      return (made, last)
    }
    position = last
    if !changes.isEmpty { store.announce(changes) }
    return made
  }

  private func sayAdopted(after position: inout Int64, sealing: Sealing, changes: inout ChangedRows) throws
    -> Bool
  {
    let author = try author
    var latest = LogicalTime(bits: try state.integer("clock"))
    let ids = try objects.unsaid(after: position, limit: configuration.setLimit)
    let isEarliest = try state.value(Adoption.openKey) == .integer(Adoption.Moment.beforeEverything.rawValue)
    var builder = ChangeSetBuilder()
    let now = try ChangeLog.nextTime(connection, now: configuration.now())
    var slots: [(slot: Int, time: LogicalTime)] = []
    for id in ids {
      position = id
      let slot = try objects.slot(id: id, authors: authors)
      let record = objects[slot]
      guard let row = record.row, !record.lives else { continue }
      // Whoever deleted the object did not know of this row.
      let time = isEarliest && record.deleted == .zero ? Adoption.earliest : now
      slots.append((slot, time))
      latest = max(latest, time)
      let touched = TouchedRows.Row(entity: record.entity, row: row, insertion: time, isAdopted: true)
      try freezeContents(of: touched, by: author, into: &builder)
    }
    for (slot, time) in slots { try sayLinks(of: slot, at: time, by: author, into: &builder) }
    try freezeOrders(by: author, into: &builder)
    let revealed = builder.insertedSlots
    let made = try fix(builder, latest: latest, sealing: sealing)
    for slot in revealed { try showWhatWaitsForInsertion(of: slot, changes: &changes) }
    try settle(changes: &changes)
    try state.setInteger("clock", latest.bits)
    if ids.isEmpty { try state.remove(Adoption.openKey) }
    return made
  }

  private func sayLinks(
    of slot: Int, at time: LogicalTime, by author: AuthorID, into builder: inout ChangeSetBuilder
  ) throws {
    let entity = names.entities[objects[slot].entity]
    guard let local = entity.local, let row = objects[slot].row else { return }
    for (bit, property) in entity.properties.enumerated() {
      guard let position = property.local, case .toMany = property.kind else { continue }
      for target in try store.targets(entity: local, row: row, property: position) {
        let link = TouchedRows.Link(
          entity: objects[slot].entity, bit: bit, source: row, target: target, isAdded: true, time: time)
        try freeze(link, touched: TouchedRows(), by: author, into: &builder)
      }
    }
  }
}

private struct ConfiguredRandom: RandomNumberGenerator {
  let source: @Sendable () -> UInt64

  func next() -> UInt64 { source() }
}
