import ObjectStore

/// What is said of the rows that were touched.
extension Freezing {
  func freeze(_ touched: TouchedRows.Row) throws {
    if let deletion = touched.deletion {
      try freezeDeletion(of: touched, at: deletion.time, deletion.syncID)
    } else {
      try freezeContents(of: withInsertion(withoutRestored(touched)))
    }
  }

  /// Without relationships that were cleared and lead somewhere again: what made them do so comes further on in the log.
  private func withoutRestored(_ touched: TouchedRows.Row) throws -> TouchedRows.Row {
    let entity = cells.names[touched.entity]
    guard touched.cleared != touched.restored, let local = entity.local else { return touched }
    let properties = entity.localProperties.filter {
      touched.cleared.contains($0.bit) && !touched.restored.contains($0.bit)
    }
    let row = RowReference(entity: local, row: touched.row)
    guard let shown = try store.readRow(row, properties.compactMap(\.local))?.contents else { return touched }
    var touched = touched
    for (property, content) in zip(properties, shown) where content != .target(nil) {
      touched.writes[property.bit] = nil
      touched.cleared.remove(property.bit)
    }
    return touched
  }

  private func freezeDeletion(of touched: TouchedRows.Row, at time: LogicalTime, _ syncID: SyncID) throws {
    let entity = cells.names[touched.entity]
    let known = try cells.objects.find(syncID, root: entity.root)
    // What was inserted and deleted between two sets is said to be deleted all the same: a former self that a backup has replaced, or a
    // copy of this store, may have told the others of it, and nothing here shows whether there is one.
    let slot = try known ?? cells.objects.obtain(syncID, root: entity.root)
    // A row has the identifier by now: if it is another one, the object is that; if it came under the key of the one that was deleted,
    // it is yet to be said.
    let holder = try cells[slot].row.flatMap { row in
      try store.checkedIdentity(of: row, below: cells.names.root(of: entity).name)?.syncID == syncID
        ? row : nil
    }
    // Of two rows that turned out to be of one object, either may be deleted.
    let isOther = holder != nil && holder != touched.row
    if isOther, !isSurplus(touched) { return }
    guard let stamp = try deletionStamp(time, of: slot) else { return }
    if let holder, isOther { try noteSurplus(holder, of: slot) }
    if !cells[slot].entity.isKnown { cells[slot].entity = entity.number }
    if cells[slot].row == touched.row || cells[slot].row == nil {
      cells[slot].row = holder
      try cells.parked.removeAll(of: cells[slot].id)
    }
    frozen.unshown.freed.formUnion(try cells.contests.take(from: cells[slot].id))
    if entity.hasUniqueValues { frozen.unshown.mayFreeValues = true }
    if try cells.contributions.erase(cells[slot].id, through: stamp) { noteContributions(to: slot) }
    cells[slot].delete(at: stamp)
    try noteDangling(touched.row, of: slot)
    builder.append(.delete, to: syncID, builder.index(of: entity), at: stamp.time)
  }

  /// Lets the row that shows a deleted object go.
  private func noteSurplus(_ row: RowNumber, of slot: Slot) throws {
    let record = cells[slot]
    try SurplusRows(cells.connection, cells.authors).note([
      SurplusRow(record: record.id, entity: record.entity, row: row)
    ])
    surplus.insert(ChangeLog.Row(entity: record.entity, row: row))
    try cells.parked.removeAll(of: record.id)
  }

  private func noteDangling(_ row: RowNumber, of slot: Slot) throws {
    let root = cells.names[cells[slot].root]
    // Another object may be shown under the key by now, and what leads to the row is its own.
    guard try store.checkedIdentity(of: row, below: root.name) == nil else { return }
    for reference in try reader.references(to: row, below: root.number) {
      frozen.dangling.append((reference.holder, reference.property.bit, target: slot))
    }
  }

  private func noteContributions(to slot: Slot) {
    for bit in cells.entity(of: slot).foldedBits {
      frozen.unshown.contributed.insert(RegisterID(object: cells[slot].id, bit: bit))
    }
  }

  /// What happened to a row, with its insertion, if that has still to be said: everything else that is said of the row comes
  /// after. Without it, if it has been said.
  private func withInsertion(_ touched: TouchedRows.Row) throws -> TouchedRows.Row {
    let entity = cells.names[touched.entity]
    let isBeyondFrontier = touched.row > frontier(of: entity)
    guard isBeyondFrontier || touched.insertion != nil, !isSurplus(touched) else { return touched }
    let root = cells.names.root(of: entity)
    guard let syncID = try store.checkedIdentity(of: touched.row, below: root.name)?.syncID else {
      return touched
    }
    var touched = touched
    let record = try cells.objects.find(syncID, root: root.number).map { cells[$0] }
    if let record, record.row == touched.row {
      guard record.lives else { return touched }
      if isBeyondFrontier {
        touched.insertion = nil
      } else if record.inserted.author == author, let time = touched.insertion {
        // A slice of the log that mentions the row may have said it, and moved the frontier beyond it, before the insertion came in the log. Or
        // somebody has replaced the row.
        touched.insertion = nil
        for property in entity.localProperties where property.isRegister {
          touched.writes[property.bit] = touched.writes[property.bit] ?? time
        }
      }
    } else if isBeyondFrontier, touched.insertion == nil, let first = touched.writes.values.min() {
      touched.insertion = first
      let isIdentifiedBefore = identifierStamp(of: syncID).time <= first
      touched.writes = touched.writes.filter { $0.value > first || !isIdentifiedBefore }
    }
    return touched
  }

  /// Whether another row shows the object, and tells of what entity it is.
  private func isSurplus(_ touched: TouchedRows.Row) -> Bool {
    surplus.contains(ChangeLog.Row(entity: touched.entity, row: touched.row))
  }

  /// What a row says, by how it travels.
  private struct Contents {
    var inserted: [Register] = []
    var insertedBits: [PropertyBit] = []
    var updated: [LogicalTime: [Register]] = [:]
    var cleared: [LogicalTime: [Register]] = [:]
    var contributed: [(property: KnownProperty, value: AttributeValue)] = []
  }

  /// Adds what was written to a row, and its insertion if it is new.
  func freezeContents(of touched: TouchedRows.Row) throws {
    let entity = cells.names[touched.entity]
    guard let local = entity.local else { return }
    // A group is said as a whole, with the time of the last write of one of its properties.
    let grouped = entity.groups.isEmpty ? touched : Self.withGroups(touched, of: entity)
    var writes = grouped.writes
    let properties = entity.localProperties.filter {
      $0.isRegister && (touched.insertion != nil || writes[$0.bit] != nil)
    }
    // A row that is gone by now has its deletion further on in the log.
    guard
      let stored = try store.readRow(
        RowReference(entity: local, row: touched.row), properties.compactMap(\.local)),
      let syncID = stored.syncID
    else { return }

    let slot = try cells.objects.obtain(syncID, root: entity.root)
    // What a row shows that nobody recorded is nobody's contribution. Two devices may have begun with the same row.
    let showsBase = touched.isAdopted || touched.insertion == nil && !cells[slot].lives
    let isSurplus = isSurplus(touched)
    if !isSurplus {
      cells[slot].entity = touched.entity
      cells[slot].row = touched.row
    }
    guard let moment = try moment(of: grouped, slot) else { return }
    let insertion = moment.insertion
    writes = moment.writes
    let index = builder.index(of: entity)
    let wholeGroups = Self.wholeGroups(of: properties, stored.contents, in: entity)
    var contents = Contents()
    for (property, shown) in zip(properties, stored.contents) {
      let bit = property.bit
      // Sums apart, it does no harm if two say the same.
      if property.isFolded, !showsBase || property.merge != .counter {
        if case .value(let value) = shown { contents.contributed.append((property, value)) }
        continue
      }
      let isWritten = touched.writes[bit] != nil
      // Another program may leave null where the model admits none.
      if shown == .value(.null), !property.blank.isNull {
        frozen.empty.append((slot, bit, isWritten: isWritten))
      }
      let isGrouped = !isWritten && writes[bit] != nil
      let hidden = isWritten ? hidden[RegisterID(object: cells[slot].id, bit: bit)] : nil
      guard
        let content = try hidden.map(outOfLine)
          ?? sayable(shown, of: slot, property, isWritten: isWritten, isGrouped: isGrouped)
          ?? cleared(slot, property, isWritten: isWritten || insertion != nil && !touched.isAdopted)
      else {
        try noteUnreadable(slot, property)
        continue
      }
      let register = Register(property: builder.index(of: property, in: index), content: content)
      if property.isExclusive || property.isPartner, case .target(_?) = content {
        frozen.unshown.claims.append(RegisterID(object: cells[slot].id, bit: bit))
      }
      if let time = isWritten ? writes[bit] : insertion {
        try noteOrder(slot, property, content, at: time)
      }
      if let time = writes[bit] {
        if grouped.cleared.contains(bit) {
          contents.cleared[time, default: []].append(register)
        } else {
          contents.updated[time, default: []].append(register)
        }
        let stamp = Stamp(time: time, author: author)
        if isWritten, !isSurplus { try noteConflict(of: content, at: stamp, slot, property) }
        try noteWrite(of: slot, property, at: stamp, isWritten: isWritten)
        if let hidden {
          try keepAside(hidden, of: slot, property, isHidden: true)
        } else if isSurplus {
          try keepAside(content, of: slot, property)
        }
      } else if !content.isAbsent || wholeGroups.contains(bit) {
        contents.inserted.append(register)
        contents.insertedBits.append(bit)
      }
    }
    let isBack = insertion != nil && cells[slot].deleted != .zero
    try append(contents, insertion, writes, slot, index)
    if isBack, let insertion {
      try freezeLinks(of: RowReference(entity: local, row: touched.row), slot, at: insertion)
    }
  }

  /// What a set says of a register that shows something in a row; `nil` if that cannot be read now, which is not null.
  private func sayable(
    _ shown: StoredContent, of slot: Slot, _ property: KnownProperty, isWritten: Bool, isGrouped: Bool
  ) throws -> Register.Content? {
    // Another property of its group was written. The row may show less than the cell holds.
    let present =
      isGrouped
      ? try reader.content(of: cells[slot], property.bit) : try reader.content(shown, of: property)
    guard let present else { return nil }
    if property.isFolded { return try keepBase(present, of: slot, property, isUnwritten: !isWritten) }
    return try outOfLine(present)
  }

  /// What a set says of a relationship that the user wrote and that leads to a row which is gone: the target was deleted
  /// while the relationship was not saved yet, and what the row showed before is known to nobody here.
  private func cleared(_ slot: Slot, _ property: KnownProperty, isWritten: Bool) -> Register.Content? {
    guard isWritten, !property.isAttribute else { return nil }
    frozen.cleared.append((slot, property.bit))
    return .target(nil)
  }

  /// Notes for the next report that the user wrote over something that the local model cannot hold, and so did not see.
  private func noteConflict(
    of content: Register.Content, at stamp: Stamp, _ slot: Slot, _ property: KnownProperty
  ) throws {
    let (record, entity) = (cells[slot], cells.entity(of: slot))
    let remote = record.stamp(of: property.bit)
    guard record.hasTraces, property.isAttribute, remote.author != author, stamp > remote,
      let kept = try cells.parked.value(of: RegisterID(object: record.id, bit: property.bit)),
      reader.isUnholdable(kept, property, in: entity)
    else { return }
    let conflict = SettledConflicts.Entry(
      outcome: .local, entity: entity.name, object: record.syncID, key: property.name, isAttribute: true,
      local: .wrote(content), localStamp: stamp, remote: .wrote(kept), remoteStamp: remote,
      remoteClient: cells.authors.client(of: remote.author))
    try SettledConflicts(cells.state).insert([conflict])
  }

  private func noteWrite(of slot: Slot, _ property: KnownProperty, at stamp: Stamp, isWritten: Bool) throws {
    cells[slot].write(property.bit, at: stamp)
    if property.isExclusive {
      frozen.unshown.freed.formUnion(try cells.contests.take(from: cells[slot].id, property.bit))
    }
    if property.isUnique {
      frozen.unshown.mayFreeValues = true
      if cells[slot].hasTraces { frozen.unshown.renewed.insert(cells[slot].id) }
    }
    if cells[slot].hasTraces, isWritten, !property.isFolded {
      try cells.parked.removeTarget(of: cells[slot].id, property.bit)
      try cells.parked.removeValue(of: cells[slot].id, property.bit)
    }
  }

  /// Keeps aside what was written to a row of an object that another row shows.
  ///
  /// - Parameter isHidden: whether the row of the object could not show it; it claims anew what another object shows.
  private func keepAside(
    _ content: Register.Content, of slot: Slot, _ property: KnownProperty, isHidden: Bool = false
  ) throws {
    cells[slot].hasTraces = true
    if isHidden { frozen.unshown.claims.append(RegisterID(object: cells[slot].id, bit: property.bit)) }
    switch content {
    case .value, .longValue:
      try cells.parked.park(
        content, of: cells[slot].id, property.bit, isContested: isHidden && property.isUnique)
    case .target(let target):
      guard let target, let member = try cells.target(target, of: property) else { return }
      try cells.parked.park(target: cells[member].id, of: cells[slot].id, property.bit)
    }
  }

  private func append(
    _ contents: Contents, _ insertion: LogicalTime?, _ writes: [PropertyBit: LogicalTime], _ slot: Slot,
    _ index: ChangeSet.EntityIndex
  ) throws {
    let syncID = cells[slot].syncID
    if let time = insertion {
      cells[slot].insert(at: Stamp(time: time, author: author), writing: contents.insertedBits)
      try forgetWhatWaits(for: contents.insertedBits, of: slot)
      builder.append(.insert(contents.inserted), to: syncID, index, at: time)
    }
    for (time, registers) in contents.updated.sorted(by: { $0.key < $1.key }) {
      builder.append(.update(registers), to: syncID, index, at: time)
    }
    for (time, registers) in contents.cleared.sorted(by: { $0.key < $1.key }) {
      builder.append(.clear(registers), to: syncID, index, at: time)
    }
    for (property, value) in contents.contributed {
      guard let time = writes[property.bit] ?? insertion else { continue }
      try freezeContribution(of: value, toNew: insertion != nil, slot, property, at: time, index)
    }
    if insertion != nil && cells[slot].hasTraces { frozen.unshown.inserted.append(cells[slot].id) }
  }

  /// Forgets what was written before an insertion to what it writes, before something that waited for another object shows it.
  private func forgetWhatWaits(for bits: [PropertyBit], of slot: Slot) throws {
    let record = cells[slot]
    guard record.hasTraces else { return }
    for bit in bits where record.stamp(of: bit) == record.inserted {
      if try cells.property(bit, of: slot).isFolded { continue }
      try cells.parked.removeTarget(of: record.id, bit)
      try cells.parked.removeValue(of: record.id, bit)
    }
  }

  /// A write of one property of a group says all of them. What a delete rule alone has cleared is no write of any of them.
  private static func withGroups(_ touched: TouchedRows.Row, of entity: KnownEntity) -> TouchedRows.Row {
    var touched = touched
    for bits in entity.groups.values {
      let written = bits.filter { touched.writes[$0] != nil }
      let byUser = written.filter { !touched.cleared.contains($0) }
      guard let last = (byUser.isEmpty ? written : byUser).compactMap({ touched.writes[$0] }).max() else {
        continue
      }
      for bit in bits { touched.writes[bit] = last }
      if byUser.isEmpty { touched.cleared.formUnion(bits) } else { touched.cleared.subtract(bits) }
    }
    return touched
  }

  /// The properties of those groups of which an insertion has something to say.
  private static func wholeGroups(
    of properties: [KnownProperty], _ contents: [StoredContent], in entity: KnownEntity
  ) -> Set<PropertyBit> {
    guard !entity.groups.isEmpty else { return [] }
    let present = zip(properties, contents).filter { $1 != .value(.null) && $1 != .target(nil) }.map(\.0.bit)
    return Set(entity.groups.values.filter { !Set($0).isDisjoint(with: present) }.joined())
  }
}

extension Register.Content {
  var isAbsent: Bool {
    switch self {
    case .value(.null), .target(nil): true
    default: false
    }
  }
}
