import ObjectStore

/// Takes a merge back as a user would, within one transaction: by editing rows and logging it, so that it goes out like any
/// other change.
struct MergeUndo {
  let cells: Cells
  let showing: Showing
  let log: ChangeLog
  let time: LogicalTime
  private(set) var report = UndoReport()
  private let shown: ShownObjects
  private var store: any LocalStore { showing.store }

  init(showing: Showing, log: ChangeLog, time: LogicalTime) {
    cells = showing.cells
    self.showing = showing
    self.log = log
    self.time = time
    shown = ShownObjects(reader: showing.reader)
  }

  mutating func run(_ inverse: MergeInverse) throws {
    var writes: [(object: MergeInverse.Object, keys: [String])] = []
    // Objects come back before anything points at them, and go when nothing does any more.
    for object in inverse.objects {
      let current = try state(of: object)
      switch (object.before, object.after) {
      case (let before?, nil):
        guard current == nil, try insert(object) else {
          keep(object)
          continue
        }
        writes.append((object, before.keys.sorted()))
      case (let before?, let after?):
        let keys = before.keys.filter { before[$0] != after[$0] }.sorted()
        let open = keys.filter { current?[$0] == after[$0] }
        for key in keys where !open.contains(key) { keep(object, key) }
        if !open.isEmpty { writes.append((object, open)) }
      case (nil, _): continue
      }
    }
    for (object, keys) in writes {
      var isWritten = object.after == nil
      for key in keys {
        if try write(key, of: object) { isWritten = true } else { keep(object, key) }
      }
      if isWritten { report.objects += 1 }
    }
    for object in inverse.objects where object.before == nil {
      guard let after = object.after, try state(of: object) == after else {
        keep(object)
        continue
      }
      try delete(object)
      report.objects += 1
    }
  }

  private mutating func keep(_ object: MergeInverse.Object, _ key: String? = nil) {
    report.kept.append(UndoReport.Kept(entity: object.entity, object: object.syncID, key: key))
  }

  // MARK: Finding

  private func slot(_ syncID: SyncID, root: String) throws -> ObjectTable.Slot? {
    guard let number = cells.names.existingNumber(of: root) else { return nil }
    return try cells.objects.find(syncID, root: cells.names[number].root)
  }

  private func state(of object: MergeInverse.Object) throws -> MergeInverse.State? {
    try slot(object.syncID, root: object.root).flatMap { try shown.state(of: $0) }
  }

  private func reference(_ syncID: SyncID, root: String) throws -> RowReference? {
    try slot(syncID, root: root).flatMap { showing.reader.row(of: cells[$0]) }
  }

  private func entity(of object: MergeInverse.Object) -> KnownEntity? {
    cells.names.existingNumber(of: object.entity).map { cells.names[$0] }
  }

  // MARK: Editing

  /// Brings an object back, without anything but its identifier.
  private func insert(_ object: MergeInverse.Object) throws -> Bool {
    guard let entity = entity(of: object), let local = entity.local,
      let slot = try slot(object.syncID, root: object.root)
    else { return false }
    let row = try showing.addRow(of: slot, local)
    // Only for the rest of this transaction: the log says what the record becomes.
    cells[slot].row = row.row
    cells[slot].entity = entity.number
    try log.appendInsertion(entity: entity.number, row: row.row, time: time)
    return true
  }

  /// Lets a property show what it showed; `false` if it cannot.
  private func write(_ key: String, of object: MergeInverse.Object) throws -> Bool {
    guard let before = object.before?[key], let owner = try reference(object.syncID, root: object.root),
      let entity = entity(of: object),
      let property = entity.localProperties.first(where: { $0.name == key }), let position = property.local
    else { return false }
    switch (before, property.kind) {
    case (.value(let value), .attribute):
      guard try showing.setValue(value, of: owner, position) else { return false }
    case (.target(let target), .toOne(let destination)):
      let member = try target.flatMap { try reference($0, root: destination) }
      guard target == nil || member != nil else { return false }
      if let member, property.isExclusive {
        let holders = try store.sources(owner.entity, position, to: member.row)
        guard holders.allSatisfy({ $0 == owner.row }) else { return false }
      }
      // Whoever the present partner is, he shows this object no more.
      if property.isPartner, let slot = try slot(object.syncID, root: object.root) {
        try showing.partPartners(of: slot, property)
      }
      try showing.setTarget(member, of: owner, position)
    case (.targets(let targets), .toMany(let destination)):
      return try link(owner, entity, property, position, to: targets, root: destination)
    default: return false
    }
    try log.appendUpdate(entity: entity.number, row: owner.row, bit: property.bit, time: time)
    return true
  }

  private func link(
    _ owner: RowReference, _ entity: KnownEntity, _ property: KnownProperty, _ position: LocalProperty,
    to targets: Set<SyncID>, root: String
  ) throws -> Bool {
    let members = try targets.compactMap { try reference($0, root: root) }.sorted { $0.row < $1.row }
    let present = try store.targets(of: owner, position)
    func set(_ member: RowReference, isShown: Bool) throws {
      try showing.setLink(owner, position, member, isShown: isShown)
      try log.appendLink(
        entity: entity.number, row: owner.row, bit: property.bit, target: member.row, added: isShown,
        time: time)
    }
    for member in members where !present.contains(member.row) { try set(member, isShown: true) }
    for row in Set(present).subtracting(members.map(\.row)).sorted() {
      guard let destination = cells.names.destination(of: property)?.name,
        let identity = try store.identity(of: row, below: destination)
      else { continue }
      try set(RowReference(entity: identity.entity, row: row), isShown: false)
    }
    return members.count == targets.count
  }

  private func delete(_ object: MergeInverse.Object) throws {
    guard let slot = try slot(object.syncID, root: object.root), let row = showing.reader.row(of: cells[slot])
    else { return }
    try showing.dropRow(row, of: slot)
    try log.appendDeletion(
      entity: cells[slot].entity, row: row.row, syncID: object.syncID, time: time)
  }
}
