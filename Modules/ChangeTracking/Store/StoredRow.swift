import ObjectStore

/// The members that one row has in an ordered relationship, as rows.
public struct OrderedList: Hashable, Sendable {
  /// An entity that has the relationship's canonical end.
  public var entity: LocalEntity
  /// That end.
  public var property: LocalProperty
  /// Whether the members are the sources of one target, rather than the targets of one source.
  public var isInverse: Bool
  /// The row whose members they are.
  public var owner: RowNumber

  /// Addresses a list.
  public init(entity: LocalEntity, property: LocalProperty, isInverse: Bool, owner: RowNumber) {
    self.entity = entity
    self.property = property
    self.isInverse = isInverse
    self.owner = owner
  }
}

/// An attribute's value.
public struct PropertyValue: Sendable {
  /// The attribute.
  public var property: LocalProperty
  /// The value.
  public var value: AttributeValue

  /// Pairs an attribute with a value.
  public init(property: LocalProperty, value: AttributeValue) {
    self.property = property
    self.value = value
  }
}

/// What a row is.
public struct RowIdentity: Hashable, Sendable {
  /// The row's entity.
  public var entity: LocalEntity
  /// The sync ID; `nil` if the row has none.
  public var syncID: SyncID?

  /// Describes a row.
  public init(entity: LocalEntity, syncID: SyncID?) {
    self.entity = entity
    self.syncID = syncID
  }
}

/// A row's number and sync ID.
public struct IdentifiedRow: Hashable, Sendable {
  /// The row's number.
  public var row: RowNumber
  /// The sync ID; `nil` if the row has none.
  public var syncID: SyncID?

  /// Describes a row.
  public init(row: RowNumber, syncID: SyncID?) {
    self.row = row
    self.syncID = syncID
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
  case target(RowNumber?)
  /// Something that cannot be read now, as a value whose file is missing. It is never taken for null.
  case unreadable
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

  mutating func insert(_ row: RowReference) { inserted.insert(row) }

  mutating func update(_ row: RowReference) {
    if !inserted.contains(row) { updated.insert(row) }
  }

  mutating func delete(_ row: RowReference) {
    updated.remove(row)
    if inserted.remove(row) == nil { deleted.insert(row) }
  }

  /// Adds what a later transaction has changed.
  mutating func formUnion(_ later: ChangedRows) {
    for row in later.inserted { insert(row) }
    for row in later.updated { update(row) }
    for row in later.deleted { delete(row) }
  }
}
