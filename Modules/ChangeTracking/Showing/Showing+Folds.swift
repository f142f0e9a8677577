import ObjectStore

/// Counters, and properties that show the greatest or smallest value.
///
/// What the row shows is folded from the contributions and a *base*: the register that was written before the model declared
/// the merge, or by a device whose model does not. The base is kept in `TICDS_VALUE`, never in the row.
extension Showing {
  /// Notes that the folded properties of an object may show something else.
  func noteFolds(of slot: Slot) {
    for bit in cells.entity(of: slot).foldedBits {
      unfolded.insert(RegisterID(object: cells[slot].id, bit: bit))
    }
  }

  /// Brings the rows of noted properties up to date.
  func showFolds() throws {
    let registers = unfolded
    unfolded = []
    for register in registers {
      let record = try cells.objects[register.object]
      let property = try cells.entity(of: record).property(register.bit)
      guard property.isFolded, let row = reader.row(of: record), let position = property.local else {
        continue
      }
      let value = try reader.folded(record, property).shown
      let present = try store.readRow(row, [position])?.contents.first
      if present == nil || present == .value(value) { continue }
      try rows.update(row, values: [PropertyValue(property: position, value: value)])
    }
  }

  // MARK: Declared later

  /// Prepares cells for merges that the model declares since it was last opened: what rows show becomes the base.
  ///
  /// Only while the log is empty, for what is in it was written under the former merge.
  func adoptMergeKinds() throws {
    for entity in cells.names.entities {
      for property in entity.properties where property.hasUnadoptedMerge {
        let isFolded = property.declaredMerge.isFolded
        let objects = try cells.objects.shown(entity.number)
        if isFolded, !property.merge.isFolded { try keepBases(of: objects, property.bit) }
        try cells.names.adoptMerge(of: property.bit, in: entity.number)
        if isFolded {
          for id in objects { unfolded.insert(RegisterID(object: id, bit: property.bit)) }
        } else {
          try showBases(of: objects, property)
        }
      }
    }
  }

  private func keepBases(of objects: [RecordID], _ bit: PropertyBit) throws {
    for id in objects {
      let slot = try cells.objects.slot(id)
      guard cells[slot].isWritten(bit), let content = try reader.content(of: cells[slot], bit) else {
        continue
      }
      try park([Win(bit: bit, content: content)], of: slot)
    }
  }

  /// For a property that is merged by folding no more: what was contributed is not shown.
  private func showBases(of objects: [RecordID], _ property: KnownProperty) throws {
    for id in objects {
      let base = try cells.parked.value(of: RegisterID(object: id, bit: property.bit))
      try writeRow(
        cells.objects.slot(id), [Win(bit: property.bit, content: base ?? .value(property.blank))])
    }
  }
}
