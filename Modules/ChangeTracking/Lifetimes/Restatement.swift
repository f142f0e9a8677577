import ObjectStore

/// Puts into sets again what is in effect and bears an author's stamps: all of it is unpushed, for the author is new.
extension Freezing {
  func restate() throws {
    for id in try cells.objects.ids(writtenBy: author) {
      try restateObject(cells.objects[id])
      try takeIfMany()
    }
    for cell in try cells.links.cells(writtenBy: author) {
      try restateLink(cell)
      try takeIfMany()
    }
    for cell in try cells.places.cells(writtenBy: author) {
      try append(
        to: cell.pair.source, cell.pair.bit, at: cell.stamp.time, target: cell.pair.target
      ) { .place(property: $0, target: $1, isInverse: cell.pair.isInverse, bytes: cell.key.bytes) }
      try takeIfMany()
    }
    for entry in try cells.contributions.entries(writtenBy: author) {
      let origin = entry.contribution.origin
      let record = try cells.objects[entry.register.object]
      let index = builder.index(of: cells.entity(of: record))
      let property = try cells.entity(of: record).property(entry.register.bit)
      builder.append(
        .contribute(
          property: builder.index(of: property, in: index), value: entry.contribution.value,
          origin: origin.author == author ? nil : origin.author),
        to: record.syncID, index, at: origin.time)
      try takeIfMany()
    }
    try cells.state.remove(.restate)
  }

  /// Where sets are taken at once, they are small, so that memory is bounded.
  private func takeIfMany() throws {
    guard taking != nil, builder.changes.count >= options.setLimit else { return }
    try finish()
    try cells.objects.spill()
  }

  private func restateObject(_ record: ObjectRecord) throws {
    let entity = cells.entity(of: record)
    let index = builder.index(of: entity)
    func register(_ bit: PropertyBit) throws -> Register? {
      guard let content = try reader.content(of: record, bit) else {
        try noteUnreadable(cells.objects.slot(record.id), entity.property(bit))
        return nil
      }
      return Register(
        property: builder.index(of: try entity.property(bit), in: index), content: try outOfLine(content))
    }
    if record.deleted.author == author {
      builder.append(.delete, to: record.syncID, index, at: record.deleted.time)
    }
    // An insertion that was deleted since says nothing to anybody who knows, or will know, of the deletion.
    if record.inserted.author == author, record.lives {
      let registers = try PropertyBit.all(in: record.covered).compactMap(register)
      builder.append(.insert(registers), to: record.syncID, index, at: record.inserted.time)
    }
    for clock in record.clocks where clock.stamp.author == author {
      guard let written = try register(clock.bit) else { continue }
      let isCleared = try cells.clearings.contains(
        RegisterID(object: record.id, bit: clock.bit), at: clock.stamp.time)
      builder.append(
        isCleared ? .clear([written]) : .update([written]), to: record.syncID, index, at: clock.stamp.time)
    }
  }

  private func restateLink(_ cell: LinkTable.Cell) throws {
    let source = try cells.objects[cell.source]
    // What was removed or erased since need not be said: nobody who forgot about it may meet it again.
    guard cell.added > source.deleted || cell.removed > source.deleted else { return }
    if cell.added.author == author, cell.added > cell.removed {
      try append(to: cell.source, cell.bit, at: cell.added.time, target: cell.target) {
        .link(property: $0, target: $1)
      }
    }
    if cell.removed.author == author {
      try append(to: cell.source, cell.bit, at: cell.removed.time, target: cell.target) {
        .unlink(property: $0, target: $1)
      }
    }
  }

  private func append(
    to source: RecordID, _ bit: PropertyBit, at time: LogicalTime, target: RecordID,
    _ action: (ChangeSet.PropertyIndex, SyncID) -> Change.Action
  ) throws {
    let record = try cells.objects[source]
    let entity = cells.entity(of: record)
    let index = builder.index(of: entity)
    let property = builder.index(of: try entity.property(bit), in: index)
    builder.append(action(property, try cells.objects[target].syncID), to: record.syncID, index, at: time)
  }
}
