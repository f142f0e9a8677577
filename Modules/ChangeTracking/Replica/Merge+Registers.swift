import ObjectStore

/// Registers: the later write remains, unless somebody answers otherwise.
extension Merge {
  func update(_ slot: Int, at stamp: Stamp, registers: [Win]) throws -> Bool {
    let record = replica.objects[slot]
    if !record.lives { for register in registers { warnOfMissing(record, slot: slot, register: register) } }
    let wins = try winners(slot, at: stamp, registers: registers)
    for win in wins { replica.objects[slot].write(win.bit, at: stamp) }
    try write(wins, to: slot, at: stamp)
    return !wins.isEmpty
  }

  /// The registers that the remote change wins, by stamp or by the answer to a conflict.
  func winners(_ slot: Int, at stamp: Stamp, registers: [Win]) throws -> [Win] {
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
      id: id, localContent: local, remoteContent: register.content, local: current,
      localClient: replica.client, remoteClient: client, outcome: nil)
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
    conflict.settledContent = chosen
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
  func write(_ wins: [Win], to slot: Int, at stamp: Stamp) throws {
    let record = replica.objects[slot]
    for win in wins where replica.names.entities[record.entity].properties[win.bit].local == nil {
      let key = replica.names.entities[record.entity].properties[win.bit].name
      warn(.unknownToModel, slot: slot, key: key, remote: .wrote(win.content))
    }
    if record.row != nil {
      try replica.writeRow(slot, wins, changes: &report.changedRows)
    } else if record.lives {
      try replica.show(slot, with: wins, changes: &report.changedRows)
    } else {
      try replica.park(wins, of: slot)
    }
  }
}
