import ObjectStore

/// The second half of an adoption: sets say the objects that were identified.
extension Freezing {
  /// Makes a set of the next objects.
  ///
  /// - Parameter id: after which record to go on; the last one of the set afterwards.
  /// - Returns: whether there were none.
  func freezeAdopted(after id: inout RecordID) throws -> Bool {
    let ids = try cells.objects.unsaid(after: id, limit: options.setLimit)
    let isEarliest =
      try cells.state.value(.adopting) == .integer(Adoption.Moment.beforeEverything.rawValue)
    let now = try nextTime()
    var slots: [(slot: Slot, time: LogicalTime)] = []
    for next in ids {
      id = next
      let slot = try cells.objects.slot(next)
      let record = cells[slot]
      guard let row = record.row, !record.lives else { continue }
      // Whoever deleted the object did not know of this row.
      let time = isEarliest && record.deleted == .zero ? Adoption.earliest : now
      slots.append((slot, time))
      note(time)
      try freezeContents(
        of: TouchedRows.Row(entity: record.entity, row: row, insertion: time, isAdopted: true))
      try finishIfFull()
    }
    for (slot, time) in slots {
      try freezeLinks(of: slot, at: time)
      try finishIfFull()
    }
    try freezeOrders()
    try finish()
    if ids.isEmpty { try cells.state.remove(.adopting) }
    return ids.isEmpty
  }

  private func freezeLinks(of slot: Slot, at time: LogicalTime) throws {
    guard let row = reader.row(of: cells[slot]) else { return }
    for property in cells.entity(of: slot).localProperties {
      guard let position = property.local, case .toMany = property.kind,
        let targetRoot = cells.names.destination(of: property)?.number
      else { continue }
      for target in try store.targets(of: row, position) {
        try freeze(
          TouchedRows.Link(
            entity: cells[slot].entity, bit: property.bit, source: row.row, target: target,
            targetRoot: targetRoot, isAdded: true, time: time), TouchedRows())
      }
    }
  }
}
