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
  let rows: RowWriter
  /// Targets that an exclusive relationship has left, so that another claim may show.
  var freed: Set<ContestTable.Target> = []
  var freedValues = FreedValues()
  /// Lists whose rows may have to be arranged anew.
  var unarranged: Set<MemberListID> = []
  /// Lists that have got members, or in which members have got other places, with these.
  var placed: [MemberListID: Set<RecordID>] = [:]
  /// Objects with all of whose lists that may be so.
  var unordered: Set<RecordID> = []
  /// Folded properties whose rows may have to be written anew.
  var unfolded: Set<RegisterID> = []
  var endingLinks = EndingLinks()
  /// While a merge shows what it brings, and nothing else does.
  var listEnds: ListEnds?

  typealias Slot = ObjectTable.Slot

  init(reader: RegisterReader) {
    cells = reader.cells
    store = reader.store
    self.reader = reader
    lists = MemberLists(reader: reader)
    rows = RowWriter(store: store)
  }

  /// Brings rows up to date with what was merged.
  func show(_ effect: CellEffect) throws {
    switch effect {
    case .written(let slot, let wins): try write(wins, to: slot)
    case .moved(let slot, let before): try move(slot, before)
    case .deleted(let slot, let before, let stamp): try delete(slot, before, at: stamp)
    case .linked(let slot, let cell, let target): try showLink(slot, cell, target: target)
    case .placed(let slot, let bit, let target): try orderMayChange(slot, bit, target: target)
    case .contributed(let register): unfolded.insert(register)
    }
  }

  /// Corrects what rows show that cannot be as it is, whatever else is in the log: what is left of it says what the rows show then.
  ///
  /// - Returns: what else may show something else because of it.
  func correct(_ frozen: FrozenChanges) throws -> UnshownChanges {
    for (slot, bit, isWritten) in frozen.empty {
      if isWritten {
        try writeRow(slot, [Win(bit: bit, content: .value(.null))])
      } else {
        // What waits for the insertion of the object is shown after it.
        try blank([bit], of: slot, keepingAside: true)
      }
    }
    for (slot, bit, target) in frozen.dangling {
      try hideTarget(of: slot, cells.property(bit, of: slot), target: target)
    }
    for (slot, bit) in frozen.cleared { try writeTarget(Win(bit: bit, content: .target(nil)), of: slot) }
    var unshown = frozen.unshown
    unshown.formUnion(
      UnshownChanges(contributed: unfolded, freed: freed, mayFreeValues: !freedValues.isEmpty))
    return unshown
  }

  /// Brings rows up to date with what the user did, and with what waited for it; once nothing is left in the log.
  func show(_ unshown: UnshownChanges) throws {
    freed.formUnion(unshown.freed)
    if unshown.mayFreeValues { freedValues.mayBeAny = true }
    freedValues.objects.formUnion(unshown.renewed)
    for object in unshown.inserted {
      // Objects that are gone since may have been forgotten.
      if let slot = try cells.objects.existingSlot(object) { try showWhatWaitsForInsertion(of: slot) }
    }
    for claim in unshown.claims {
      if let slot = try cells.objects.existingSlot(claim.object) { try settleClaim(slot, claim.bit) }
    }
    for register in unshown.contributed where try cells.objects.existingSlot(register.object) != nil {
      unfolded.insert(register)
    }
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
    // A type that holds more may show what was rounded or cut off.
    unfolded.formUnion(try cells.contributions.registers())
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
