import ObjectStore

/// What objects showed before a transaction wrote to their rows: enough to say how to take it back.
final class ShownJournal {
  private let reader: RegisterReader
  private let shown: ShownObjects
  private var before: [RecordID: MergeInverse.State?] = [:]
  private var order: [RecordID] = []

  init(reader: RegisterReader) {
    self.reader = reader
    shown = ShownObjects(reader: reader)
  }

  /// Notes what an object shows that is about to show something else.
  func note(_ slot: ObjectTable.Slot) throws { try note(reader.cells[slot]) }

  /// Notes what an object showed as what it was.
  func note(_ record: ObjectRecord) throws {
    if before[record.id] != nil { return }
    before[record.id] = .some(try shown.state(of: record))
    order.append(record.id)
  }

  func note(_ row: RowReference) throws {
    let cells = reader.cells
    let root = cells.names.root(of: cells.names[row.entity])
    if let slot = try reader.object(shownBy: row.row, below: root) { try note(slot) }
  }

  /// Notes an object whose row is about to go, and all that show it or that it shows.
  func noteNeighbours(of row: RowReference) throws {
    try note(row)
    let (cells, store) = (reader.cells, reader.store)
    let root = cells.names.root(of: cells.names[row.entity])
    for entity in cells.names.entities {
      guard let local = entity.local else { continue }
      for property in entity.localProperties {
        guard let position = property.local, case .toOne = property.kind,
          cells.names.destination(of: property)?.number == root.number
        else { continue }
        for source in try store.sources(local, position, to: row.row) {
          try note(RowReference(entity: local, row: source))
        }
      }
    }
    for property in cells.names[row.entity].localProperties where property.order.contains(.sources) {
      guard let position = property.local, case .toOne = property.kind,
        let destination = cells.names.destination(of: property),
        case .target(let target?)? = try store.readRow(row, [position])?.contents.first,
        let owner = try reader.object(shownBy: target, below: destination)
      else { continue }
      try note(owner)
    }
    guard let slot = try reader.object(shownBy: row.row, below: root) else { return }
    for cell in try cells.links.cells(of: cells[slot].id) + cells.links.cells(to: cells[slot].id) {
      for end in [cell.source, cell.target] { try note(cells.objects.slot(end)) }
    }
  }

  /// What shows otherwise now, and how it was.
  func inverse() throws -> MergeInverse {
    let cells = reader.cells
    var inverse = MergeInverse(names: MergeInverse.Names(cells.names))
    for id in order {
      let slot = try cells.objects.slot(id)
      guard let before = before[id] else { continue }
      let after = try shown.state(of: cells[slot])
      if before == after { continue }
      let entity = cells.entity(of: slot)
      inverse.objects.append(
        MergeInverse.Object(
          root: cells.names.root(of: entity).name, syncID: cells[slot].syncID, before: before, after: after))
    }
    return inverse
  }
}
