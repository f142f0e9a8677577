/// What sets were made of, as far as it concerns what rows show.
struct FrozenChanges {
  /// How many sets were made.
  var sets = 0
  /// Objects that were inserted and for which something may be waiting.
  var inserted: [ObjectTable.Slot] = []
  /// Rows that share their sync ID with another.
  var duplicates: [RowReference] = []
  /// Relationships that show nothing, though their rows lead somewhere.
  var cleared: [(ObjectTable.Slot, PropertyBit)] = []
  /// One-to-one relationships that the user wrote, perhaps without having seen what others wrote.
  var claims: [(ObjectTable.Slot, PropertyBit)] = []
  /// Attributes whose rows show null although they may not.
  var empty: [(ObjectTable.Slot, PropertyBit, isWritten: Bool)] = []
  /// Properties that somebody contributed to.
  var contributed: Set<RegisterID> = []
  /// Targets that an exclusive relationship has left and that others claim too.
  var freed: Set<ContestTable.Target> = []
  /// Whether a value that must be unique may have left its row.
  var mayFreeValues = false
}

// MARK: Until the log is empty

extension FrozenChanges {
  /// Notes durably what has to be shown, for there is more in the log.
  func postpone(in cells: Cells) throws {
    func insert(_ reason: UnshownTable.Reason, _ object: RecordID, _ bit: PropertyBit? = nil) throws {
      try cells.unshown.insert(UnshownTable.Entry(reason: reason, object: object, bit: bit))
    }
    for slot in inserted { try insert(.inserted, cells[slot].id) }
    for (slot, bit) in cleared { try insert(.cleared, cells[slot].id, bit) }
    for (slot, bit) in claims { try insert(.claimed, cells[slot].id, bit) }
    for (slot, bit, isWritten) in empty { try insert(isWritten ? .emptied : .blank, cells[slot].id, bit) }
    for register in contributed { try insert(.contributed, register.object, register.bit) }
    for target in freed { try insert(.freed, target.target, target.bit) }
    if mayFreeValues { try insert(.freedValues, .none) }
  }

  /// Adds what was postponed.
  mutating func resume(from cells: Cells) throws {
    for entry in try cells.unshown.takeAll() {
      guard let bit = entry.bit else {
        switch entry.reason {
        case .inserted: inserted.append(try cells.objects.slot(entry.object))
        case .freedValues: mayFreeValues = true
        default: break
        }
        continue
      }
      switch entry.reason {
      case .cleared: cleared.append((try cells.objects.slot(entry.object), bit))
      case .claimed: claims.append((try cells.objects.slot(entry.object), bit))
      case .emptied: empty.append((try cells.objects.slot(entry.object), bit, isWritten: true))
      case .blank: empty.append((try cells.objects.slot(entry.object), bit, isWritten: false))
      case .contributed: contributed.insert(RegisterID(object: entry.object, bit: bit))
      case .freed: freed.insert(ContestTable.Target(bit: bit, target: entry.object))
      case .inserted, .freedValues: break
      }
    }
  }
}
