import ObjectStore
import TICDSSQLite

/// What the remote does not have yet, and what the layer above remembers of it.
extension Replica {
  /// The own sets that the remote is not known to have, in order.
  package func outbox() throws -> [FrozenSet] { try Outbox(connection).sets(of: author) }

  /// Seals own sets that were made without the document, by who takes a merge back or makes sets by himself before a program has opened it.
  ///
  /// Their bytes change, and with them the chain of this author: that is for sets which are nowhere else, for what is not sealed is never
  /// uploaded, nor is what comes after it.
  /// - Parameter isSealed: whether a set is in the form that is uploaded.
  /// - Returns: whether all are sealed now; not if one that is sealed comes after one that is not, nor if one is sealed for something else.
  package func sealOutbox(_ isSealed: (FrozenSet) -> Bool) throws -> Bool {
    guard try outbox().contains(where: { !isSealed($0) }) else { return true }
    return try begin { transaction in
      let outbox = Outbox(connection)
      let author = try author
      let open = try outbox.sets(of: author).drop(while: isSealed)
      guard let first = open.first else { return true }
      if open.contains(where: isSealed) { return false }
      let sets: [ChangeSet]
      do throws(CodecError) {
        sets = try open.map { (frozen) throws(CodecError) in
          try configuration.codec.decode(frozen.bytes, limit: SetLimits.bodySize)
        }
      } catch {
        return false
      }
      let authors = transaction.cells.authors
      try authors.removeSets(of: author, after: first.sequence - 1)
      var chain: ContentHash?
      for var set in sets {
        if let chain { set.previous = chain }
        let bytes = try sealing(try configuration.codec.encode(set), author, set.sequence)
        let hash = ContentHash(of: bytes)
        try outbox.replace(set.sequence, with: bytes, hash)
        try authors.insert(hash, set)
        try transaction.cells.authors.advance(author, to: set.sequence, chain: hash)
        chain = hash
      }
      return true
    }
  }

  /// Notes that the remote has the own sets up to a sequence number; they leave the outbox.
  package func acknowledge(through sequence: UInt64) throws {
    try begin { transaction in
      let outbox = Outbox(connection)
      guard let last = try outbox.last(through: sequence) else { return }
      let state = transaction.cells.state
      try state.setInteger(.pushed, last.sequence)
      if let hash = last.hash { try state.set(.pushedHash, .blob(hash.bytes)) }
      try state.setTime(.pushedTime, last.latest)
      try SentSets(connection).insert(
        through: sequence, of: try state.author, budget: configuration.keptBytes)
      try outbox.remove(through: sequence)
      if try outbox.isEmpty { try ClearingTable.removeAll(connection) }
      if try outbox.isEmpty, try !ChangeLog.hasEntries(connection, through: last.latest) {
        try state.insert(.pushedInFull)
      } else {
        try state.remove(.pushedInFull)
      }
    }
  }

  /// The last own set that the remote is known to have.
  package var pushedSequence: UInt64 {
    get throws { try state.integer(.pushed) }
  }

  /// Hash of the file of the last own set that the remote is known to have.
  package var pushedHash: ContentHash? {
    get throws { try state.hash(.pushedHash) }
  }

  /// A small durable value of the layer above, committed like everything else; `nil` removes it.
  package func setRemoteState(_ name: String, _ value: [UInt8]?) throws {
    if let value {
      try state.set(.remote(name), .blob(value))
    } else {
      try state.remove(.remote(name))
    }
  }

  /// A value stored by ``setRemoteState(_:_:)``.
  package func remoteState(_ name: String) throws -> [UInt8]? {
    guard case .blob(let bytes)? = try state.value(.remote(name)) else { return nil }
    return bytes
  }

  // MARK: Long values

  /// Hashes of the long values that sets in the outbox mention, each once. They must be on the remote before those sets.
  package func unsentLongValues() throws -> [ContentHash] { try Outbox(connection).longValues() }

  /// The bytes of one of ``unsentLongValues()``; `nil` if it is none of them any more.
  package func unsentLongValue(_ hash: ContentHash) throws -> [UInt8]? {
    try Outbox(connection).longValue(hash)
  }

  /// The long values that merged sets mention and that have not arrived, each once.
  ///
  /// Their registers are decided like all others. Until the value arrives, the row shows what it showed before: nothing, if
  /// the object is new. Of an object that was deleted nothing is awaited: who brings it back says its values anew.
  package func awaitedLongValues() throws -> [LongValue] {
    try connection.transaction(.deferred) {
      let awaited = try ParkedTable(connection: connection).awaited()
      guard !awaited.isEmpty else { return [] }
      let cells = try Cells(connection: connection, schema: store.schema)
      var seen: Set<LongValue> = []
      return try awaited.filter { register, value in
        let record = try cells.objects[register.object]
        let mayLive = record.lives || record.inserted == .zero && record.deleted == .zero
        return mayLive && seen.insert(value).inserted
      }.map(\.value)
    }
  }

  /// Shows long values that have arrived after the sets that mention them. One durable transaction.
  ///
  /// What the user wrote meanwhile is made into sets first, and stays.
  /// - Parameter values: what could be fetched. A value that no register waits for has no effect.
  /// - Returns: the rows that show something new.
  @discardableResult
  package func receive(_ values: FetchedLongValues) throws -> ChangedRows {
    guard !values.isEmpty else { return ChangedRows() }
    return try withIdentifiedRows { identified in
      try begin { transaction in
        try freezeLog(in: transaction, identified)
        let (cells, showing) = (transaction.cells, transaction.showing)
        for (register, reference) in try cells.parked.awaited() {
          guard let value = values[reference] else { continue }
          let slot = try cells.objects.slot(register.object)
          let win = Win(bit: register.bit, content: .value(value))
          if cells[slot].row == nil {
            try showing.park([win], of: slot)
          } else {
            try showing.writeRow(slot, [win])
          }
        }
        try showing.settle()
        return showing.rows.changes
      }
    }
  }
}
