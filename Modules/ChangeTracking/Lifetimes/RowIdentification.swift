import ObjectStore

/// Assigns identifiers and records to rows that nobody recorded, within one transaction.
struct RowIdentification {
  let cells: Cells
  let showing: Showing
  let log: ChangeLog
  let now: @Sendable () -> UInt64
  let random: @Sendable () -> UInt64

  private var store: any LocalStore { showing.store }
  private var reader: RegisterReader { showing.reader }

  /// Makes records of rows that have a sync ID, where there are none.
  func recordUnknown(_ rows: some Sequence<RowNumber>, of local: LocalEntity) throws {
    var isOpen = false
    for row in rows where try recordUnknown(RowReference(entity: local, row: row)) { isOpen = true }
    if isOpen { try open() }
  }

  /// Assigns identifiers to rows that have none.
  ///
  /// - Parameter mayBeLogged: whether rows may be there that have no record because no set of the log was made yet.
  func identify(_ rows: some Sequence<RowNumber>, of local: LocalEntity, mayBeLogged: Bool) throws {
    var isOpen = false
    for row in rows where try identify(RowReference(entity: local, row: row), mayBeLogged: mayBeLogged) {
      isOpen = true
    }
    if isOpen { try open() }
  }

  /// Notes that no set says the objects yet.
  private func open() throws {
    if try !cells.state.contains(.adopting) {
      try cells.state.set(.adopting, .integer(try moment.rawValue))
    }
  }

  private var moment: Adoption.Moment {
    get throws {
      // Nothing was made here and nothing was received.
      cells.authors.authors.allSatisfy { $0.sequence == 0 } ? .beforeEverything : .now
    }
  }

  /// Makes a record of a row with a sync ID; `false` if there is one.
  private func recordUnknown(_ row: RowReference) throws -> Bool {
    guard let syncID = try store.readRow(row, [])?.syncID else { return false }
    switch try holder(of: syncID, row.entity) {
    case row.row?:
      for property in cells.names[row.entity].localProperties { try logUnknownLinks(of: row, property) }
      return false
    case nil: try record(row, as: syncID)
    // An object that was duplicated with its identifier is another object.
    default: try give(newSyncID(), to: row)
    }
    return true
  }

  /// Logs the links of rows that no cell knows, as a migration has made them. What others have removed before goes.
  func recordMigratedLinks(_ rows: some Sequence<RowNumber>, of local: LocalEntity, _ bit: PropertyBit) throws
  {
    let property = try cells.names[local].property(bit)
    for row in rows {
      let row = RowReference(entity: local, row: row)
      if try logUnknownLinks(of: row, property), let object = try object(shownBy: row) {
        try ErasedRegisters(cells.connection).note([RegisterID(object: object, bit: bit)])
      }
    }
  }

  /// Logs the links of a row that no cell knows; `true` if some are known.
  @discardableResult
  private func logUnknownLinks(of row: RowReference, _ property: KnownProperty) throws -> Bool {
    guard let position = property.local, case .toMany = property.kind else { return false }
    var someAreKnown = false
    for target in try store.targets(of: row, position) {
      if try isKnownLink(of: row, property, to: target) {
        someAreKnown = true
        continue
      }
      let time = try ChangeLog.nextTime(cells.connection, now: now())
      try log.appendLink(
        entity: cells.names[row.entity].number, row: row.row, bit: property.bit,
        target: try logged(target, property), added: true, time: time)
    }
    return someAreKnown
  }

  private func object(shownBy row: RowReference) throws -> RecordID? {
    try store.readRow(row, [])?.syncID.flatMap { syncID in
      try cells.objects.find(syncID, root: cells.names[row.entity].root).map { cells[$0].id }
    }
  }

  private func logged(_ target: RowNumber, _ property: KnownProperty) throws -> ChangeLog.Row {
    let identity = try cells.names.destination(of: property).flatMap {
      try store.checkedIdentity(of: target, below: $0.name)
    }
    return ChangeLog.Row(entity: identity.map { cells.names[$0.entity].number } ?? .unknown, row: target)
  }

  private func isKnownLink(of row: RowReference, _ property: KnownProperty, to target: RowNumber) throws
    -> Bool
  {
    let root = cells.names.root(of: cells.names[row.entity])
    guard let destination = cells.names.destination(of: property),
      let source = try store.checkedIdentity(of: row.row, below: root.name)?.syncID,
      let member = try store.checkedIdentity(of: target, below: destination.name)?.syncID,
      let first = try cells.objects.find(source, root: root.number),
      let second = try cells.objects.find(member, root: destination.number)
    else { return false }
    let isReversed = property.isSymmetric && member < source
    return try cells.links.cell(
      cells[isReversed ? second : first].id, property.bit, cells[isReversed ? first : second].id
    ).added != .zero
  }

  /// Assigns a row without a sync ID one, and a record; `false` if it has one by now.
  private func identify(_ row: RowReference, mayBeLogged: Bool) throws -> Bool {
    guard let stored = try store.readRow(row, []), stored.syncID == nil else { return false }
    var syncID = newSyncID()
    let key = try store.naturalKey(of: row)
    if !key.isEmpty {
      let scope = cells.names[cells.names[row.entity].keyScope].path.namesByAge.first ?? ""
      let natural = SyncID(naturalKey: NaturalKey(key), of: scope)
      // The key of an object that was renamed since may be in use again; it is then another object.
      let isLogged = try mayBeLogged && hasRow(natural, below: cells.names[row.entity].root)
      if !isLogged, try holder(of: natural, row.entity) == nil { syncID = natural }
    }
    try give(syncID, to: row)
    return true
  }

  /// Whether a row has a sync ID, of whatever entity: identifiers are unique below a root.
  private func hasRow(_ syncID: SyncID, below root: EntityNumber) throws -> Bool {
    try !rows(with: syncID, below: root).isEmpty
  }

  /// The row that is known to have a sync ID.
  private func holder(of syncID: SyncID, _ entity: LocalEntity) throws -> RowNumber? {
    try cells.objects.find(syncID, root: cells.names[entity].root).flatMap { cells[$0].row }
  }

  private func give(_ syncID: SyncID, to row: RowReference) throws {
    try showing.setSyncID(syncID, of: row)
    try record(row, as: syncID)
  }

  /// Makes objects of their own of rows of an entity that share their sync ID with another: the row that is known keeps it, else the first.
  ///
  /// Before anything is said of a row, for what is said of it is said of the object that its sync ID names.
  func separateSharedRows(of entity: LocalEntity, after row: RowNumber, through last: RowNumber) throws {
    for row in try store.rowsRepeatingSyncIDs(entity, after: row, through: last) {
      try separate(RowReference(entity: entity, row: row))
    }
  }

  private func separate(_ row: RowReference) throws {
    let root = cells.names.root(of: cells.names[row.entity])
    guard let syncID = try store.readRow(row, [])?.syncID else { return }
    var rows: Set = [row.row]
    if try holder(of: syncID, row.entity) == row.row {
      rows = Set(try self.rows(with: syncID, below: root.number).map(\.row)).subtracting([row.row])
    }
    if rows.isEmpty { return }
    // Those of objects that became one with another go.
    let surplus = SurplusRows(cells.connection, cells.authors)
    // A search among the rows of an entity may have found one of a sub-entity.
    let others = try rows.sorted().compactMap { row in
      try store.checkedIdentity(of: row, below: root.name).map { RowReference(entity: $0.entity, row: row) }
    }.filter { try !surplus.contains(ChangeLog.Row(entity: cells.names[$0.entity].number, row: $0.row)) }
    for other in others { try give(newSyncID(), to: other) }
    if !others.isEmpty, try !cells.state.contains(.adopting) {
      try cells.state.set(.adopting, .integer(Adoption.Moment.now.rawValue))
    }
  }

  /// The first row of each entity that has a sync ID.
  private func rows(with syncID: SyncID, below root: EntityNumber) throws -> [RowReference] {
    try store.schema.localEntities.filter { cells.names[$0].root == root }.compactMap { entity in
      try store.row(entity, syncID: syncID).map { RowReference(entity: entity, row: $0) }
    }
  }

  private func record(_ row: RowReference, as syncID: SyncID) throws {
    let entity = cells.names[row.entity]
    let slot = try cells.objects.obtain(syncID, root: entity.root)
    cells[slot].entity = entity.number
    cells[slot].row = row.row
    cells[slot].isChanged = true
  }

  private func newSyncID() -> SyncID {
    var random = ConfiguredRandom(source: random)
    return SyncID(milliseconds: now(), using: &random)
  }
}
