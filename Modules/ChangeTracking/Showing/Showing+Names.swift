/// Objects whose cells became others because two names turned out to be of one thing.
extension Showing {
  /// Shows an object as its cells say, whatever it showed before. Only while the log is empty.
  ///
  /// - Parameter cleared: relationships that lead nowhere now.
  func showAgain(_ id: RecordID, cleared: [PropertyBit]) throws {
    let slot = try cells.objects.slot(id)
    guard cells[slot].lives else {
      if let row = reader.row(of: cells[slot]) { try removeRow(row, of: slot) }
      return
    }
    guard cells[slot].row != nil else { return try show(slot, with: []) }
    for bit in cleared where try !cells.property(bit, of: slot).isAttribute {
      try writeTarget(Win(bit: bit, content: .target(nil)), of: slot)
    }
    try writeRow(slot, cells.parked.values(of: id))
    for (bit, target) in try cells.parked.targets(of: id) {
      try settle(slot, bit, target: cells.objects.slot(target))
    }
    for cell in try cells.links.cells(of: id) + cells.links.cells(to: id) {
      try showLink(cells.objects.slot(cell.source), cell, target: cells.objects.slot(cell.target))
    }
    noteFolds(of: slot)
    try orderMayChange(of: slot)
    try showWhatWaits(for: slot)
  }
}
