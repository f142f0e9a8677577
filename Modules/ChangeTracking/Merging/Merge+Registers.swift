import ObjectStore

/// Registers: the later write remains, unless somebody answers otherwise.
extension Merge {
  func update(_ slot: ObjectTable.Slot, _ registers: [Win]) throws -> Bool {
    let record = cells[slot]
    if !record.lives { for register in registers { try warnOfMissing(record, slot, register) } }
    let wins = try winners(slot, record, registers)
    for win in wins { cells[slot].write(win.bit, at: stamp) }
    try write(wins, to: slot)
    return !wins.isEmpty
  }

  /// What led to something that was deleted, or given to another object. Whoever has written it later meant it as it is, and need not be asked.
  func clear(_ slot: ObjectTable.Slot, _ registers: [Win]) throws -> Bool {
    let record = cells[slot]
    let wins = try winners(slot, record, registers.filter { stamp >= record.stamp(of: $0.bit) })
    for win in wins { cells[slot].write(win.bit, at: stamp) }
    try write(wins, to: slot)
    return !wins.isEmpty
  }

  /// The registers that the remote change wins, by stamp or by the answer to a conflict.
  func winners(_ slot: ObjectTable.Slot, _ record: ObjectRecord, _ registers: [Win]) throws -> [Win] {
    var wins: [Win] = []
    for register in registers {
      var register = register
      let current = record.stamp(of: register.bit)
      if case .longValue = register.content, let present = try reader.content(of: record, register.bit),
        present.onTheWire == register.content
      {
        // What this device has need not arrive.
        register.content = present
      }
      let isUnpushed = local.isUnpushed(current) || isAnswered(register.bit, current, of: record)
      if try isUnpushed && record.lives && mayAsk(about: register.bit, of: record)
        && !(stamp > current && wasCleared(register.bit, current, of: record))
      {
        if let present = try reader.content(of: record, register.bit), present != register.content {
          let isWin = stamp > current || (stamp == current && present.precedes(register.content))
          if let win = try decide(register, against: present, current, isWin: isWin, slot, record) {
            wins.append(win)
          }
          continue
        }
      }
      if stamp > current {
        wins.append(register)
      } else if stamp == current, record.isWritten(register.bit), try isGreater(register, of: record) {
        wins.append(register)
      }
    }
    return wins
  }

  /// Whether a register holds no target because that was deleted here, or given to another object, which is no side of a conflict.
  private func wasCleared(_ bit: PropertyBit, _ current: Stamp, of record: ObjectRecord) throws -> Bool {
    try cells.clearings.contains(RegisterID(object: record.id, bit: bit), at: current.time)
  }

  private func isAnswered(_ bit: PropertyBit, _ current: Stamp, of record: ObjectRecord) -> Bool {
    !answered.isEmpty && answered[RegisterID(object: record.id, bit: bit)]?.verdict == current
  }

  /// Whether a register holds something that was written here and that a person can answer for: neither what a deletion has left, nor
  /// what the local model does not know, nor what contributions stand on, for that is not what anybody sees.
  private func mayAsk(about bit: PropertyBit, of record: ObjectRecord) throws -> Bool {
    let property = try cells.entity(of: record).property(bit)
    return record.isWritten(bit) && property.local != nil && !property.isFolded
  }

  /// Of two writes with one stamp, which only copies of one store can make, the greater content wins. A deletion with it erases both.
  private func isGreater(_ register: Win, of record: ObjectRecord) throws -> Bool {
    try reader.content(of: record, register.bit)?.precedes(register.content) ?? true
  }

  /// Answers one conflict. What differs from the stamps' verdict is logged as a new local change.
  private func decide(
    _ register: Win, against present: Register.Content, _ current: Stamp, isWin: Bool,
    _ slot: ObjectTable.Slot, _ record: ObjectRecord
  ) throws -> Win? {
    let entity = cells.entity(of: record)
    let property = try entity.property(register.bit)
    let known = RegisterID(object: record.id, bit: register.bit)
    // An answer to an earlier one of several changes is not what was written here.
    let written = answered[known].map { $0.verdict == current ? $0.written : current } ?? current
    let id = Conflict.ID(
      entity: entity.name, object: record.syncID, key: property.name, remote: stamp, local: written)
    var conflict = Conflict(
      id: id, localContent: present, remoteContent: register.content,
      localClient: local.client, remoteClient: client, outcome: nil)
    let group = groups.group(of: property, object: record.id, remote: stamp)
    guard let answer = group.flatMap({ groups.answers[$0] }) ?? policy.answer(to: id) else {
      if group.map({ groups.open.insert($0).inserted }) ?? true { undecided.append(conflict) }
      return nil
    }
    if let group { groups.answers[group] = answer.ofGroup }
    var chosen: Register.Content
    switch answer {
    case .latest:
      conflict.outcome = isWin ? .remote : .local
      chosen = isWin ? register.content : present
    case .local:
      conflict.outcome = .local
      chosen = present
    case .remote:
      // What is not here cannot be written anew.
      let isHere = if case .longValue = register.content { false } else { true }
      conflict.outcome = isWin || isHere ? .remote : .local
      chosen = isWin || isHere ? register.content : present
    case .value(let value):
      conflict.outcome = .custom
      chosen = .value(value)
    }
    // Only an attribute can take a value that neither side holds.
    if case .value = chosen, !property.isAttribute {
      conflict.outcome = isWin ? .remote : .local
      chosen = isWin ? register.content : present
    }
    conflict.settledContent = chosen
    report.conflicts.append(conflict)
    let verdict = isWin ? register.content : present
    if chosen != verdict {
      let decision = Decision(register: known, stamp: isWin ? stamp : current, verdict: verdict)
      decisions.append(decision)
      answered[known] = Answered(written: written, verdict: decision.stamp)
    }
    if isWin { return Win(bit: register.bit, content: chosen) }
    if chosen != present { effects.append(.written(slot, [Win(bit: register.bit, content: chosen)])) }
    return nil
  }

  /// Hands won registers over, to be put where they belong: into the row, or aside.
  func write(_ wins: [Win], to slot: ObjectTable.Slot) throws {
    let entity = cells.entity(of: slot)
    for win in wins {
      let property = try entity.property(win.bit)
      if property.local == nil {
        warn(.unknownToModel, slot, key: property.name, remote: .wrote(win.content))
      }
    }
    effects.append(.written(slot, wins))
  }

  /// The answers that still stand now that all sets are merged: a later change may have overruled one.
  func standingDecisions() throws -> [Decision] {
    try decisions.filter { try cells.objects[$0.register.object].stamp(of: $0.register.bit) == $0.stamp }
  }
}
