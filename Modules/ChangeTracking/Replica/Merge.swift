/// Merges changes into the cells and rows of a replica, within one transaction.
final class Merge {
  let replica: Replica
  let policy: ConflictPolicy
  let own: AuthorID
  let pushed: LogicalTime
  /// Whether anything was changed here that the remote is not known to have.
  let hasUnpushed: Bool
  var report = ApplyReport()
  var undecided: [Conflict] = []
  /// Who made the change being merged, and when.
  var client = ""
  var stamp = Stamp.zero
  var decisions: [Decision] = []
  var groups = GroupQuestions()
  private let progress: ((ApplyProgress) throws -> Void)?
  /// What objects showed before, if the merge may be taken back.
  var journal: MergeJournal?

  /// An answer that differs from what the stamps say.
  struct Decision {
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
    /// What each property in the set can hold.
    var contents: [Fitting]
  }

  /// What a register may hold.
  enum Fitting { case value, target, nothing }

  /// A register that the set wins.
  struct Win {
    var bit: Int
    var content: Register.Content
  }

  init(
    replica: Replica, policy: ConflictPolicy, own: AuthorID, pushed: LogicalTime,
    progress: ((ApplyProgress) throws -> Void)? = nil
  ) throws {
    self.replica = replica
    self.policy = policy
    self.own = own
    self.pushed = pushed
    self.progress = progress
    hasUnpushed = try replica.connection.first("SELECT 1 FROM TICDS_OUTBOX") != nil
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
    for (index, place) in places.enumerated() {
      try replica.objects.spill(authors: replica.authors)
      let change = sets[place.set].changes[place.change]
      client = sets[place.set].client
      stamp = Stamp(time: change.time, author: sets[place.set].author)
      try apply(change, of: sets[place.set], to: entities[place.set][change.entity])
      if (index + 1) % Self.stride == 0 || index + 1 == places.count {
        try tell(number: index + 1, total: places.count)
      }
    }
    report.sets += sets.count
  }

  /// Changes between two looks at whether to go on.
  private static let stride = 250

  private func tell(number: Int, total: Int) throws {
    try Task.checkCancellation()
    try progress?(ApplyProgress(number: number, total: total, author: stamp.author, client: client))
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
      let contents = names.properties.map { property -> Fitting in
        switch property.kind {
        case .attribute: .value
        case .toOne: .target
        case .toMany: .nothing
        }
      }
      return Entity(
        number: number, root: replica.names.entities[number].root, bits: bits, contents: contents)
    }
  }

  private func apply(_ change: Change, of set: ChangeSet, to entity: Entity) throws {
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
    func wins(_ registers: [Register]) throws -> [Win] {
      var wins: [Win] = []
      wins.reserveCapacity(registers.count)
      for register in registers {
        let win = Win(bit: try bit(register.property), content: register.content)
        if win.content.fits(entity.contents[register.property]) {
          wins.append(win)
        } else {
          warnOfSkipped(slot, bit: win.bit, .wrote(win.content))
        }
      }
      return wins
    }
    let hadEffect =
      switch change.action {
      case .insert(let registers):
        try insert(slot, at: stamp, registers: wins(registers))
      case .update(let registers):
        try update(slot, at: stamp, registers: wins(registers))
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
    if record.inserted == .zero { warn(.objectNotFoundForDeletion, slot: slot, remote: .deleted) }
    if hasUnpushed { try warnOfLocalChanges(to: record, slot: slot) }
    try replica.delete(slot, at: stamp, changes: &report.changedRows)
    return true
  }
}

extension Register.Content {
  func fits(_ fitting: Merge.Fitting) -> Bool {
    switch (self, fitting) {
    case (.value, .value), (.longValue, .value), (.target, .target): true
    default: false
    }
  }
}
