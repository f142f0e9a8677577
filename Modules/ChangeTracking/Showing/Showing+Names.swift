/// Objects whose cells became others because two names turned out to be of one thing.
extension Showing {
  /// Removes one of two rows of each object, after taking from it what it alone shows; or the only one, if the object does not live.
  func drop(_ surplus: [SurplusRow]) throws {
    // Rows may lead to each other.
    let targets = try surplus.map(targets)
    for surplus in surplus { try release(surplus) }
    for (surplus, targets) in zip(surplus, targets) { try drop(surplus, leadingTo: targets) }
  }

  /// The object that a row is to go of, and the row; `nil` if the row has gone, and another may have its key by now.
  private func place(of surplus: SurplusRow) throws -> (slot: Slot, row: RowReference)? {
    let root = cells.names.root(of: cells.names[surplus.entity])
    guard let slot = try cells.objects.existingSlot(surplus.record),
      let identity = try store.checkedIdentity(of: surplus.row, below: root.name),
      identity.syncID == cells[slot].syncID
    else { return nil }
    return (slot, RowReference(entity: identity.entity, row: surplus.row))
  }

  private func drop(_ surplus: SurplusRow, leadingTo targets: [PropertyBit: Register.Content]) throws {
    guard let (slot, row) = try place(of: surplus) else { return }
    if cells[slot].row == surplus.row {
      if !cells[slot].lives { try hide(slot) }
      return
    }
    let wins = try wins(surplus.registers, in: row, of: slot, targets)
    let tied = try self.wins(surplus.tied, in: row, of: slot, targets).filter { win in
      try reader.content(of: cells[slot], win.bit)?.precedes(win.content) ?? false
    }
    try noteFreedValues(of: row, writing: nil)
    try dropRow(row, of: slot)
    try write(wins + tied, to: slot)
  }

  /// Lets a row that is to go lead nowhere. Otherwise no other row may lead to a target that is for one row only; and if the row goes to which it
  /// leads, this target would be kept aside for an object that leads elsewhere by now.
  private func release(_ surplus: SurplusRow) throws {
    guard let (slot, row) = try place(of: surplus), cells[slot].row != surplus.row else { return }
    for property in cells.names[row.entity].localProperties
    where property.isRegister && !property.isAttribute {
      if let position = property.local { try rows.setTarget(of: row, position, to: nil) }
    }
  }

  /// Where a row leads that is to go, as long as the rows that it leads to are there.
  private func targets(of surplus: SurplusRow) throws -> [PropertyBit: Register.Content] {
    guard let (slot, row) = try place(of: surplus) else { return [:] }
    let entity = cells.names[row.entity]
    let relationships = try (surplus.registers + surplus.tied).filter {
      try !entity.property($0.bit).isAttribute
    }
    return Dictionary(
      try wins(relationships, in: row, of: slot, [:]).map { ($0.bit, $0.content) },
      uniquingKeysWith: { first, _ in first })
  }

  /// What a row shows of those registers that nobody has written since.
  private func wins(
    _ registers: [RegisterClock], in row: RowReference, of slot: Slot,
    _ targets: [PropertyBit: Register.Content]
  ) throws -> [Win] {
    let entity = cells.names[row.entity]
    return try registers.compactMap { register in
      let property = try entity.property(register.bit)
      guard cells[slot].stamp(of: register.bit) == register.stamp else { return nil }
      if let target = targets[register.bit] { return Win(bit: register.bit, content: target) }
      guard let position = property.local,
        let stored = try store.readRow(row, [position])?.contents.first,
        let content = try reader.content(stored, of: property)
      else { return nil }
      return Win(bit: register.bit, content: content)
    }
  }

  /// Shows a register that was erased, unless it was written again since; of a to-many relationship, the links that are in effect.
  func blankErased(_ register: RegisterID) throws {
    guard let slot = try cells.objects.existingSlot(register.object), cells[slot].row != nil,
      !cells[slot].isWritten(register.bit)
    else { return }
    if try cells.property(register.bit, of: slot).isRegister { return try blank([register.bit], of: slot) }
    for cell in try cells.links.cells(of: register.object) where cell.bit == register.bit {
      try showLink(slot, cell, target: cells.objects.slot(cell.target))
    }
  }

  /// Shows where nothing was written what the local model wants there now. Only while the log is empty.
  func showChangedBlanks(in state: StateTable) throws {
    let present = try BlankValues(of: cells.names, store.schema, noted: state)
    for local in store.schema.localEntities {
      let entity = cells.names[local]
      let changed = present.changed(in: entity)
      if changed.isEmpty { continue }
      for id in try cells.objects.shown(entity.number) {
        try cells.objects.spill()
        let slot = try cells.objects.slot(id)
        // What is in no set yet has no register either.
        guard cells[slot].lives, let row = reader.row(of: cells[slot]) else { continue }
        let unwritten = changed.filter { !cells[slot].isWritten($0) }
        try blank(misshown(unwritten, in: row, of: entity), of: slot, keepingAside: true)
      }
    }
    try present.note(in: state)
  }

  /// The attributes of which a row shows something else than where nothing was written.
  private func misshown(_ bits: [PropertyBit], in row: RowReference, of entity: KnownEntity) throws
    -> [PropertyBit]
  {
    let properties = try bits.map(entity.property).filter { $0.local != nil }
    guard !properties.isEmpty, let stored = try store.readRow(row, properties.compactMap(\.local)) else {
      return []
    }
    return zip(properties, stored.contents).filter { property, content in
      content != .value(property.blank) && content.mayBeDefault
    }.map(\.0.bit)
  }

  /// Shows an object as its cells say, whatever it showed before. Only while the log is empty.
  ///
  /// - Parameter cleared: relationships that lead nowhere now.
  func showAgain(_ id: RecordID, cleared: [PropertyBit]) throws {
    let slot = try cells.objects.slot(id)
    guard cells[slot].lives else { return try hide(slot) }
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
    orderMayChange(of: slot)
    try showWhatWaits(for: slot)
  }
}

extension StoredContent {
  /// Whether a migration may have written it. What cannot be read, or is too long to be said, is somebody's own.
  fileprivate var mayBeDefault: Bool {
    switch self {
    case .value(.string(let text)), .value(.uri(let text)): text.utf8.count <= 1_048_576
    case .value(.data(let bytes)): bytes.count <= 1_048_576
    case .value: true
    case .target, .unreadable: false
    }
  }
}
