import TICDSSQLite

/// Somebody who takes part in the saves of a context, for example to record what changed.
///
/// All methods are called in the context's isolation. A context without participants pays nothing for them. Add one to a context
/// with ``ManagedObjectContext/addParticipant(_:)``, or to all of a store with ``PersistentStore/addParticipants(as:_:)``.
///
/// The order of a save: ``contextWillSave(_:)``, the objects' `willSave`, the transaction begins, ``contextWillWrite(_:on:)``,
/// derived attributes, validation, the rows, ``contextWillCommit(_:on:)``, the commit, `didSave`, ``contextDidSave(_:)``.
public protocol SaveParticipant: AnyObject {
  /// An object was inserted by the user, not fetched. Its values may be set.
  func contextDidInsert(_ object: ManagedObject)

  /// Others have saved properties that have unsaved edits in this context, which may be a child. Merging keeps the edits until the
  /// next save, where the context's ``MergePolicy`` decides about them; those of a child, until its save makes them edits of its
  /// parent. A save that meets what was not merged before tells of it when the policy has decided; under ``MergePolicy/error`` it
  /// throws instead.
  func context(_ context: ManagedObjectContext, didMeet conflicts: [EditConflict])

  /// One value for a property that has an unsaved edit in this context, which may be a child, and that others have saved: for example
  /// the sum of what both counted up. The object has it from now on, and it is no conflict. `nil` if there is none, so that the edit stays
  /// for the context's ``MergePolicy`` to decide about.
  func context(
    _ context: ManagedObjectContext, combines property: EditConflict.Property, of object: ManagedObject
  ) -> AttributeValue?

  /// A save begins, outside of its transaction: what is looked up may be outdated when the rows are written. Objects may still
  /// be inserted, changed and deleted; validation comes after.
  ///
  /// - Throws: anything, to refuse the save.
  func contextWillSave(_ context: ManagedObjectContext) throws

  /// The save's transaction has begun, and no row is written yet: nobody else writes until it ends, so what is looked up with
  /// `connection` holds. Values may be set and objects be inserted and deleted; validation comes after, but no hook of an object.
  ///
  /// Called again if a ``MergePolicy`` settles a conflict, and after a save that failed: objects then have what was set before.
  /// - Throws: anything, to refuse the save.
  func contextWillWrite(_ context: ManagedObjectContext, on connection: Connection) throws

  /// All rows are written; what is written to `connection` now is committed together with them.
  ///
  /// - Throws: anything, to undo the save. The context then has the same unsaved changes as before.
  func contextWillCommit(_ changes: SaveChanges, on connection: Connection) throws

  /// The save is committed.
  func contextDidSave(_ context: ManagedObjectContext)
}

extension SaveParticipant {
  /// Does nothing.
  public func contextDidInsert(_ object: ManagedObject) {}
  /// Does nothing.
  public func context(_ context: ManagedObjectContext, didMeet conflicts: [EditConflict]) {}
  /// Knows no such value.
  public func context(
    _ context: ManagedObjectContext, combines property: EditConflict.Property, of object: ManagedObject
  ) -> AttributeValue? { nil }
  /// Does nothing.
  public func contextWillSave(_ context: ManagedObjectContext) throws {}
  /// Does nothing.
  public func contextWillWrite(_ context: ManagedObjectContext, on connection: Connection) throws {}
  /// Does nothing.
  public func contextDidSave(_ context: ManagedObjectContext) {}
}
