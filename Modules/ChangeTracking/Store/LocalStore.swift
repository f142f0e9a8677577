import ObjectStore
import SQLite

/// A store whose objects are kept in step with other devices.
///
/// The engine (``Replica``) decides what changes; a conformer writes rows. Conform an object store or a plain SQLite
/// database; all calls come from the isolation of the replica that owns the conformer.
///
/// Laws:
/// - Everything goes through ``connection``, so that data and bookkeeping commit together. Calls that change rows come
///   inside a transaction that the engine opened.
/// - Rows are addressed by the entity's position in ``SyncSchema/entities`` and a number that is unique below the entity's
///   root and is never used again.
/// - Nothing that the engine writes is recorded as a change of the user's.
/// - Deleting a row removes its links and clears relationships to it; no delete rule runs.
public protocol LocalStore: AnyObject {
  /// The connection that data and bookkeeping share.
  var connection: Connection { get }
  /// What the store can hold.
  var schema: SyncSchema { get }

  /// Tells that a transaction has begun, so that nothing remembered from one that may have failed is used again.
  func transactionDidBegin()

  /// Adds a row that carries a sync ID and these attribute values; other attributes are null.
  /// - Returns: the row's number.
  func insertRow(entity: Int, syncID: SyncID, values: [PropertyValue]) throws -> Int64
  /// Writes attribute values.
  func updateRow(entity: Int, row: Int64, values: [PropertyValue]) throws
  /// Removes a row.
  func deleteRow(entity: Int, row: Int64) throws
  /// Sets or clears a to-one relationship.
  func setTarget(entity: Int, row: Int64, property: Int, target: RowReference?) throws
  /// Adds a target to a to-many relationship; adding it again has no effect.
  func link(entity: Int, row: Int64, property: Int, target: RowReference) throws
  /// Removes a target from a to-many relationship; removing it again has no effect.
  func unlink(entity: Int, row: Int64, property: Int, target: RowReference) throws

  /// A row's sync ID, and what it holds for some attributes and to-one relationships; `nil` without such a row.
  func readRow(entity: Int, row: Int64, properties: [Int]) throws -> StoredRow?
  /// The sync ID of a row below a root; `nil` without such a row.
  func syncID(root: String, row: Int64) throws -> SyncID?
  /// Whether the local model lets an attribute hold a value; what it cannot hold is kept aside.
  func canHold(_ value: AttributeValue, entity: Int, property: Int) -> Bool
  /// The rows whose to-one relationship `property` of `entity` shows the row `target`.
  func sources(entity: Int, property: Int, target: Int64) throws -> [Int64]
  /// The rows of an ordered list, in their order. Only asked for relationships that ``SyncSchema`` says are ordered.
  func members(of list: OrderedList) throws -> [RowReference]
  /// Puts all rows of an ordered list into an order. Gives those of which something was written.
  func arrange(_ members: [RowReference], of list: OrderedList) throws -> [RowReference]
  /// Tells the application, after the commit, which rows the engine has changed.
  func announce(_ changes: ChangedRows)

  /// Copies the store, with all that belongs to it, to a path where nothing lies yet, as of one moment.
  func copy(to path: String) throws

  // MARK: Rows that no log mentions

  /// Whether the change log mentions every insertion. If it does not, a row that carries a sync ID and a number greater than
  /// all that were there when sets were last made counts as inserted since.
  var logsInsertions: Bool { get }
  /// The greatest row number below an entity's root, in this store or a copy of it. 0 without rows.
  func lastRow(entity: Int, in connection: Connection) throws -> Int64
  /// Row numbers greater than `row`, ascending, of rows of an entity itself, not of those that inherit from it.
  func rows(entity: Int, after row: Int64, limit: Int, withoutSyncID: Bool) throws -> [Int64]
  /// A row with a sync ID, of an entity or one that inherits from it; `nil` if there is none.
  func row(entity: Int, syncID: SyncID) throws -> Int64?
  /// Gives a row its sync ID.
  func setSyncID(_ syncID: SyncID, entity: Int, row: Int64) throws
  /// The values that identify a row's object on every device; empty if its entity has no natural key.
  func naturalKey(entity: Int, row: Int64) throws -> [AttributeValue]
  /// The targets that a to-many relationship shows, as row numbers below its destination's root.
  func targets(entity: Int, row: Int64, property: Int) throws -> [Int64]
}

extension LocalStore {
  /// Does nothing.
  public func transactionDidBegin() {}
  /// Copies the file of ``connection``.
  public func copy(to path: String) throws { try connection.run("VACUUM INTO ?", .text(path)) }
  /// Whether the change log mentions every insertion: it does.
  public var logsInsertions: Bool { true }
  /// For stores into which nobody writes past the log: 0.
  public func lastRow(entity: Int, in connection: Connection) throws -> Int64 { 0 }
  /// For stores into which nobody writes past the log: no rows.
  public func rows(entity: Int, after row: Int64, limit: Int, withoutSyncID: Bool) throws -> [Int64] { [] }
  /// For stores into which nobody writes past the log: no row.
  public func row(entity: Int, syncID: SyncID) throws -> Int64? { nil }
  /// For stores into which nobody writes past the log: does nothing.
  public func setSyncID(_ syncID: SyncID, entity: Int, row: Int64) throws {}
  /// For stores into which nobody writes past the log: no targets.
  public func targets(entity: Int, row: Int64, property: Int) throws -> [Int64] { [] }
  /// Empty: no entity has a natural key.
  public func naturalKey(entity: Int, row: Int64) throws -> [AttributeValue] { [] }
  /// For stores without ordered relationships: no rows.
  public func members(of list: OrderedList) throws -> [RowReference] { [] }
  /// For stores without ordered relationships: does nothing.
  public func arrange(_ members: [RowReference], of list: OrderedList) throws -> [RowReference] { [] }
}

/// The members that one row has in an ordered relationship, as rows.
public struct OrderedList: Hashable, Sendable {
  /// Position in ``SyncSchema/entities`` of an entity that has the relationship's canonical end.
  public var entity: Int
  /// Position of that end among the entity's properties.
  public var property: Int
  /// Whether the members are the sources of one target, rather than the targets of one source.
  public var isInverse: Bool
  /// The row whose members they are.
  public var owner: Int64

  /// Addresses a list.
  public init(entity: Int, property: Int, isInverse: Bool, owner: Int64) {
    self.entity = entity
    self.property = property
    self.isInverse = isInverse
    self.owner = owner
  }
}

/// The rows that one merge has changed.
public struct ChangedRows: Hashable, Sendable {
  /// Rows that came to be.
  public var inserted: Set<RowReference> = []
  /// Rows that existed before and hold something else now.
  public var updated: Set<RowReference> = []
  /// Rows that are gone.
  public var deleted: Set<RowReference> = []

  /// Nothing changed.
  public init() {}

  /// Whether nothing changed.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// An attribute's value, by the property's position in ``SyncSchema/Entity/properties``.
public struct PropertyValue: Sendable {
  /// Position of the attribute among the entity's properties.
  public var property: Int
  /// The value.
  public var value: AttributeValue

  /// Pairs an attribute with a value.
  public init(property: Int, value: AttributeValue) {
    self.property = property
    self.value = value
  }
}

/// A row with its entity.
public struct RowReference: Hashable, Sendable {
  /// Position of the entity in ``SyncSchema/entities``.
  public var entity: Int
  /// The row's number.
  public var row: Int64

  /// Addresses a row.
  public init(entity: Int, row: Int64) {
    self.entity = entity
    self.row = row
  }
}

/// A row as it stands.
public struct StoredRow: Sendable {
  /// The sync ID; `nil` if the row has none.
  public var syncID: SyncID?
  /// What the row holds, in the order asked for.
  public var contents: [StoredContent]

  /// Describes a row.
  public init(syncID: SyncID?, contents: [StoredContent]) {
    self.syncID = syncID
    self.contents = contents
  }
}

/// What a row holds for one property.
public enum StoredContent: Hashable, Sendable {
  /// An attribute's value.
  case value(AttributeValue)
  /// The row number of a to-one relationship's target, below the relationship's destination root.
  case target(Int64?)
}
