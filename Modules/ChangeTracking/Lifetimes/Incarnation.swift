import TICDSSQLite

/// The change of a replica to a new author, because another copy of the store goes on under the present one, or the store
/// has been restored from an old copy.
struct Incarnation {
  let showing: Showing
  /// Random bits.
  let random: @Sendable () -> UInt64

  private var cells: Cells { showing.cells }
  private var state: StateTable { cells.state }

  /// What the new author says.
  enum Scope: Equatable {
    /// What the remote is not known to have.
    case unpushed
    /// That, and all that is in effect of what some others wrote.
    case others(Set<AuthorID>)
    /// All that is in effect of what the former author wrote.
    case own
    /// All that is in effect, whoever wrote it.
    case everybody

    fileprivate func includes(_ other: AuthorID) -> Bool {
      switch self {
      case .unpushed, .own: false
      case .others(let authors): authors.contains(other)
      case .everybody: true
      }
    }
  }

  /// Takes a new author. What the remote is not known to have passes to it, with the times it happened at.
  ///
  /// What was in the log must be in the cells, for they tell what the remote does not have.
  func begin(client: String, _ scope: Scope = .unpushed) throws {
    let former = try state.author
    let isPushed = try Outbox(cells.connection).isEmpty
    try takeBackUnpushedSets(of: former)
    let since = scope == .own || scope == .everybody ? .zero : try firstUnpushedTime()
    let others = cells.authors.authors.map(\.id).filter { $0 != former && scope.includes($0) }
    let author = successor(of: former, others)
    try Self.adopt(author, client: client, cells)
    try state.setTime(.pushedTime, .zero)
    try state.remove(.pushedInFull)
    if !isPushed || scope != .unpushed {
      var claims = try restamp(from: former, since: since, to: author)
      for other in others { claims += try restamp(from: other, since: .zero, to: author) }
      try claimAgain(claims)
      try state.insert(.restate)
      try state.insert(.restamped)
    }
    try state.remove(.snapshot)
  }

  /// Lets an author make the new sets.
  static func adopt(_ author: AuthorID, client: String, _ cells: Cells) throws {
    _ = try cells.authors.number(of: author, client: client)
    try cells.state.setInteger(.author, author.bits)
    try cells.state.setInteger(.pushed, 0)
    try cells.state.remove(.pushedHash)
  }

  /// From when on the remote is not known to have what this replica wrote. Of what happened at the time of the last pushed set it may have a part
  /// only, where that was said in several sets.
  private func firstUnpushedTime() throws -> LogicalTime {
    let time = try state.time(.pushedTime)
    return try state.contains(.pushedInFull) ? time.next : time
  }

  /// A new author that is greater than all whose writings it says again.
  ///
  /// Changes at the very time of the last pushed set may have been pushed and are said again, and what others wrote some devices
  /// have and some have not. Since the new author is the greater one, the new stamp is the one that everybody ends with, whether
  /// he has seen the former one or not, and whoever else wrote at that time. Authors are drawn from a small part of what is
  /// above, so that a store may change its author any number of times.
  private func successor(of former: AuthorID, _ others: [AuthorID]) -> AuthorID {
    // Only who makes up an author of his own can have left nothing above it.
    let greatest = ([former] + others).filter { $0.bits < UInt64.max }.max() ?? AuthorID(bits: random() >> 1)
    let space = min(UInt64.max - greatest.bits, 1 << 48)
    return AuthorID(bits: greatest.bits + 1 + random() % space)
  }

  private func takeBackUnpushedSets(of former: AuthorID) throws {
    let pushed = try state.integer(.pushed)
    try Outbox(cells.connection).removeAll()
    try cells.authors.removeSets(of: former, after: pushed)
    guard let known = cells.authors[former], pushed < known.sequence else { return }
    if let chain = try state.hash(.pushedHash) {
      try cells.authors.advance(former, to: pushed, chain: chain)
    } else {
      try cells.authors.forgetSets(of: former)
    }
  }

  /// Passes the cells that only this store has to the new author. If the former self did push them after all, its stamps
  /// come back with its sets, and everybody has both.
  ///
  /// The new stamps are later than those of others at the same times, and all of several authors' are one now. So what is not in effect
  /// keeps its stamp, for nobody is to hear of it; and what ends something else ends it anew, as it will for everybody who hears of it.
  /// - Returns: registers that claim anew what another object may show.
  private func restamp(from former: AuthorID, since: LogicalTime, to author: AuthorID) throws -> [RegisterID]
  {
    func restamped(_ stamp: Stamp) -> Stamp {
      // What was adopted has one time, whenever that was, and says nothing about having been pushed.
      stamp.author == former && (stamp.time >= since || stamp.time == Adoption.earliest)
        ? Stamp(time: stamp.time, author: author) : stamp
    }
    try cells.contributions.pass(from: former, since: since, to: author)
    for cell in try cells.places.cells(writtenBy: former) {
      let (source, target) = (try cells.objects[cell.pair.source], try cells.objects[cell.pair.target])
      guard cell.stamp > max(source.deleted, target.deleted) else { continue }
      var cell = cell
      cell.stamp = restamped(cell.stamp)
      try cells.places.write(cell)
    }
    for cell in try cells.links.cells(writtenBy: former) {
      var cell = cell
      if cell.added <= cell.removed {
        cell.removed = restamped(cell.removed)
      } else if Cells.isInEffect(cell, source: try cells.objects[cell.source]) {
        cell.added = restamped(cell.added)
      }
      try cells.links.write(cell)
    }
    var claims: [RegisterID] = []
    for id in try cells.objects.ids(writtenBy: former) {
      let slot = try cells.objects.slot(id)
      let record = cells[slot]
      if record.lives { cells[slot].inserted = restamped(record.inserted) }
      cells[slot].clocks = try record.clocks.map { clock in
        // What was cleared is said to be as early as what was there before, whenever that was.
        let isCleared =
          try clock.stamp.author == former
          && cells.clearings.contains(RegisterID(object: id, bit: clock.bit), at: clock.stamp.time)
        return RegisterClock(
          bit: clock.bit,
          stamp: isCleared ? Stamp(time: clock.stamp.time, author: author) : restamped(clock.stamp))
      }
      cells[slot].isChanged = true
      if let effect = try cells.delete(slot, at: restamped(record.deleted)) { try showing.show(effect) }
      if record.hasTraces {
        let bits = try cells.parked.targets(of: id).map(\.bit) + cells.parked.contested(of: id)
        claims += bits.map { RegisterID(object: id, bit: $0) }
      }
    }
    return claims
  }

  /// Decides again between claims to one value, or one object, by the new stamps.
  private func claimAgain(_ claims: [RegisterID]) throws {
    for claim in claims {
      guard let slot = try cells.objects.existingSlot(claim.object), cells[slot].row != nil else { continue }
      try showing.settleClaim(slot, claim.bit)
    }
  }
}
