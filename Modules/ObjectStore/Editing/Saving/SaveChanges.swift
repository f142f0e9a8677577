/// What one save writes: flat lists, made for reading fast.
public struct SaveChanges {
  /// Rows that were inserted, updated or deleted, those included that delete rules changed. No row twice.
  public internal(set) var rows: [RowChange] = []
  /// Links of many-to-many relationships that came or went, each once.
  ///
  /// The links of a deleted object are among them; those of an inserted object too.
  public internal(set) var links: [LinkChange] = []
  /// Ordered relationships in which members came or moved, as far as the user said it at that side.
  public internal(set) var orders: [OrderChange] = []
  /// Unsaved edits that met what others had saved, and what the context's ``MergePolicy`` made of them.
  public internal(set) var settledEdits: [SettledEdit] = []
  var restored = RestoredReferences()
  // The objects of `rows`, in the same order.
  var objects: [ManagedObject] = []
  // The keys that temporary ones become, by distance from the first.
  var newKeys: [Int64] = []
  var firstTemporary: Int64 = -1

  /// The object of a row change. Of a deleted object, the last values are still to be read.
  public func object(at index: Int) -> ManagedObject { objects[index] }

  /// The value that was written, or, for a deletion, was last in the store; references have permanent keys.
  ///
  /// - Parameters:
  ///   - property: Index of an attribute or to-one relationship.
  ///   - index: Position in ``rows``.
  public func value(of property: Int, at index: Int) -> AttributeValue {
    let object = objects[index]
    let value =
      rows[index].kind == .deleted ? object.committedValue(at: property) : object.value(at: property)
    // Objects take their new keys only when the transaction is committed.
    guard case .reference(let entity, let key) = value, key < 0 else { return value }
    let distance = Int(firstTemporary - key)
    return newKeys.indices.contains(distance) ? .reference(entity: entity, key: newKeys[distance]) : .null
  }

  /// Whether anything is restored: ``isRestored(_:at:)``.
  public var hasRestored: Bool { !restored.isEmpty }

  /// Whether a to-one relationship leads to an object again because the deletion of that was undone, which nobody has set besides.
  ///
  /// - Parameters:
  ///   - property: Index of the relationship.
  ///   - index: Position in ``rows``.
  public func isRestored(_ property: Int, at index: Int) -> Bool {
    restored.contains(objects[index], at: property)
  }

  /// The value that was in the store before; `null` for an insertion.
  public func previousValue(of property: Int, at index: Int) -> AttributeValue {
    rows[index].kind == .inserted ? .null : objects[index].committedValue(at: property)
  }
}

/// One row that a save writes.
public struct RowChange: Sendable, Hashable {
  /// What happened to a row.
  public enum Kind: UInt8, Sendable, Hashable {
    /// It is new.
    case inserted
    /// Values changed.
    case updated
    /// It is gone.
    case deleted
  }

  /// What happened.
  public let kind: Kind
  /// Index of the object's entity in the model.
  public let entity: Int32
  /// The row's key.
  public let primaryKey: Int64
  /// For an update, the attributes and to-one relationships of which the value differs from before. For an insertion, those
  /// that have a value. Empty for a deletion.
  public let changedProperties: PropertyMask
}

/// An ordered relationship of one object of which the order was written.
public struct OrderChange: Sendable, Hashable {
  /// Index of the object's entity in the model.
  public let entity: Int32
  /// Key of the object that has the members.
  public let primaryKey: Int64
  /// Index of the relationship among the entity's properties.
  public let property: Int32
}

/// One link of a many-to-many relationship that a save writes.
public struct LinkChange: Sendable, Hashable {
  /// Index of the relationship's table in ``StoreSchema/joins``; it tells entities, properties and columns.
  public let join: Int32
  /// Index of the entity of the object on the source side.
  public let sourceEntity: Int32
  /// Key of the object on the source side.
  public let sourceKey: Int64
  /// Index of the entity of the object on the target side.
  public let targetEntity: Int32
  /// Key of the object on the target side.
  public let targetKey: Int64
  /// Whether the link came; otherwise it went.
  public let isAdded: Bool
  /// The place of the target among the source's members, if they are ordered.
  public let position: Int64?
}
