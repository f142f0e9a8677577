import ObjectStore

extension PersistentStore {
  /// Objects, in URI form, whose sync ID another object of their family has as well: damage that former versions, or programs without
  /// a recorder, have left. ``Replica/freeze()`` makes objects of their own of them.
  ///
  /// - Throws: `StoreError` or `SQLiteError`.
  public func objectsRepeatingSyncIDs() throws -> [String] {
    let local = try ManagedLocalStore(store: self)
    return try local.schema.localEntities.flatMap { entity in
      try local.rowsRepeatingSyncIDs(entity, after: .none, through: .last).map { row in
        objectID(local.managed(entity).description, key: row.rawValue).uri
      }
    }
  }
}
