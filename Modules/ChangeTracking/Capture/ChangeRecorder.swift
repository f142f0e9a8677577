import TICDSSQLite

/// Records what a transaction of the application writes into a ``LocalStore``.
///
/// For stores of your own; contexts of an object store record by themselves. Write rows and record what you wrote in one transaction of
/// the store's connection, or of another one to the same file, so that there is never data without its change:
///
/// ```swift
/// let recorder = try ChangeRecorder(schema: store.schema, database: store.database)
/// try myDatabase.inTransaction {
///   try myDatabase.execute("UPDATE person SET name = 'Ann' WHERE id = 7")
///   try recorder.recording().update(RowReference(entity: person, row: RowNumber(rawValue: 7)), [name])
/// }
/// ```
/// Values are not copied: a set takes them from the rows. A recorder is confined to the isolation of its connection.
public final class ChangeRecorder {
  private let connection: Connection
  private let schema: SyncSchema
  private let log: ChangeLog
  private let entities: [RecordedEntity]
  private let now: @Sendable () -> UInt64

  /// Prepares to record changes of a store that has a replica.
  ///
  /// - Parameters:
  ///   - schema: what the store can hold.
  ///   - database: the connection that writes the rows: the store's own, or another one to its file.
  ///   - now: the wall clock, in milliseconds since 1970.
  /// - Throws: `SQLiteError`, or ``ReplicaError`` if the bookkeeping is damaged or from a newer version.
  public init(
    schema: SyncSchema, database: SharedDatabase,
    now: @escaping @Sendable () -> UInt64 = WallClock.milliseconds
  ) throws {
    connection = database.connection
    self.schema = schema
    self.now = now
    log = try ChangeLog(connection: connection)
    let names = try NameTable.open(connection: connection, schema: schema)
    entities = schema.localEntities.map {
      RecordedEntity(number: names[$0].number, bits: names[$0].localBits)
    }
  }

  private struct RecordedEntity {
    let number: EntityNumber
    let bits: [PropertyBit]
  }

  /// Takes the time of a transaction. Call it inside of that, and record everything that the transaction writes.
  public func recording() throws -> Recording {
    Recording(recorder: self, time: try ChangeLog.nextTime(connection, now: now()))
  }

  /// What one transaction wrote.
  public struct Recording {
    fileprivate let recorder: ChangeRecorder
    fileprivate let time: LogicalTime

    private func entity(_ row: RowReference) -> EntityNumber { recorder.entities[row.entity.rawValue].number }

    private func bit(_ entity: LocalEntity, _ property: LocalProperty) -> PropertyBit {
      recorder.entities[entity.rawValue].bits[property.rawValue]
    }

    /// A row was added. Whatever the row holds when a set is made counts as written.
    public func insert(_ row: RowReference) throws {
      try recorder.log.appendInsertion(entity: entity(row), row: row.row, time: time)
    }

    /// Attributes or to-one relationships were written.
    public func update(_ row: RowReference, _ properties: [LocalProperty]) throws {
      for property in properties {
        try recorder.log.appendUpdate(
          entity: entity(row), row: row.row, bit: bit(row.entity, property), time: time)
      }
    }

    /// To-one relationships were cleared because their target was removed in this transaction, as `ON DELETE SET NULL` does, or was given to
    /// another row and can have one only. Unlike what the user wrote, it leaves alone what somebody else has given them meanwhile.
    public func clear(_ row: RowReference, _ properties: [LocalProperty]) throws {
      for property in properties {
        try recorder.log.appendClearing(
          entity: entity(row), row: row.row, bit: bit(row.entity, property), time: time)
      }
    }

    /// A row was removed. What a delete rule did is recorded besides.
    public func delete(_ row: RowReference, _ syncID: SyncID) throws {
      try recorder.log.appendDeletion(entity: entity(row), row: row.row, syncID: syncID, time: time)
    }

    /// A target was added to a to-many relationship.
    public func link(_ row: RowReference, _ property: LocalProperty, to target: RowNumber) throws {
      try log(row, property, target, isAdded: true)
    }

    /// A target was removed from a to-many relationship.
    public func unlink(_ row: RowReference, _ property: LocalProperty, from target: RowNumber) throws {
      try log(row, property, target, isAdded: false)
    }

    private func log(_ row: RowReference, _ property: LocalProperty, _ target: RowNumber, isAdded: Bool)
      throws
    {
      try recorder.log.appendLink(
        entity: entity(row), row: row.row, bit: bit(row.entity, property),
        target: ChangeLog.Row(entity: .unknown, row: target), added: isAdded, time: time)
    }

    /// The members of an ordered relationship have another order.
    public func reorder(_ list: OrderedList) throws {
      try recorder.log.appendOrder(
        entity: recorder.entities[list.entity.rawValue].number,
        owner: ChangeLog.Row(entity: .unknown, row: list.owner),
        bit: bit(list.entity, list.property), isInverse: list.isInverse, time: time)
    }
  }
}
