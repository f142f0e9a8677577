import ObjectStore

/// Derives the application's rows from the cells, within one transaction. Nobody else writes rows.
///
/// What depends on one change is shown at once (``show(_:)``); what depends on several cells is noted, and shown when all
/// cells of the transaction are merged (``settle()``).
final class Showing {
  let cells: Cells
  let store: any LocalStore
  let reader: RegisterReader
  let lists: MemberLists
  /// The rows that were written.
  var changes = ChangedRows()
  /// Targets that an exclusive relationship has left, so that another claim may show.
  var freed: Set<ContestTable.Target> = []
  /// Whether a value that must be unique may have left its row, so that another object may show it.
  var valuesMayBeFree = false
  /// Lists whose rows may have to be arranged anew.
  var unarranged: Set<MemberListID> = []
  /// Folded properties whose rows may have to be written anew.
  var unfolded: Set<RegisterID> = []

  typealias Slot = ObjectTable.Slot

  init(reader: RegisterReader) {
    cells = reader.cells
    store = reader.store
    self.reader = reader
    lists = MemberLists(reader: reader)
  }

  /// Brings rows up to date with what was merged.
  func show(_ effects: [CellEffect]) throws {
    for effect in effects {
      switch effect {
      case .written(let slot, let wins): try write(wins, to: slot)
      case .moved(let slot, let before): try move(slot, before)
      case .deleted(let slot, let before, let stamp): try delete(slot, before, at: stamp)
      case .linked(let slot, let cell, let target): try showLink(slot, cell, target: target)
      case .placed(let slot, let bit, let target): try orderMayChange(slot, bit, target: target)
      case .contributed(let register): unfolded.insert(register)
      }
    }
  }

  /// Brings rows up to date with what the user did, and with what waited for it.
  func show(_ frozen: FrozenChanges) throws {
    // Not earlier, for what is shown here must not be taken for something that the user wrote.
    freed.formUnion(frozen.freed)
    if frozen.mayFreeValues { valuesMayBeFree = true }
    unfolded.formUnion(frozen.contributed)
    for (slot, bit, isWritten) in frozen.empty {
      if isWritten {
        try writeRow(slot, [Win(bit: bit, content: .value(.null))])
      } else {
        try blank([bit], of: slot)
      }
    }
    for (slot, bit) in frozen.cleared { try writeTarget(Win(bit: bit, content: .target(nil)), of: slot) }
    for slot in frozen.inserted { try showWhatWaitsForInsertion(of: slot) }
    for (slot, bit) in frozen.claims { try settleClaim(slot, bit) }
  }

  /// Derives what depends on more than one cell, once all cells of the transaction are merged.
  func settle() throws {
    try settleClaims()
    try settleValues()
    try showFolds()
    try arrangeLists()
  }

  /// Shows what was kept aside for properties and entities that the local model did not know before.
  func showWhatTheModelHasLearned() throws {
    try cells.objects.flush()
    for id in try cells.objects.waiting() {
      let slot = try cells.objects.slot(id)
      guard cells[slot].lives else { continue }
      if cells[slot].row == nil {
        try show(slot, with: [])
      } else {
        try writeRow(slot, cells.parked.values(of: id))
        try showWhatWaits(for: slot)
        for (bit, target) in try cells.parked.targets(of: id) {
          try settle(slot, bit, target: cells.objects.slot(target))
        }
      }
    }
    try settle()
  }
}
