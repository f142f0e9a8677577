import ObjectStore

/// What objects show, for whoever takes a merge back.
struct ShownObjects {
  let cells: Cells
  let store: any LocalStore
  let reader: RegisterReader

  init(reader: RegisterReader) {
    cells = reader.cells
    store = reader.store
    self.reader = reader
  }

  /// What an object shows now; `nil` if it does not live or the local model does not know it.
  func state(of slot: ObjectTable.Slot) throws -> MergeInverse.State? {
    guard let row = reader.row(of: cells[slot]) else { return nil }
    let known = cells.entity(of: slot).localProperties
    let registers = known.filter(\.isRegister)
    guard let stored = try store.readRow(row, registers.compactMap(\.local)) else { return nil }
    var state: MergeInverse.State = [:]
    for (property, content) in zip(registers, stored.contents) {
      switch try reader.content(content, of: property) {
      case .value(let value)?: state[property.name] = .value(value)
      case .target(let target)?: state[property.name] = .target(target)
      case .longValue?, nil: continue
      }
    }
    for property in known {
      guard case .toMany = property.kind, let position = property.local,
        let root = reader.cells.names.destination(of: property)?.name
      else { continue }
      let targets = try store.targets(of: row, position).compactMap {
        try store.identity(of: $0, below: root)?.syncID
      }
      state[property.name] = .targets(Set(targets))
    }
    return state
  }

  /// Notes what the objects of some changes show before they are merged.
  ///
  /// All of them first, for what happens to one object may change what another shows.
  func journal(_ objects: some Sequence<(SyncID, root: EntityNumber)>) throws -> MergeJournal {
    var journal = MergeJournal()
    for (syncID, root) in objects {
      try cells.objects.spill()
      let slot = try cells.objects.obtain(syncID, root: root)
      let id = cells[slot].id
      if !journal.holds(id) { journal.note(id, try state(of: slot)) }
    }
    return journal
  }

  /// What a merge changed, from what its journal noted.
  func inverse(of journal: MergeJournal) throws -> MergeInverse {
    var inverse = MergeInverse()
    for id in journal.order {
      let slot = try cells.objects.slot(id)
      guard let before = journal.before[id] else { continue }
      let after = try state(of: slot)
      guard before != after else { continue }
      let entity = cells.entity(of: slot)
      inverse.objects.append(
        MergeInverse.Object(
          entity: entity.name, root: cells.names.root(of: entity).name, syncID: cells[slot].syncID,
          before: before, after: after))
    }
    return inverse
  }
}
