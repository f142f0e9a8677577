import ObjectStore

/// Writes the application's rows and notes which, within one transaction. Nothing else of the engine writes rows.
final class RowWriter {
  private let store: any LocalStore
  /// The rows that were written.
  var changes = ChangedRows()
  /// Is told of every object before its row is written.
  var journal: ShownJournal?

  init(store: any LocalStore) { self.store = store }

  /// Adds a row.
  func insert(_ entity: LocalEntity, syncID: SyncID, values: [PropertyValue]) throws -> RowReference {
    let row = RowReference(entity: entity, row: try store.insertRow(entity, syncID: syncID, values: values))
    changes.insert(row)
    return row
  }

  /// Writes attributes.
  func update(_ row: RowReference, values: [PropertyValue]) throws {
    try journal?.note(row)
    try store.updateRow(row, values: values)
    changes.update(row)
  }

  /// Assigns a row its sync ID.
  func setSyncID(_ syncID: SyncID, of row: RowReference) throws {
    try store.setSyncID(syncID, of: row)
    changes.update(row)
  }

  /// Writes a to-one relationship, of a one-to-one pair both sides.
  func setTarget(of row: RowReference, _ property: LocalProperty, to target: RowReference?) throws {
    try journal?.note(row)
    let known = store.schema[row.entity][property]
    let former = try formerTarget(of: row, property)
    if known.order.contains(.sources) {
      for owner in [former, target] { if let owner { try journal?.note(owner) } }
    }
    try store.setTarget(of: row, property, to: target)
    changes.update(row)
    // The store writes the row on the other side as well, and a context that is not told would go on to show the former partner there.
    guard case .toOne(_, isExclusive: true) = known.kind else { return }
    for other in [former, target] { if let other { changes.update(other) } }
  }

  private func formerTarget(of row: RowReference, _ property: LocalProperty) throws -> RowReference? {
    let known = store.schema[row.entity][property]
    guard case .toOne(let destination, let isExclusive) = known.kind,
      isExclusive || journal != nil && known.order.contains(.sources),
      case .target(let former?)? = try store.readRow(row, [property])?.contents.first,
      let identity = try store.checkedIdentity(of: former, below: destination)
    else { return nil }
    return RowReference(entity: identity.entity, row: former)
  }

  /// Adds a link or removes it.
  func setLink(_ row: RowReference, _ property: LocalProperty, _ target: RowReference, isShown: Bool) throws {
    try journal?.note(row)
    try journal?.note(target)
    if isShown {
      try store.link(row, property, to: target)
    } else {
      try store.unlink(row, property, from: target)
    }
    changes.update(row)
    changes.update(target)
  }

  /// Puts the members of a list into an order.
  ///
  /// - Returns: whether any had to move.
  func arrange(_ members: [RowReference], of list: OrderedList, owner: RowReference?) throws -> Bool {
    if let owner { try journal?.note(owner) }
    let moved = try store.arrange(members, of: list)
    for row in moved { changes.update(row) }
    if !moved.isEmpty, let owner { changes.update(owner) }
    return !moved.isEmpty
  }

  /// Puts rows of a list between two others; `false` if more of it is to be arranged.
  func arrange(
    _ members: [RowReference], of list: OrderedList, between lower: RowReference?, and upper: RowReference?,
    owner: RowReference?
  ) throws -> Bool {
    if let owner { try journal?.note(owner) }
    guard let moved = try store.arrange(members, of: list, between: lower, and: upper) else { return false }
    for row in moved { changes.update(row) }
    if !moved.isEmpty, let owner { changes.update(owner) }
    return true
  }

  /// Removes a row, its links, and relationships to it.
  func delete(_ row: RowReference) throws {
    try journal?.noteNeighbours(of: row)
    for index in store.schema[row.entity].properties.indices {
      let property = LocalProperty(rawValue: index)
      guard case .toOne(_, isExclusive: true) = store.schema[row.entity][property].kind,
        let former = try formerTarget(of: row, property)
      else { continue }
      changes.update(former)
    }
    try store.deleteRow(row)
    changes.delete(row)
  }

  /// Notes a row that the store writes along with another.
  func noteUpdate(of row: RowReference) { changes.update(row) }
}
