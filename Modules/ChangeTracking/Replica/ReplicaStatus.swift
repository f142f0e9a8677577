import ObjectStore
import TICDSSQLite

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
  /// Rows that have the sync ID of another one. The next ``Replica/freeze()`` makes objects of their own of them.
  public var sharedIdentifiers: Int
  /// What has been applied of others.
  public var applied: [Applied]

  /// Whether everything that was saved has reached the remote.
  public var isPushed: Bool { pendingObjects == 0 && frozenChanges == 0 }
}

extension Replica {
  /// Where the replica stands.
  public func status() throws -> ReplicaStatus {
    let own = try author
    return ReplicaStatus(
      author: own, pendingObjects: try pendingObjectCount(),
      frozenChanges: try Outbox(connection).changeCount(),
      parked: try ParkedTable(connection: connection).count(),
      sharedIdentifiers: try sharedIdentifierCount(),
      applied: try authors().authors.filter { $0.id != own }.map {
        ReplicaStatus.Applied(author: $0.id, client: $0.client, sequence: $0.sequence)
      })
  }

  private func sharedIdentifierCount() throws -> Int {
    let frontiers = try Frontiers(of: store)
    let isChecked = try state.contains(.distinct)
    return try store.schema.localEntities.reduce(0) { count, entity in
      try count
        + store.rowsRepeatingSyncIDs(entity, after: isChecked ? frontiers[entity] : .none, through: .last)
        .count
    }
  }

  private func pendingObjectCount() throws -> Int {
    var pending = try ChangeLog.rows(connection)
    let cells = try Cells(connection: connection, schema: store.schema)
    let now = try ChangeLog.nextTime(connection, now: configuration.now())
    var scan = try InsertionScan(RegisterReader(cells: cells, store: store), now: now)
    while !scan.isAtEnd {
      for insertion in try scan.next(through: nil, limit: 1_000) {
        pending.insert(ChangeLog.Row(entity: insertion.entity, row: insertion.row))
      }
    }
    return pending.count
  }
}
