import SQLite

extension Replica {
  /// The own sets that the remote is not known to have, in order.
  public func outbox() throws -> [FrozenSet] {
    let author = try author
    let statement = try connection.cached(
      "SELECT sequence, hash, changes, bytes FROM TICDS_OUTBOX ORDER BY sequence")
    var sets: [FrozenSet] = []
    while try statement.step() {
      guard let hash = ContentHash(bytes: statement.blob(1)) else {
        throw ReplicaError.damagedBookkeeping(path: connection.path, "A set in the outbox has no valid hash.")
      }
      sets.append(
        FrozenSet(
          author: author, sequence: UInt64(bitPattern: statement.int64(0)), hash: hash,
          changeCount: Int(statement.int64(2)), bytes: statement.blob(3)))
    }
    return sets
  }

  /// Notes that the remote has the own sets up to a sequence number; they leave the outbox.
  public func acknowledge(through sequence: UInt64) throws {
    try begin {
      let statement = try connection.cached(
        "SELECT sequence, hash, latest FROM TICDS_OUTBOX WHERE sequence <= ? ORDER BY sequence DESC LIMIT 1")
      try statement.bind(Int64(bitPattern: sequence), at: 1)
      guard try statement.step() else { return }
      let last = (statement.value(0), statement.value(1), statement.value(2))
      statement.reset()
      try state.set("pushed", last.0)
      try state.set("pushedHash", last.1)
      try state.set("pushedTime", last.2)
      try connection.run(
        "DELETE FROM TICDS_OUTBOX WHERE sequence <= ?", .integer(Int64(bitPattern: sequence)))
      try connection.run(
        "DELETE FROM TICDS_LONGVALUE WHERE sequence <= ?", .integer(Int64(bitPattern: sequence)))
    }
  }
}

extension Replica {
  /// A small durable value of the layer above, committed like everything else; `nil` removes it.
  public func setRemoteState(_ name: String, _ value: [UInt8]?) throws {
    if let value {
      try state.set("remote." + name, .blob(value))
    } else {
      try state.remove("remote." + name)
    }
  }

  /// A value stored by ``setRemoteState(_:_:)``.
  public func remoteState(_ name: String) throws -> [UInt8]? {
    guard case .blob(let bytes)? = try state.value("remote." + name) else { return nil }
    return bytes
  }

  /// Where the replica stands.
  public func status() throws -> ReplicaStatus {
    let outbox = try connection.first("SELECT coalesce(sum(changes), 0) FROM TICDS_OUTBOX")
    var frozen = 0
    if case .integer(let count)? = outbox { frozen = Int(count) }
    let own = try author
    return ReplicaStatus(
      author: own, pendingObjects: try pendingObjectCount(), frozenChanges: frozen,
      parked: try parked.count(),
      applied: authors.authors.dropFirst().filter { $0.id != own }.map {
        ReplicaStatus.Applied(author: $0.id, client: $0.client, sequence: $0.sequence)
      })
  }

  private func pendingObjectCount() throws -> Int {
    var pending = try ChangeLog.rows(connection)
    var scan = try InsertionScan(self)
    while !scan.isAtEnd {
      for insertion in try scan.next(through: nil, limit: 1_000) {
        pending.insert(ChangeLog.Row(entity: insertion.entity, row: insertion.row))
      }
    }
    return pending.count
  }
}

/// Where a replica stands.
public struct ReplicaStatus: Sendable {
  /// What has been applied of one author.
  public struct Applied: Sendable {
    /// The author.
    public var author: AuthorID
    /// Identifier of its client.
    public var client: String
    /// The last applied set.
    public var sequence: UInt64
  }

  /// The author of new sets.
  public var author: AuthorID
  /// Objects with changes that are in no set yet.
  public var pendingObjects: Int
  /// Changes in sets that the remote is not known to have.
  public var frozenChanges: Int
  /// Registers kept aside because nothing can show them now.
  public var parked: Int
  /// What has been applied of others.
  public var applied: [Applied]

  /// Whether everything that was saved has reached the remote.
  public var isPushed: Bool { pendingObjects == 0 && frozenChanges == 0 }
}
