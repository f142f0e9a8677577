import ObjectStore

/// What is said of counters, and of properties that show the greatest or smallest value.
extension Freezing {
  /// Turns a written value into a contribution, if it says something that the cells do not.
  ///
  /// - Parameter isNew: Whether the user has inserted the object: what he saw before was the initial value, even if the
  ///   cells hold what outlasted a deletion.
  func freezeContribution(
    of written: AttributeValue, toNew isNew: Bool, _ slot: Slot, _ property: KnownProperty,
    at time: LogicalTime, _ index: ChangeSet.EntityIndex
  ) throws {
    let register = RegisterID(object: cells[slot].id, bit: property.bit)
    let present = try reader.folded(cells[slot], property)
    frozen.unshown.contributed.insert(register)
    cells[slot].hasTraces = true
    let contribution = present.fold.contribution(
      of: written, shown: isNew ? property.initialValue : present.shown, isFirst: isNew || present.isFirst)
    // Of equal contributions of one time only one would count.
    let latest =
      time < HybridLogicalClock.far ? nil : try cells.contributions.latest(to: register, by: author)
    guard let contribution,
      let stamp = try stamp(time, after: latest ?? .zero, of: slot, property),
      try cells.add(
        Contribution(origin: stamp, value: contribution), to: slot, property.bit, writer: author)
    else { return }
    builder.append(
      .contribute(property: builder.index(of: property, in: index), value: contribution, origin: nil),
      to: cells[slot].syncID, index, at: stamp.time)
  }

  /// Keeps what a row shows that nobody recorded as the base, unless one was kept before.
  ///
  /// - Returns: the base.
  func keepBase(_ content: Register.Content, of slot: Slot, _ property: KnownProperty, isUnwritten: Bool)
    throws
    -> Register.Content?
  {
    let record = cells[slot]
    frozen.unshown.contributed.insert(RegisterID(object: record.id, bit: property.bit))
    if isUnwritten, record.isWritten(property.bit) { return try reader.content(of: record, property.bit) }
    if content.isAbsent {
      try cells.parked.removeValue(of: record.id, property.bit)
    } else {
      cells[slot].hasTraces = true
      try cells.parked.park(content, of: record.id, property.bit)
    }
    return content
  }
}
