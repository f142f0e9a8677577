import ObjectStore

/// What no set can say: it stays here, and the next report tells.
extension Freezing {
  /// The changes without what exceeds ``SetLimits`` whichever set it is in.
  func sayable(_ changes: [Change]) throws -> [Change] {
    guard changes.contains(where: { !$0.isWithinLimits }) else { return changes }
    return try changes.compactMap { change in
      guard !change.isWithinLimits else { return change }
      guard change.object.isWithinLimits else {
        try note(change, nil)
        return nil
      }
      var change = change
      switch change.action {
      case .insert(let registers): change.action = .insert(try sayable(registers, of: change))
      case .update(let registers):
        let registers = try sayable(registers, of: change)
        if registers.isEmpty { return nil }
        change.action = .update(registers)
      case .clear(let registers):
        let registers = try sayable(registers, of: change)
        if registers.isEmpty { return nil }
        change.action = .clear(registers)
      case .delete: break
      case .link(let property, _), .unlink(let property, _), .place(let property, _, _, _),
        .contribute(let property, _, _):
        try note(change, property)
        return nil
      }
      return change
    }
  }

  private func sayable(_ registers: [Register], of change: Change) throws -> [Register] {
    try registers.filter { register in
      if register.isWithinLimits { return true }
      try note(change, register.property)
      return false
    }
  }

  /// Of a register that cannot be read now: it is not said, for nobody has cleared it.
  func noteUnreadable(_ slot: Slot, _ property: KnownProperty) throws {
    try UnsaidTable(cells.state).insert(
      UnsaidTable.Entry(
        kind: .unreadable, entity: cells.entity(of: slot).name, object: cells[slot].syncID, key: property.name
      ))
  }

  private func note(_ change: Change, _ property: ChangeSet.PropertyIndex?) throws {
    guard let entity = builder.entity(change.entity) else { return }
    try UnsaidTable(cells.state).insert(
      UnsaidTable.Entry(
        kind: .exceedsLimit, entity: entity.name, object: change.object,
        key: property.flatMap { entity[$0]?.name }))
  }
}

extension Change {
  fileprivate var isWithinLimits: Bool {
    guard object.isWithinLimits else { return false }
    return switch action {
    case .insert(let registers), .update(let registers), .clear(let registers):
      registers.allSatisfy(\.isWithinLimits)
    case .delete: true
    case .link(_, let target), .unlink(_, let target): target.isWithinLimits
    case .place(_, let target, _, let place):
      target.isWithinLimits && place.count <= SetLimits.placeLength
    case .contribute(_, let value, _): SetSize.length(of: value) <= SetLimits.contributionLength
    }
  }
}

extension Register {
  fileprivate var isWithinLimits: Bool {
    switch content {
    case .target(let target): target?.isWithinLimits ?? true
    case .longValue: true
    // Longer texts and data travel out of line, where they can.
    case .value(let value): SetSize.length(of: value) <= SetLimits.contributionLength
    }
  }
}
