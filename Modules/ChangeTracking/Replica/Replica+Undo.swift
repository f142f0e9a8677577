import ObjectStore
import SQLite

/// Takes a merge back as a user would: by editing rows and logging it, so that it goes out like any other change.
extension Replica {
  /// Takes back what a merge changed, by new changes of this device: objects that came go, objects that went come back,
  /// properties show what they showed.
  ///
  /// What was changed again since the merge stays as it is, and so does a relationship to something that is gone by now. The
  /// order of ordered relationships is not taken back. One durable transaction, after one that makes sets of the log.
  /// - Parameters:
  ///   - inverse: of a merge into this replica: ``ApplyReport/inverse``.
  ///   - sealing: as in ``freeze(sealing:)``.
  public func undo(_ inverse: MergeInverse, sealing: Sealing) throws -> UndoReport {
    while true {
      _ = try freeze(sealing: sealing)
      var changes = ChangedRows()
      let report: UndoReport? = try begin {
        // What was saved meanwhile may have made or removed rows that no record knows of.
        guard try !hasUnfrozenChanges else { return nil }
        var undo = Undo(replica: self, time: try ChangeLog.nextTime(connection, now: configuration.now()))
        try undo.run(inverse)
        changes = undo.changes
        return undo.report
      }
      guard let report else { continue }
      if !changes.isEmpty { store.announce(changes) }
      return report
    }
  }

  /// What an object shows now; `nil` if it does not live or the local model does not know it.
  func shown(by slot: Int) throws -> MergeInverse.State? {
    let entity = names.entities[objects[slot].entity]
    guard let row = objects[slot].row, let local = entity.local else { return nil }
    let known = entity.properties.filter { $0.local != nil }
    let single = known.filter { if case .toMany = $0.kind { false } else { true } }
    guard
      let stored = try store.readRow(entity: local, row: row, properties: single.compactMap(\.local))
    else { return nil }
    var state: MergeInverse.State = [:]
    for (property, content) in zip(single, stored.contents) {
      switch (content, property.kind) {
      case (.value(let value), _): state[property.name] = .value(value)
      case (.target(let target?), .toOne(let destination)):
        state[property.name] = .target(try store.syncID(root: destination, row: target))
      case (.target, _): state[property.name] = .target(nil)
      }
    }
    for property in known {
      guard case .toMany(let destination) = property.kind, let position = property.local else { continue }
      let targets = try store.targets(entity: local, row: row, property: position)
      state[property.name] = .targets(
        Set(try targets.compactMap { try store.syncID(root: destination, row: $0) }))
    }
    return state
  }

  /// What a merge changed, from what its journal noted.
  func inverse(of journal: MergeJournal) throws -> MergeInverse {
    var inverse = MergeInverse()
    for id in journal.order {
      let slot = try objects.slot(id: id, authors: authors)
      guard let before = journal.before[id] else { continue }
      let after = try shown(by: slot)
      guard before != after else { continue }
      let entity = names.entities[objects[slot].entity]
      inverse.objects.append(
        MergeInverse.Object(
          entity: entity.name, root: names.entities[entity.root].name, syncID: objects[slot].syncID,
          before: before, after: after))
    }
    return inverse
  }
}

/// One undoing, within a transaction.
private struct Undo {
  let replica: Replica
  let time: LogicalTime
  var report = UndoReport()
  var changes = ChangedRows()

  init(replica: Replica, time: LogicalTime) {
    self.replica = replica
    self.time = time
  }

  mutating func run(_ inverse: MergeInverse) throws {
    var writes: [(object: MergeInverse.Object, keys: [String])] = []
    // Objects come back before anything points at them, and go when nothing does any more.
    for object in inverse.objects {
      let current = try state(of: object)
      switch (object.before, object.after) {
      case (let before?, nil):
        guard current == nil, try insert(object, before) else {
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

  private func slot(_ syncID: SyncID, root: String) throws -> Int? {
    guard let number = replica.names.existingNumber(of: root) else { return nil }
    return try replica.objects.find(syncID, root: number, authors: replica.authors)
  }

  private func state(of object: MergeInverse.Object) throws -> MergeInverse.State? {
    try slot(object.syncID, root: object.root).flatMap { try replica.shown(by: $0) }
  }

  private func reference(_ syncID: SyncID, root: String) throws -> RowReference? {
    guard let slot = try slot(syncID, root: root), let row = replica.objects[slot].row,
      let local = replica.names.entities[replica.objects[slot].entity].local
    else { return nil }
    return RowReference(entity: local, row: row)
  }

  // MARK: Editing

  /// Brings an object back, without anything but its identifier.
  private mutating func insert(_ object: MergeInverse.Object, _ before: MergeInverse.State) throws -> Bool {
    guard let number = replica.names.existingNumber(of: object.entity),
      let local = replica.names.entities[number].local, let slot = try slot(object.syncID, root: object.root)
    else { return false }
    let row = try replica.store.insertRow(entity: local, syncID: object.syncID, values: [])
    // Only for the rest of this transaction: the log says what the record becomes.
    replica.objects[slot].row = row
    try replica.log.appendInsertion(entity: number, row: row, time: time)
    changes.insert(RowReference(entity: local, row: row))
    return true
  }

  /// Lets a property show what it showed; `false` if it cannot.
  private mutating func write(_ key: String, of object: MergeInverse.Object) throws -> Bool {
    guard let shown = object.before?[key], let owner = try reference(object.syncID, root: object.root),
      let number = replica.names.existingNumber(of: object.entity),
      let bit = replica.names.entities[number].bits[key],
      let position = replica.names.entities[number].properties[bit].local
    else { return false }
    let property = replica.names.entities[number].properties[bit]
    switch (shown, property.kind) {
    case (.value(let value), .attribute):
      try replica.store.updateRow(
        entity: owner.entity, row: owner.row, values: [PropertyValue(property: position, value: value)])
      try log(owner, number, bit)
    case (.target(let target), .toOne(let destination)):
      let member = try target.flatMap { try reference($0, root: destination) }
      guard target == nil || member != nil else { return false }
      if let member, property.isExclusive {
        let holders = try replica.store.sources(entity: owner.entity, property: position, target: member.row)
        guard holders.allSatisfy({ $0 == owner.row }) else { return false }
      }
      try replica.store.setTarget(
        entity: owner.entity, row: owner.row, property: position, target: member)
      try log(owner, number, bit)
    case (.targets(let targets), .toMany(let destination)):
      return try link(owner, number, bit, position, to: targets, root: destination)
    default: return false
    }
    changes.update(owner)
    return true
  }

  private func log(_ owner: RowReference, _ entity: Int, _ bit: Int) throws {
    try replica.log.appendUpdate(
      entity: entity, row: owner.row, word: bit / 64, mask: 1 << UInt64(bit % 64), time: time)
  }

  private mutating func link(
    _ owner: RowReference, _ entity: Int, _ bit: Int, _ position: Int, to targets: Set<SyncID>, root: String
  ) throws -> Bool {
    let members = try targets.compactMap { try reference($0, root: root) }
    let present = Set(try replica.store.targets(entity: owner.entity, row: owner.row, property: position))
    for member in members.sorted(by: { $0.row < $1.row }) where !present.contains(member.row) {
      try replica.store.link(entity: owner.entity, row: owner.row, property: position, target: member)
      try replica.log.appendLink(
        entity: entity, row: owner.row, bit: bit, target: member.row, added: true, time: time)
      changes.update(member)
    }
    for row in present.subtracting(members.map(\.row)).sorted() {
      let member = RowReference(entity: try self.entity(of: row, root: root) ?? owner.entity, row: row)
      try replica.store.unlink(entity: owner.entity, row: owner.row, property: position, target: member)
      try replica.log.appendLink(
        entity: entity, row: owner.row, bit: bit, target: row, added: false, time: time)
      changes.update(member)
    }
    changes.update(owner)
    return members.count == targets.count
  }

  private func entity(of row: Int64, root: String) throws -> Int? {
    try replica.store.syncID(root: root, row: row).flatMap { try reference($0, root: root)?.entity }
  }

  private mutating func delete(_ object: MergeInverse.Object) throws {
    guard let slot = try slot(object.syncID, root: object.root), let row = replica.objects[slot].row,
      let local = replica.names.entities[replica.objects[slot].entity].local
    else { return }
    try replica.parkReferences(to: slot, row: row, changes: &changes)
    try replica.store.deleteRow(entity: local, row: row)
    try replica.log.appendDeletion(
      entity: replica.objects[slot].entity, row: row, syncID: object.syncID, time: time)
    changes.delete(RowReference(entity: local, row: row))
  }
}
