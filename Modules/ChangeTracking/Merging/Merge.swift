/// Merges changes into the cells of a replica, within one transaction.
///
/// Decides which write wins. What follows for rows it hands over (``takeEffects(_:)``), and what only an application can
/// answer it asks (``undecided``).
final class Merge {
  let cells: Cells
  let reader: RegisterReader
  let local: LocalSide
  let policy: ConflictPolicy
  var report: ApplyReport
  var undecided: [Conflict] = []
  /// Who made the change being merged, and when.
  var client = ""
  var stamp = Stamp.zero
  var decisions: [Decision] = []
  /// Registers that show an answer other than what the stamp tells, until a set says so: to a further change they are as if they were not
  /// pushed.
  var answered: [RegisterID: Answered] = [:]
  var groups = GroupQuestions()
  var ownLinks = OwnLinks()
  var effects: [CellEffect] = []
  /// Changes that met an object which was not known.
  var missing: [MissingObject]

  /// When what was answered for was written here, and when the cell says instead.
  struct Answered {
    var written: Stamp
    var verdict: Stamp
  }

  /// An answer that differs from what the stamps say.
  struct Decision {
    var register: RegisterID
    /// The register's stamp when it was answered.
    var stamp: Stamp
    /// What the stamps say.
    var verdict: Register.Content
  }

  /// This device, as far as conflicts with it can be.
  struct LocalSide {
    let author: AuthorID
    let client: String
    /// The time of the last own change that the remote is known to have.
    let pushed: LogicalTime
    /// Whether anything was changed here that the remote is not known to have.
    let hasUnpushed: Bool
    /// Whether a copy is merged, which tells what happened while this device was away.
    let hasBeenAway: Bool

    func isUnpushed(_ stamp: Stamp) -> Bool { stamp.author == author && stamp.time > pushed }

    /// Whether a change was made here without knowing that its object was deleted. Whoever was away may have pushed it all the same.
    func isUnaware(_ stamp: Stamp, of deletion: Stamp) -> Bool {
      isUnpushed(stamp) || hasBeenAway && stamp.author == author && stamp > deletion
    }
  }

  /// - Parameters:
  ///   - report: of the slices before.
  ///   - missing: what they missed.
  init(
    reader: RegisterReader, local: LocalSide, policy: ConflictPolicy, report: ApplyReport,
    missing: [MissingObject] = []
  ) {
    self.missing = missing
    cells = reader.cells
    self.reader = reader
    self.local = local
    self.policy = policy
    self.report = report
  }

  /// Hands over what the changes merged since the last call did to the cells, in their order.
  func takeEffects(_ body: (CellEffect) throws -> Void) rethrows {
    // Nothing is merged meanwhile, and the array keeps its memory for the next change.
    for index in effects.indices { try body(effects[index]) }
    effects.removeAll(keepingCapacity: true)
  }

  /// Merges a change of a set.
  func merge(_ change: Change, of set: ChangeSet, _ names: SetNames) throws {
    client = set.client
    stamp = Stamp(time: change.time, author: set.author)
    guard let entity = try names[change.entity] else { return }
    let slot = try cells.objects.obtain(change.object, root: entity.known.root)
    if !cells[slot].entity.isKnown {
      cells[slot].entity = entity.known.number
      cells[slot].isChanged = true
    }
    func property(_ index: ChangeSet.PropertyIndex) throws -> SetNames.Property? {
      try names.property(index, of: entity)
    }
    func wins(_ registers: [Register]) throws -> [Win] {
      var wins: [Win] = []
      wins.reserveCapacity(registers.count)
      for register in registers {
        guard let property = try property(register.property) else { continue }
        if property.fits(register.content) {
          let win = Win(bit: property.bit, content: register.content.asRowsKeep)
          if entity.hasOneTwice { Self.add(win, to: &wins) } else { wins.append(win) }
        } else {
          try warnOfSkipped(slot, property.bit, .wrote(register.content))
        }
      }
      return wins
    }
    let hadEffect =
      switch change.action {
      case .insert(let registers): try insert(slot, as: entity.known, wins(registers))
      case .update(let registers): try update(slot, wins(registers))
      case .clear(let registers): try clear(slot, wins(registers))
      case .delete: try delete(slot)
      case .link(let index, let target):
        try property(index).map { try link(slot, $0, target: target, isAdded: true) } ?? false
      case .unlink(let index, let target):
        try property(index).map { try link(slot, $0, target: target, isAdded: false) } ?? false
      case .place(let index, let target, let isInverse, let bytes):
        try property(index).map {
          try place(slot, $0, target: target, isInverse: isInverse, PlaceKey(bytes: bytes))
        } ?? false
      case .contribute(let index, let value, let origin):
        try property(index).map {
          try contribute(
            Contribution(origin: Stamp(time: change.time, author: origin ?? set.author), value: value),
            to: slot, $0, writer: set.author)
        } ?? false
      }
    report.changes += 1
    if hadEffect { report.effective += 1 }
  }

  /// Adds what a change says of a property, which may have another name besides: the greater counts then, as of two writes with one stamp.
  private static func add(_ win: Win, to wins: inout [Win]) {
    guard let index = wins.firstIndex(where: { $0.bit == win.bit }) else {
      wins.append(win)
      return
    }
    if wins[index].content.precedes(win.content) { wins[index] = win }
  }

  // MARK: Existence

  private func insert(_ slot: ObjectTable.Slot, as entity: KnownEntity, _ registers: [Win]) throws -> Bool {
    let before = cells[slot]
    let isLatest =
      stamp > before.inserted
      || stamp == before.inserted && cells.names[before.entity].precedes(entity)
    if isLatest, before.entity != entity.number {
      cells[slot].entity = entity.number
      cells[slot].isChanged = true
      if before.row != nil { effects.append(.moved(slot, before: before)) }
    }
    let wins = try winners(slot, before, registers)
    cells[slot].insert(at: stamp, writing: wins.map(\.bit))
    try write(wins, to: slot)
    return stamp > before.inserted || !wins.isEmpty
  }

  private func delete(_ slot: ObjectTable.Slot) throws -> Bool {
    let before = cells[slot]
    guard let effect = try cells.delete(slot, at: stamp) else { return false }
    if before.inserted == .zero { warn(.objectNotFoundForDeletion, slot, remote: .deleted) }
    if local.hasUnpushed || local.hasBeenAway { try warnOfLocalChanges(to: before, slot) }
    effects.append(effect)
    return true
  }
}
