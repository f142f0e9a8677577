import SQLite

/// Somebody who takes part in the saves of a context, for example to record what changed.
///
/// All methods are called in the context's isolation. A context without participants pays nothing for them.
public protocol SaveParticipant: AnyObject {
  /// An object was inserted by the user, not fetched. Its values may be set.
  func contextDidInsert(_ object: ManagedObject)

  /// A save begins. Objects may still be inserted, changed and deleted; validation comes after.
  ///
  /// - Throws: anything, to refuse the save.
  func contextWillSave(_ context: ManagedObjectContext) throws

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
  public func contextWillSave(_ context: ManagedObjectContext) throws {}
  /// Does nothing.
  public func contextDidSave(_ context: ManagedObjectContext) {}
}
