/// When something is said to have happened.
///
/// The clock has followed whatever was merged, so what the user does next is later than all that he knows, but for two things: times
/// from ``HybridLogicalClock/far`` on, which nobody follows, and insertions that no log mentions, whose identifiers may tell of a time
/// when the wall clock was ahead. What is said of a cell after these is stamped right after them, so that the user's edit wins
/// everywhere and not only here. The clock itself stays where it is: no edit of one cell takes time away from others.
extension Freezing {
  /// When a row was inserted and its registers were written.
  struct Moment {
    var insertion: LogicalTime?
    var writes: [PropertyBit: LogicalTime]
  }

  /// When the user wrote a cell of which something is known already; `nil`, and noted, if no later time is left.
  func stamp(_ time: LogicalTime, after known: Stamp, of slot: Slot, _ property: KnownProperty? = nil) throws
    -> Stamp?
  {
    let stamp = Stamp(time: time, author: author)
    // What a copy without a history holds comes before everything, whatever is known.
    guard stamp <= known, time != Adoption.earliest else { return stamp }
    let next = Stamp(time: min(known.time.next, .latest), author: author)
    if next > known { return next }
    try UnsaidTable(cells.state).insert(
      UnsaidTable.Entry(
        kind: .noLaterTime, entity: cells.entity(of: slot).name, object: cells[slot].syncID,
        key: property?.name))
    return nil
  }

  /// When the user deleted an object: after all that is known of it, and after what another copy of this store can say of its insertion;
  /// where a register bears a time that leaves none, after its insertion, for that decides whether it lives. What was written later is
  /// kept aside.
  func deletionStamp(_ time: LogicalTime, of slot: Slot) throws -> Stamp? {
    let latest = max(cells[slot].latest, identifierStamp(of: cells[slot].syncID))
    let isLeft = Stamp(time: min(latest.time.next, .latest), author: author) > latest
    return try stamp(time, after: isLeft ? latest : max(cells[slot].inserted, cells[slot].deleted), of: slot)
  }

  /// When what happened to a row has happened; `nil`, and noted, if no later time is left than what is known of its object.
  func moment(of touched: TouchedRows.Row, _ slot: Slot) throws -> Moment? {
    let writes = touched.writes
    var moment = Moment(insertion: touched.insertion, writes: writes)
    var known = cells[slot].latest
    if let insertion = touched.insertion {
      guard let stamp = try stamp(insertion, after: known, of: slot) else { return nil }
      moment.insertion = stamp.time
    }
    if !writes.isEmpty { known = max(known, identifierStamp(of: cells[slot].syncID)) }
    for (bit, written) in writes {
      if touched.cleared.contains(bit) {
        guard let stamp = try clearingStamp(written, moment.insertion, slot, bit) else { return nil }
        moment.writes[bit] = stamp.time
        continue
      }
      // A deletion between the two would take the value away and leave the object.
      let time = max(written, moment.insertion ?? written)
      guard let stamp = try stamp(time, after: known, of: slot) else { return nil }
      moment.writes[bit] = stamp.time
    }
    return moment
  }

  /// When a delete rule cleared a relationship: right after what it cleared was written, not when the target was deleted. Whoever has given the
  /// relationship another target meanwhile, and did not know of the deletion, keeps that.
  private func clearingStamp(_ time: LogicalTime, _ insertion: LogicalTime?, _ slot: Slot, _ bit: PropertyBit)
    throws -> Stamp?
  {
    let record = cells[slot]
    let group = cells.entity(of: slot).groups.values.first { $0.contains(bit) } ?? [bit]
    var known = max(record.inserted, record.deleted, identifierStamp(of: record.syncID))
    for bit in group { known = max(known, record.stamp(of: bit)) }
    if let insertion { known = max(known, Stamp(time: insertion, author: author)) }
    guard let stamp = try stamp(known == .zero ? time : min(time, known.time.next), after: known, of: slot)
    else { return nil }
    if taking == nil {
      try cells.clearings.insert(RegisterID(object: record.id, bit: bit), at: stamp.time)
    }
    return stamp
  }

  /// The latest at which any copy of the store that inserted an object can say so: no edit of it is earlier.
  ///
  /// A copy that was made before the insertion was said, or a former self that a backup has replaced, says it at the time that the identifier
  /// tells, which may be ahead of what wall clocks say and of what was said already.
  func identifierStamp(of syncID: SyncID) -> Stamp {
    guard let time = syncID.milliseconds.map(LogicalTime.init(milliseconds:)),
      time < HybridLogicalClock.far
    else { return .zero }
    return Stamp(time: time, author: author)
  }
}
