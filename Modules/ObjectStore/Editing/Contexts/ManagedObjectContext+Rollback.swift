extension ManagedObjectContext {
  /// Drops all unsaved changes: new objects are gone, deleted ones are back, values are as in the store.
  ///
  /// Forgets what could be undone, too.
  public func rollback() {
    undoHistory?.clear()
    edits.removeAll()
    undoHistory?.restored.removeAll()
    settledEdits = []
    refusals = []
    readFailure = nil
    for object in inserted where object.isInserted {
      tables[object.entity.rootIndex].remove(object.key)
      object.state = [.gone]
      object.contextReference = nil
      object.toManys = []
    }
    let changed = updated + deleted + touched
    for object in updated + deleted where !object.state.contains(.gone) {
      if !object.committed.isEmpty { object.values = object.committed }
      if object.row != nil { object.values = [] }
      restore(object)
    }
    for object in touched where !object.state.contains(.gone) { restore(object) }
    inserted = []
    insertedIndex = InsertedIndex()
    updated = []
    deleted = []
    touched = []
    // What others did to these was not taken up while there were changes here.
    if mergesChangesAutomatically, parent == nil { for object in changed { refresh(object) } }
    noteForLiveResults(nil)
    if !liveResults.isEmpty { updateLiveResults() }
  }

  private func restore(_ object: ManagedObject) {
    object.state.remove([.updated, .deleted, .touched])
    object.committed = []
    object.changed = PropertyMask()
    object.toManys = []
  }

  /// Forgets all objects and all unsaved changes. Objects that are still held elsewhere belong to no context any more: they have the
  /// values that are in memory, and a debug build stops where others are read or anything is set.
  public func reset() {
    rollback()
    let objects = registeredObjects
    for object in objects { object.contextReference = nil }
    for object in objects { object.toManys = [] }
    for table in tables { table.removeAll() }
  }
}
