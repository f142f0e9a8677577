import ObjectStore
import SQLite

/// Merges changes into the cells and rows of a replica, within one transaction.
final class Merge {
  let replica: Replica
  let policy: ConflictPolicy
  private let own: AuthorID
  private let pushed: LogicalTime
  var report = ApplyReport()
  var undecided: [Conflict] = []
  private var client = ""
  private var decisions: [Decision] = []
  private var groups = GroupQuestions()
  /// What objects showed before, if the merge may be taken back.
  var journal: MergeJournal?

  /// An answer that differs from what the stamps say.
  private struct Decision {
    /// The record of the object.
    var object: Int64
    var bit: Int
    /// The register's stamp when it was answered.
    var stamp: Stamp
    /// What the stamps say.
    var verdict: Register.Content
  }

  /// An entity of the set being merged, in local numbers.
  private struct Entity {
    var number: Int
    var root: Int
    /// Bit of each property in the set.
    var bits: [Int]
  }

  /// A register that the set wins.
  struct Win {
    var bit: Int
    var content: Register.Content
  }

  init(replica: Replica, policy: ConflictPolicy, own: AuthorID, pushed: LogicalTime) {
    self.replica = replica
    self.policy = policy
    self.own = own
    self.pushed = pushed
  }

  /// Merges the changes of some sets.
  ///
  /// The order in which changes are merged has no meaning. This one goes through the tables once, however many sets
  /// there are, and makes objects before what points at them.
  func apply(_ sets: [ChangeSet]) throws {
    let entities = try sets.map { try self.entities(of: $0) }
    let places = try MergeOrder.places(in: sets, entities: entities.map { $0.map(\.number) })
    if journal != nil {
      // All of them first, for what happens to one object may change what another shows.
      for place in places {
        try replica.objects.spill(authors: replica.authors)
        let change = sets[place.set].changes[place.change]
        try note(change.object, root: entities[place.set][change.entity].root)
      }
    }
    for place in places {
      try replica.objects.spill(authors: replica.authors)
      let change = sets[place.set].changes[place.change]
      client = sets[place.set].client
      try apply(change, of: sets[place.set], to: entities[place.set][change.entity])
    }
    report.sets += sets.count
  }

  private func note(_ object: SyncID, root: Int) throws {
    let slot = try replica.objects.obtain(object, root: root, authors: replica.authors)
    let id = replica.objects[slot].id
    if journal?.holds(id) == false { journal?.note(id, try replica.shown(by: slot)) }
  }

  private func entities(of set: ChangeSet) throws -> [Entity] {
    try set.entities.map { names in
      let number = try replica.names.number(of: names.name, root: names.root)
      let bits = try names.properties.map { try replica.names.bit(of: $0.name, kind: $0.kind, in: number) }
      return Entity(number: number, root: replica.names.entities[number].root, bits: bits)
    }
  }

  private func apply(_ change: Change, of set: ChangeSet, to entity: Entity) throws {
    let stamp = Stamp(time: change.time, author: set.author)
    let slot = try replica.objects.obtain(change.object, root: entity.root, authors: replica.authors)
    if replica.objects[slot].entity == 0 {
      replica.objects[slot].entity = entity.number
      replica.objects[slot].isChanged = true
    }
    func bit(_ property: Int) throws -> Int {
      guard entity.bits.indices.contains(property) else {
        throw ReplicaError.invalidSet(set, "A change names a property that the set does not declare.")
      }
      return entity.bits[property]
    }
    let hadEffect =
      switch change.action {
      case .insert(let registers):
        try insert(
          slot, at: stamp, registers: registers.map { Win(bit: try bit($0.property), content: $0.content) })
      case .update(let registers):
        try update(
          slot, at: stamp, registers: registers.map { Win(bit: try bit($0.property), content: $0.content) })
      case .delete:
        try delete(slot, at: stamp)
      case .link(let property, let target):
        try link(slot, bit: try bit(property), target: target, at: stamp, added: true)
      case .unlink(let property, let target):
        try link(slot, bit: try bit(property), target: target, at: stamp, added: false)
      case .place(let property, let target, let isInverse, let bytes):
        try place(
          slot, bit: try bit(property), target: target, isInverse: isInverse, key: PlaceKey(bytes: bytes),
          at: stamp)
      case .contribute(let property, let value, let origin):
        try contribute(
          Contribution(origin: Stamp(time: change.time, author: origin ?? set.author), value: value),
          to: slot,
          bit: try bit(property), writer: set.author)
      }
    report.changes += 1
    if hadEffect { report.effective += 1 }
  }

  // MARK: Existence

  private func insert(_ slot: Int, at stamp: Stamp, registers: [Win]) throws -> Bool {
    let wins = try winners(slot, at: stamp, registers: registers)
    let before = replica.objects[slot].inserted
    replica.objects[slot].insert(at: stamp, writing: wins.map(\.bit))
    try write(wins, to: slot, at: stamp)
    return stamp > before || !wins.isEmpty
  }

  private func delete(_ slot: Int, at stamp: Stamp) throws -> Bool {
    let record = replica.objects[slot]
    guard stamp > record.deleted else { return false }
    if record.inserted == .zero { warn(.objectNotFoundForDeletion, slot: slot) }
    warnOfLocalChanges(to: record, slot: slot)
    try replica.delete(slot, at: stamp, changes: &report.changedRows)
    return true
  }

  private func warnOfLocalChanges(to record: ObjectRecord, slot: Int) {
    for clock in record.clocks where isUnpushed(clock.stamp) {
      let property = replica.names.entities[record.entity].properties[clock.bit]
      let isAttribute = property.kind == .attribute
      warn(
        isAttribute ? .attributesOfDeletedObjectChangedHere : .relationshipsOfDeletedObjectChangedHere,
        slot: slot,
        key: property.name)
    }
  }

  // MARK: Registers

  private func update(_ slot: Int, at stamp: Stamp, registers: [Win]) throws -> Bool {
    let record = replica.objects[slot]
    for register in registers where !record.lives { warnOfMissing(record, slot: slot, register: register) }
    let wins = try winners(slot, at: stamp, registers: registers)
    for win in wins { replica.objects[slot].write(win.bit, at: stamp) }
    try write(wins, to: slot, at: stamp)
    return !wins.isEmpty
  }

  private func warnOfMissing(_ record: ObjectRecord, slot: Int, register: Win) {
    let isAttribute = if case .target = register.content { false } else { true }
    let key = replica.names.entities[record.entity].properties[register.bit].name
    if isUnpushed(record.deleted) {
      warn(
        isAttribute ? .attributesOfObjectDeletedHereChanged : .relationshipsOfObjectDeletedHereChanged,
        slot: slot,
        key: key)
    } else if record.inserted == .zero {
      warn(isAttribute ? .objectNotFoundForAttribute : .objectNotFoundForRelationship, slot: slot, key: key)
    }
  }

  /// The registers that the remote change wins, by stamp or by the answer to a conflict.
  private func winners(_ slot: Int, at stamp: Stamp, registers: [Win]) throws -> [Win] {
    let record = replica.objects[slot]
    var wins: [Win] = []
    for register in registers {
      var register = register
      let current = record.stamp(of: register.bit)
      if case .longValue = register.content {
        // What this device has need not arrive.
        let local = try replica.content(of: slot, bit: register.bit)
        if local.onTheWire == register.content { register.content = local }
      }
      if isUnpushed(current) && record.lives {
        let local = try replica.content(of: slot, bit: register.bit)
        if local != register.content {
          let isWin = stamp > current || (stamp == current && local.precedes(register.content))
          if let win = try decide(register, against: local, at: stamp, current, isWin: isWin, slot) {
            wins.append(win)
          }
          continue
        }
      }
      if stamp > current {
        wins.append(register)
      } else if stamp == current, try replica.content(of: slot, bit: register.bit).precedes(register.content)
      {
        wins.append(register)
      }
    }
    return wins
  }

  /// Answers one conflict. What differs from the stamps' verdict is logged as a new local change.
  private func decide(
    _ register: Win, against local: Register.Content, at stamp: Stamp, _ current: Stamp, isWin: Bool,
    _ slot: Int
  ) throws -> Win? {
    let record = replica.objects[slot]
    let entity = replica.names.entities[record.entity]
    let id = Conflict.ID(
      entity: entity.name, object: record.syncID, key: entity.properties[register.bit].name, remote: stamp)
    var conflict = Conflict(
      id: id, localContent: local, remoteContent: register.content, local: current, remoteClient: client,
      outcome: nil)
    let group = groups.group(of: entity.properties[register.bit], object: record.id, remote: stamp)
    guard let answer = group.flatMap({ groups.answers[$0] }) ?? policy.answer(to: id) else {
      if group.map({ groups.open.insert($0).inserted }) ?? true { undecided.append(conflict) }
      return nil
    }
    if let group { groups.answers[group] = answer.ofGroup }
    var chosen: Register.Content
    switch answer {
    case .latest:
      conflict.outcome = isWin ? .remote : .local
      chosen = isWin ? register.content : local
    case .local:
      conflict.outcome = .local
      chosen = local
    case .remote:
      // What is not here cannot be said anew.
      let isHere = if case .longValue = register.content { false } else { true }
      conflict.outcome = isWin || isHere ? .remote : .local
      chosen = isWin || isHere ? register.content : local
    case .value(let value):
      conflict.outcome = .custom
      chosen = .value(value)
    }
    // Only an attribute can take a value that neither side holds.
    if case .value = chosen, entity.properties[register.bit].kind != .attribute {
      conflict.outcome = isWin ? .remote : .local
      chosen = isWin ? register.content : local
    }
    report.conflicts.append(conflict)
    let verdict = isWin ? register.content : local
    if chosen != verdict {
      decisions.append(
        Decision(object: record.id, bit: register.bit, stamp: isWin ? stamp : current, verdict: verdict))
    }
    if isWin { return Win(bit: register.bit, content: chosen) }
    if chosen != local { try write([Win(bit: register.bit, content: chosen)], to: slot, at: current) }
    return nil
  }

  /// Logs the answers that differ from the stamps' verdict as new local changes, once all sets are merged: until then a
  /// later change may have overruled an answer, or removed the row.
  func logDecisions() throws {
    for decision in decisions {
      let slot = try replica.objects.slot(id: decision.object, authors: replica.authors)
      let record = replica.objects[slot]
      guard record.stamp(of: decision.bit) == decision.stamp else { continue }
      if let row = record.row {
        let time = try ChangeLog.nextTime(replica.connection, now: replica.configuration.now())
        try replica.log.appendUpdate(
          entity: record.entity, row: row, word: decision.bit / 64, mask: 1 << UInt64(decision.bit % 64),
          time: time)
      } else {
        try replica.park([Win(bit: decision.bit, content: decision.verdict)], of: slot)
      }
    }
  }

  /// Puts won registers where they belong: into the row, or aside.
  private func write(_ wins: [Win], to slot: Int, at stamp: Stamp) throws {
    let record = replica.objects[slot]
    for win in wins {
      let property = replica.names.entities[record.entity].properties[win.bit]
      if property.local == nil { warn(.unknownToModel, slot: slot, key: property.name) }
    }
    if record.row != nil {
      try replica.writeRow(slot, wins, changes: &report.changedRows)
    } else if record.lives {
      try replica.show(slot, with: wins, changes: &report.changedRows)
    } else {
      try replica.park(wins, of: slot)
    }
  }

  // MARK: Links

  private func link(_ slot: Int, bit: Int, target: SyncID, at stamp: Stamp, added: Bool) throws -> Bool {
    guard
      case .toMany(let destination) = replica.names.entities[replica.objects[slot].entity].properties[bit]
        .kind
    else { return false }
    let root = try replica.names.number(of: destination, root: destination)
    let targetSlot = try replica.objects.obtain(target, root: root, authors: replica.authors)
    replica.objects[slot].hasTraces = true
    replica.objects[targetSlot].hasTraces = true
    let source = replica.objects[slot]
    if !source.lives {
      if isUnpushed(source.deleted) {
        warn(.relationshipsOfObjectDeletedHereChanged, slot: slot)
      } else if source.inserted == .zero {
        warn(.objectNotFoundForRelationship, slot: slot)
      }
    }
    var cell = try replica.links.cell(
      source: source.id, bit: bit, target: replica.objects[targetSlot].id, authors: replica.authors)
    guard stamp > (added ? cell.added : cell.removed) else { return false }
    let wasShown = replica.isVisible(cell, source: source, target: replica.objects[targetSlot])
    if added { cell.added = stamp } else { cell.removed = stamp }
    try replica.links.write(cell, authors: replica.authors)
    let isShown = replica.isVisible(cell, source: source, target: replica.objects[targetSlot])
    if wasShown != isShown {
      try replica.showLink(slot, bit: bit, target: targetSlot, isShown: isShown, changes: &report.changedRows)
    }
    return true
  }

  // MARK: Places and contributions

  private func place(
    _ slot: Int, bit: Int, target: SyncID, isInverse: Bool, key: PlaceKey, at stamp: Stamp
  ) throws -> Bool {
    let property = replica.names.entities[replica.objects[slot].entity].properties[bit]
    guard let destination = property.kind.stored.destination else { return false }
    let root = try replica.names.number(of: destination, root: destination)
    let targetSlot = try replica.objects.obtain(target, root: root, authors: replica.authors)
    replica.objects[slot].hasTraces = true
    replica.objects[targetSlot].hasTraces = true
    let pair = PlaceTable.Pair(
      source: replica.objects[slot].id, bit: bit, target: replica.objects[targetSlot].id, isInverse: isInverse
    )
    if let known = try replica.places.cell(pair, authors: replica.authors) {
      guard stamp > known.stamp || (stamp == known.stamp && known.key < key) else { return false }
    }
    try replica.places.write(PlaceTable.Cell(pair: pair, key: key, stamp: stamp), authors: replica.authors)
    replica.orderMayChange(slot, bit: bit, target: targetSlot)
    return true
  }

  private func contribute(_ contribution: Contribution, to slot: Int, bit: Int, writer: AuthorID) throws
    -> Bool
  {
    let property = replica.names.entities[replica.objects[slot].entity].properties[bit]
    guard property.kind == .attribute else { return false }
    if property.local == nil { warn(.unknownToModel, slot: slot, key: property.name) }
    return try replica.add(contribution, slot: slot, bit: bit, writer: writer)
  }

  // MARK: Warnings

  private func isUnpushed(_ stamp: Stamp) -> Bool { stamp.author == own && stamp.time > pushed }

  private func warn(_ kind: SyncWarning.Kind, slot: Int, key: String? = nil) {
    let record = replica.objects[slot]
    warn(kind, entity: replica.names.entities[record.entity].name, object: record.syncID, key: key)
  }

  func warnOfSet(_ kind: SyncWarning.Kind, client: String) {
    self.client = client
    warn(kind, entity: "", object: nil, key: nil)
  }

  private func warn(_ kind: SyncWarning.Kind, entity: String, object: SyncID?, key: String?) {
    // A hundred thousand equal warnings help nobody, and memory is bounded.
    guard report.warnings.count < 1_000 else { return }
    report.warnings.append(SyncWarning(kind: kind, entity: entity, object: object, key: key, client: client))
  }
}
