import ObjectStore
import SQLite

/// Values that travel out of line: on their way out they wait beside the outbox, on their way in their registers wait for
/// them.
extension Replica {
  /// Keeps the bytes of a long value for the upload, and gives what the set says instead.
  func outOfLine(_ content: Register.Content) throws -> Register.Content {
    guard configuration.codec.hasLongValues, case .value(let value) = content,
      let (_, bytes) = LongValue.bytes(of: value), let reference = LongValue(value)
    else { return content }
    // The set that is being made. Later sets that say the same move the number on.
    let number = try authors.number(of: try author, client: client)
    try connection.run(
      """
      INSERT INTO TICDS_LONGVALUE VALUES (?, ?, ?)
      ON CONFLICT (hash) DO UPDATE SET sequence = excluded.sequence
      """, .blob(reference.hash.bytes), .integer(Int64(bitPattern: authors.authors[number].sequence + 1)),
      .blob(bytes))
    return .longValue(reference)
  }

  /// Hashes of the long values that sets in the outbox mention, each once. They must be on the remote before those sets.
  public func unsentLongValues() throws -> [ContentHash] {
    let statement = try connection.cached("SELECT hash FROM TICDS_LONGVALUE ORDER BY sequence, hash")
    var hashes: [ContentHash] = []
    while try statement.step() {
      guard let hash = ContentHash(bytes: statement.blob(0)) else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "A long value has no valid hash.")
      }
      hashes.append(hash)
    }
    return hashes
  }

  /// The bytes of one of ``unsentLongValues()``; `nil` if it is none of them any more.
  public func unsentLongValue(_ hash: ContentHash) throws -> [UInt8]? {
    guard
      case .blob(let bytes)? = try connection.first(
        "SELECT bytes FROM TICDS_LONGVALUE WHERE hash = ?", .blob(hash.bytes))
    else { return nil }
    return bytes
  }

  /// The long values that merged sets mention and that have not arrived, each once.
  ///
  /// Their registers are decided like all others. Until the value arrives, the row shows what it showed before: nothing, if
  /// the object is new.
  public func awaitedLongValues() throws -> [LongValue] {
    var seen: Set<LongValue> = []
    return try parked.awaited().map(\.value).filter { seen.insert($0).inserted }
  }

  /// Shows long values that have arrived after the sets that mention them. One durable transaction.
  ///
  /// - Parameters:
  ///   - values: what could be fetched. A value that no register waits for has no effect.
  ///   - sealing: as in ``freeze(sealing:)``; what the user wrote meanwhile is made into sets first, and stays.
  /// - Returns: the rows that show something new.
  @discardableResult
  public func receive(_ values: FetchedLongValues, sealing: Sealing) throws -> ChangedRows {
    guard !values.isEmpty else { return ChangedRows() }
    let changes = try withIdentifiedRows {
      var changes = ChangedRows()
      try begin {
        changes = ChangedRows()
        if try hasUnfrozenChanges { _ = try freezeLog(sealing: sealing, changes: &changes) }
        for register in try parked.awaited() {
          guard let value = values[register.value] else { continue }
          let slot = try objects.slot(id: register.object, authors: authors)
          let win = Win(bit: register.bit, content: .value(value))
          if objects[slot].row == nil {
            try park([win], of: slot)
          } else {
            try writeRow(slot, [win], changes: &changes)
          }
        }
        try settle(changes: &changes)
      }
      return changes
    }
    if !changes.isEmpty { store.announce(changes) }
    return changes
  }
}
