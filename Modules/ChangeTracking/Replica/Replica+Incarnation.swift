import SQLite

extension Replica {
  /// Goes on under a new author, because another copy of the store goes on under the present one, or the store has been
  /// restored from an old copy.
  ///
  /// What the remote is not known to have is said again under the new author, with the times it happened at; the next
  /// ``freeze(sealing:)`` makes the sets, and the next merge reports it (``SyncWarning/Kind/restamped``). What the former self pushed is read like anybody's.
  public func beginNewIncarnation() throws {
    try withIdentifiedRows { try takeNewAuthor() }
  }

  private func takeNewAuthor() throws {
    var changes = ChangedRows()
    try begin {
      changes = ChangedRows()
      // What is still in the log must be in the cells before they tell what the remote does not have. These sets go at
      // once, so they need no sealing.
      _ = try freezeLog(sealing: { plain, _, _ in plain }, changes: &changes)
      let former = try author
      let isPushed = try connection.first("SELECT 1 FROM TICDS_OUTBOX") == nil
      try takeBackUnpushedSets(of: former)
      let since = try pushedTime
      try adopt(successor(of: former))
      try state.setInteger("pushedTime", 0)
      if !isPushed {
        try restamp(from: former, since: since, to: author)
        try state.setInteger("restate", 1)
        try state.setInteger("restamped", 1)
      }
      try removeSnapshotMark()
    }
    if !changes.isEmpty { store.announce(changes) }
  }

  /// A new author that is greater than the former one.
  ///
  /// Changes at the very time of the last pushed set may have been pushed and are said again. Since the new author is the
  /// greater one, the new stamp is the one that everybody ends with, whether he has seen the former one or not.
  private func successor(of former: AuthorID) -> AuthorID {
    let candidate = AuthorID(bits: configuration.random())
    let space = UInt64.max - former.bits
    return space == 0 ? candidate : AuthorID(bits: former.bits + 1 + candidate.bits % space)
  }

  private func takeBackUnpushedSets(of former: AuthorID) throws {
    let number = try authors.number(of: former, client: client)
    let pushed = try pushedSequence
    try connection.run("DELETE FROM TICDS_OUTBOX")
    try connection.run("DELETE FROM TICDS_LONGVALUE")
    try connection.run(
      "DELETE FROM TICDS_SET WHERE author = ? AND sequence > ?", .integer(Int64(number)),
      .integer(Int64(bitPattern: pushed)))
    guard pushed < authors.authors[number].sequence else { return }
    if let chain = try pushedHash {
      try authors.advance(number, to: pushed, chain: chain)
    } else {
      try authors.forget(number)
    }
  }

  /// Gives the cells that only this store has to the new author. If the former self did push them after all, its stamps
  /// come back with its sets, and everybody has both.
  private func restamp(from former: AuthorID, since: LogicalTime, to author: AuthorID) throws {
    func restamped(_ stamp: Stamp) -> Stamp {
      // What was adopted has one time, whenever that was, and says nothing about having been pushed.
      stamp.author == former && (stamp.time >= since || stamp.time == Adoption.earliest)
        ? Stamp(time: stamp.time, author: author) : stamp
    }
    try objects.flush(authors: authors)
    let number = authors.storedNumber(of: former)
    try contributions.pass(from: number, since: since, to: author, authors: authors)
    for cell in try places.cells(writtenBy: number, authors: authors) {
      var cell = cell
      cell.stamp = restamped(cell.stamp)
      try places.write(cell, authors: authors)
    }
    for id in try objects.ids(writtenBy: number) {
      let slot = try objects.slot(id: id, authors: authors)
      let record = objects[slot]
      objects[slot].inserted = restamped(record.inserted)
      objects[slot].deleted = restamped(record.deleted)
      objects[slot].clocks = record.clocks.map { RegisterClock(bit: $0.bit, stamp: restamped($0.stamp)) }
      objects[slot].isChanged = true
    }
    for cell in try links.cells(writtenBy: number, connection: connection, authors: authors) {
      var cell = cell
      cell.added = restamped(cell.added)
      cell.removed = restamped(cell.removed)
      try links.write(cell, authors: authors)
    }
  }

  /// Puts everything that bears the author's stamps into a set: all of it is unpushed, for the author is new.
  func restate(by author: AuthorID, into builder: inout ChangeSetBuilder) throws {
    try objects.flush(authors: authors)
    let number = authors.storedNumber(of: author)
    for id in try objects.ids(writtenBy: number) {
      try restate(objects.slot(id: id, authors: authors), by: author, into: &builder)
    }
    for cell in try links.cells(writtenBy: number, connection: connection, authors: authors) {
      let source = objects[try objects.slot(id: cell.source, authors: authors)]
      let target = objects[try objects.slot(id: cell.target, authors: authors)].syncID
      // What was removed or erased since need not be said: nobody who forgot about it may meet it again.
      guard cell.added > source.deleted || cell.removed > source.deleted else { continue }
      let index = builder.index(of: source.entity, in: names)
      let property = builder.index(of: cell.bit, of: source.entity, at: index, in: names)
      if cell.added.author == author, cell.added > cell.removed {
        builder.append(
          .link(property: property, target: target), to: source.syncID, entity: index, at: cell.added.time)
      }
      if cell.removed.author == author {
        builder.append(
          .unlink(property: property, target: target), to: source.syncID, entity: index, at: cell.removed.time
        )
      }
    }
    try restatePlaces(by: author, into: &builder)
    try restateContributions(by: author, into: &builder)
    try state.remove("restate")
  }

  private func restatePlaces(by author: AuthorID, into builder: inout ChangeSetBuilder) throws {
    for cell in try places.cells(writtenBy: authors.storedNumber(of: author), authors: authors) {
      let source = objects[try objects.slot(id: cell.pair.source, authors: authors)]
      let target = objects[try objects.slot(id: cell.pair.target, authors: authors)].syncID
      let index = builder.index(of: source.entity, in: names)
      let property = builder.index(of: cell.pair.bit, of: source.entity, at: index, in: names)
      builder.append(
        .place(
          property: property, target: target, isInverse: cell.pair.isInverse, bytes: cell.key.bytes),
        to: source.syncID, entity: index, at: cell.stamp.time)
    }
  }

  private func restateContributions(by author: AuthorID, into builder: inout ChangeSetBuilder) throws {
    for entry in try contributions.entries(
      saidBy: authors.storedNumber(of: author), authors: authors)
    {
      let record = objects[try objects.slot(id: entry.object, authors: authors)]
      let index = builder.index(of: record.entity, in: names)
      let origin = entry.contribution.origin
      builder.append(
        .contribute(
          property: builder.index(of: entry.bit, of: record.entity, at: index, in: names),
          value: entry.contribution.value, origin: origin.author == author ? nil : origin.author),
        to: record.syncID, entity: index, at: origin.time)
    }
  }

  private func restate(_ slot: Int, by author: AuthorID, into builder: inout ChangeSetBuilder) throws {
    let record = objects[slot]
    let index = builder.index(of: record.entity, in: names)
    func register(_ bit: Int, _ builder: inout ChangeSetBuilder) throws -> Register {
      Register(
        property: builder.index(of: bit, of: record.entity, at: index, in: names),
        content: try outOfLine(try content(of: slot, bit: bit)))
    }
    if record.deleted.author == author {
      builder.append(.delete, to: record.syncID, entity: index, at: record.deleted.time)
    }
    // An insertion that was deleted since says nothing to anybody who knows, or will know, of the deletion.
    if record.inserted.author == author, record.lives {
      let bits = (0..<64).filter { record.covered & (1 << UInt64($0)) != 0 }
      let registers = try bits.map { try register($0, &builder) }
      builder.append(.insert(registers), to: record.syncID, entity: index, at: record.inserted.time)
    }
    for clock in record.clocks where clock.stamp.author == author {
      let written = try register(clock.bit, &builder)
      builder.append(.update([written]), to: record.syncID, entity: index, at: clock.stamp.time)
    }
  }
}
