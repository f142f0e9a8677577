import ObjectStore
import TICDSSQLite

/// A store whose objects are kept in step with other devices.
///
/// The engine (``Replica``) decides what changes; a conformer writes rows. Conform an object store or a plain SQLite
/// database; all calls come from the isolation of the replica that owns the conformer. `LocalStoreConformance` proves a conformer.
///
/// Laws:
/// - Everything goes through ``database``, so that data and bookkeeping commit together. Calls that change rows come
///   inside a transaction that the engine opened.
/// - Rows are addressed by their entity and a number that is unique below the entity's root.
/// - Nothing that the engine writes is recorded as a change of the user's.
/// - Deleting a row removes its links and clears relationships to it; no delete rule runs.
public protocol LocalStore: AnyObject {
  /// The database that rows and bookkeeping share.
  var database: SharedDatabase { get }
  /// What the store can hold.
  var schema: SyncSchema { get }

  /// Called when a replica was opened: from now on the store sees to it that everything is recorded that is changed in it.
  func startRecording(now: @escaping @Sendable () -> UInt64, random: @escaping @Sendable () -> UInt64)
  /// Notes that a transaction has begun, so that nothing remembered from one that may have failed is used again.
  func transactionDidBegin()

  /// Adds a row that carries a sync ID and these attribute values; other attributes show what
  /// ``SyncSchema/Property/blank`` says.
  /// - Returns: the row's number.
  func insertRow(_ entity: LocalEntity, syncID: SyncID, values: [PropertyValue]) throws -> RowNumber
  /// Writes attribute values.
  func updateRow(_ row: RowReference, values: [PropertyValue]) throws
  /// Removes a row.
  func deleteRow(_ row: RowReference) throws
  /// Sets or clears a to-one relationship, with the other side of a one-to-one pair that has one.
  func setTarget(of row: RowReference, _ property: LocalProperty, to target: RowReference?) throws
  /// Adds a target to a to-many relationship; adding it again has no effect.
  func link(_ row: RowReference, _ property: LocalProperty, to target: RowReference) throws
  /// Removes a target from a to-many relationship; removing it again has no effect.
  func unlink(_ row: RowReference, _ property: LocalProperty, from target: RowReference) throws

  /// A row's sync ID, and what it holds for some attributes and to-one relationships; `nil` without such a row.
  func readRow(_ row: RowReference, _ properties: [LocalProperty]) throws -> StoredRow?
  /// The entity and sync ID of a row below a root; `nil` without such a row, or if its entity does not travel.
  func identity(of row: RowNumber, below root: String) throws -> RowIdentity?
  /// Whether the local model lets an attribute hold a value; what it cannot hold is kept aside.
  func canHold(_ value: AttributeValue, _ entity: LocalEntity, _ property: LocalProperty) -> Bool
  /// The rows whose to-one relationship shows a target.
  func sources(_ entity: LocalEntity, _ property: LocalProperty, to target: RowNumber) throws -> [RowNumber]
  /// The row that shows some values, of an entity or another that has the same uniqueness constraint; `nil` if there is none.
  /// Only asked for the attributes of a constraint (``SyncSchema/Entity/uniqueness``).
  func row(_ entity: LocalEntity, with values: [PropertyValue]) throws -> RowReference?
  /// The rows of an entity itself that show the values of a uniqueness constraint together with another row, ascending: the local model
  /// may have got the constraint later.
  func rowsRepeatingValues(_ entity: LocalEntity, of constraint: [LocalProperty]) throws -> [RowReference]
  /// Lets the file itself see to uniqueness constraints that it did not because rows violated them.
  func completeConstraints() throws
  /// The rows of an ordered list, in their order. Only asked for relationships that ``SyncSchema`` says are ordered.
  func members(of list: OrderedList) throws -> [RowReference]
  /// Puts all rows of an ordered list into an order.
  /// - Returns: the rows of which something was written.
  func arrange(_ members: [RowReference], of list: OrderedList) throws -> [RowReference]
  /// Puts rows of an ordered list between two others, next to which there is nobody else.
  ///
  /// - Parameters:
  ///   - members: the rows, in the order that they are to have.
  ///   - list: the list.
  ///   - lower: the one before them; `nil` if they come first.
  ///   - upper: the one behind them; `nil` if they come last.
  /// - Returns: the rows of which something was written; `nil` if others come last, if the two are not in this order, or if the store would
  ///   rather arrange more of the list. Nothing was written then.
  func arrange(
    _ members: [RowReference], of list: OrderedList, between lower: RowReference?, and upper: RowReference?
  ) throws -> [RowReference]?
  /// Whether a row is in an ordered list.
  func isMember(_ row: RowReference, of list: OrderedList) throws -> Bool
  /// Informs the application, after the commit, which rows the engine has changed.
  func announce(_ changes: ChangedRows)

  /// Copies the store, with all that belongs to it, to a path where nothing lies yet, as of one moment.
  ///
  /// - Parameters:
  ///   - path: where nothing lies yet.
  ///   - name: what the copy will be called once it is complete. What belongs to the store and lies beside its file is copied
  ///     to where the store of that name looks for it, before this returns.
  func copy(to path: String, as name: String) throws

  /// Opens a copy that another replica has made of the same kind of store, maybe under another version of the model.
  ///
  /// - Parameter path: where the copy lies, which nobody else uses.
  /// - Returns: the copy; `nil` if the conformer does not open copies, so that a device whose history is gone begins anew by hand.
  func openCopy(at path: String) throws -> (any LocalStore)?

  // MARK: Rows that no log mentions

  /// Whether the change log mentions every insertion. If it does not, a row that carries a sync ID and a number greater than
  /// all that were there when sets were last made counts as inserted since.
  var logsInsertions: Bool { get }
  /// The greatest row number below an entity's root, in this store or a copy of it; ``RowNumber/none`` without rows.
  ///
  /// - Parameters:
  ///   - entity: the root, or an entity below it.
  ///   - database: this store, or another file that holds a copy of it.
  func lastRow(_ entity: LocalEntity, in database: SharedDatabase) throws -> RowNumber
  /// Row numbers greater than `row`, ascending, of rows of an entity itself, not of those that inherit from it.
  func rows(_ entity: LocalEntity, after row: RowNumber, limit: Int, withoutSyncID: Bool) throws
    -> [RowNumber]
  /// The next rows of an entity itself, with their sync IDs, ascending. Stores whose log mentions every insertion may tell none; then nobody
  /// notices rows of a copy that no record names.
  func identifiedRows(_ entity: LocalEntity, after row: RowNumber, limit: Int) throws -> [IdentifiedRow]
  /// A row with a sync ID, of an entity or one that inherits from it; `nil` if there is none.
  func row(_ entity: LocalEntity, syncID: SyncID) throws -> RowNumber?
  /// Row numbers greater than `row` and up to `last`, ascending, of rows of an entity itself whose sync ID a row with a lesser number
  /// below the root has as well.
  func rowsRepeatingSyncIDs(_ entity: LocalEntity, after row: RowNumber, through last: RowNumber) throws
    -> [RowNumber]
  /// Assigns a row its sync ID.
  func setSyncID(_ syncID: SyncID, of row: RowReference) throws
  /// The values that identify a row's object on every device; empty if its entity has no natural key.
  func naturalKey(of row: RowReference) throws -> [AttributeValue]
  /// The targets that a to-many relationship shows, as row numbers below its destination's root.
  func targets(of row: RowReference, _ property: LocalProperty) throws -> [RowNumber]
}

extension LocalStore {
  /// For stores that record by a ``ChangeRecorder``: does nothing.
  public func startRecording(now: @escaping @Sendable () -> UInt64, random: @escaping @Sendable () -> UInt64)
  {}
  /// Does nothing.
  public func transactionDidBegin() {}
  /// For stores without uniqueness constraints: no row.
  public func row(_ entity: LocalEntity, with values: [PropertyValue]) throws -> RowReference? { nil }
  /// For stores whose file sees to uniqueness constraints: no rows.
  public func rowsRepeatingValues(_ entity: LocalEntity, of constraint: [LocalProperty]) throws
    -> [RowReference]
  { [] }
  /// Does nothing.
  public func completeConstraints() throws {}
  /// Copies the file of ``database``.
  public func copy(to path: String, as name: String) throws {
    try connection.run("VACUUM INTO ?", .text(path))
  }
  /// Opens no copies.
  public func openCopy(at path: String) throws -> (any LocalStore)? { nil }
  /// Whether the change log mentions every insertion: it does.
  public var logsInsertions: Bool { true }
  /// For stores into which nobody writes past the log: ``RowNumber/none``.
  public func lastRow(_ entity: LocalEntity, in database: SharedDatabase) throws -> RowNumber { .none }
  /// For stores into which nobody writes past the log: no rows.
  public func rows(_ entity: LocalEntity, after row: RowNumber, limit: Int, withoutSyncID: Bool) throws
    -> [RowNumber]
  { [] }
  /// Reads each row.
  public func identifiedRows(
    _ entity: LocalEntity, after row: RowNumber, limit: Int
  ) throws -> [IdentifiedRow] {
    try rows(entity, after: row, limit: limit, withoutSyncID: false).map { row in
      IdentifiedRow(row: row, syncID: try readRow(RowReference(entity: entity, row: row), [])?.syncID)
    }
  }
  /// For stores into which nobody writes past the log: no row.
  public func row(_ entity: LocalEntity, syncID: SyncID) throws -> RowNumber? { nil }
  /// For stores that admit each sync ID once: no rows.
  public func rowsRepeatingSyncIDs(
    _ entity: LocalEntity, after row: RowNumber, through last: RowNumber
  ) throws -> [RowNumber] { [] }
  /// For stores into which nobody writes past the log: does nothing.
  public func setSyncID(_ syncID: SyncID, of row: RowReference) throws {}
  /// For stores into which nobody writes past the log: no targets.
  public func targets(of row: RowReference, _ property: LocalProperty) throws -> [RowNumber] { [] }
  /// Empty: no entity has a natural key.
  public func naturalKey(of row: RowReference) throws -> [AttributeValue] { [] }
  /// For stores without ordered relationships: no rows.
  public func members(of list: OrderedList) throws -> [RowReference] { [] }
  /// For stores without ordered relationships: does nothing.
  public func arrange(_ members: [RowReference], of list: OrderedList) throws -> [RowReference] { [] }
  /// Does nothing, so that all rows are arranged.
  public func arrange(
    _ members: [RowReference], of list: OrderedList, between lower: RowReference?, and upper: RowReference?
  ) throws -> [RowReference]? { nil }
  /// Looks through all rows of the list.
  public func isMember(_ row: RowReference, of list: OrderedList) throws -> Bool {
    try members(of: list).contains(row)
  }
}
