/// What sets were made of, as far as rows may show something else because of it.
///
/// Nothing of it is shown before the log is empty: what a later part of the log says is in no cell yet, and a row that was brought up to
/// date with the cells before would be taken for what the user wrote.
struct UnshownChanges {
  /// Objects that were inserted and for which something may be waiting.
  var inserted: [RecordID] = []
  /// One-to-one relationships that the user wrote, perhaps without having seen what others wrote.
  var claims: [RegisterID] = []
  /// Properties that somebody contributed to.
  var contributed: Set<RegisterID> = []
  /// Targets that an exclusive relationship has left and that others claim too.
  var freed: Set<ContestTable.Target> = []
  /// Whether a value that must be unique may have left its row.
  var mayFreeValues = false
  /// Objects that claim anew what they keep aside, for the user has written something of the claim.
  var renewed: Set<RecordID> = []

  /// How many objects, registers and targets have to be looked at.
  var count: Int { inserted.count + claims.count + contributed.count + freed.count + renewed.count }

  mutating func formUnion(_ other: UnshownChanges) {
    inserted += other.inserted
    claims += other.claims
    contributed.formUnion(other.contributed)
    freed.formUnion(other.freed)
    mayFreeValues = mayFreeValues || other.mayFreeValues
    renewed.formUnion(other.renewed)
  }
}

// MARK: Until the log is empty

extension UnshownChanges {
  /// Keeps everything for the transaction that makes sets of the rest of the log, which may be another process's.
  func keep(in table: UnshownTable) throws {
    for object in inserted { try table.insert(UnshownTable.Entry(reason: .inserted, object: object)) }
    for claim in claims {
      try table.insert(UnshownTable.Entry(reason: .claimed, object: claim.object, bit: claim.bit))
    }
    for register in contributed {
      try table.insert(UnshownTable.Entry(reason: .contributed, object: register.object, bit: register.bit))
    }
    for target in freed {
      try table.insert(UnshownTable.Entry(reason: .freed, object: target.target, bit: target.bit))
    }
    for object in renewed { try table.insert(UnshownTable.Entry(reason: .renewed, object: object)) }
    if mayFreeValues { try table.insert(UnshownTable.Entry(reason: .freedValues, object: .none)) }
  }

  /// Takes what was kept, or some of it.
  init(takenFrom table: UnshownTable, limit: Int) throws {
    for entry in try table.take(limit: limit) {
      switch (entry.reason, entry.bit) {
      case (.inserted, _): inserted.append(entry.object)
      case (.claimed, let bit?): claims.append(RegisterID(object: entry.object, bit: bit))
      case (.contributed, let bit?): contributed.insert(RegisterID(object: entry.object, bit: bit))
      case (.freed, let bit?): freed.insert(ContestTable.Target(bit: bit, target: entry.object))
      case (.freedValues, _): mayFreeValues = true
      case (.renewed, _): renewed.insert(entry.object)
      case (_, nil): break
      }
    }
  }
}
