extension ManagedObjectContext {
  /// Whether changes are noted so that they can be undone. Off unless set; turning it off forgets all steps.
  ///
  /// A noted step holds on to the objects that it concerns. What is merged from other contexts, applied by synchronisation or
  /// changed by hooks during a save is never noted.
  public var undoIsEnabled: Bool {
    get { undoHistory != nil }
    set {
      if newValue == undoIsEnabled { return }
      undoHistory = newValue ? UndoHistory() : nil
      undoHistory?.limit = undoLimit
      // The next change of an object that has changes already is not the first that the context hears of.
      for object in inserted + updated where newValue { object.state.insert(.recorded) }
    }
  }

  /// Whether there is a step to undo. `false` within a group.
  public var canUndo: Bool { undoHistory?.canUndo ?? false }
  /// Whether there is a step to do again. `false` within a group, and after any new change.
  public var canRedo: Bool { undoHistory?.canRedo ?? false }
  /// The name of the step that ``undo()`` would take back, if its group has one.
  public var undoName: String? { canUndo ? undoHistory?.undoable.last?.name : nil }
  /// The name of the step that ``redo()`` would do again, if its group has one.
  public var redoName: String? { canRedo ? undoHistory?.redoable.last?.name : nil }

  /// Makes all changes of `body` one step for ``undo()``. A group within a group is part of it.
  ///
  /// Changes outside of any group are one step until a group, ``closeUndoStep()``, ``save()`` or ``undo()`` ends it.
  /// - Throws: what `body` throws; what it changed until then is a step all the same.
  public func undoGroup<Result, Failure: Error>(
    _ name: String? = nil, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let history = undoHistory
    history?.beginGroup(name)
    defer { history?.endGroup() }
    return try body()
  }

  /// Ends the step of changes that were made outside of any group: an application with a run loop calls it after each event.
  public func closeUndoStep() {
    undoHistory?.closeStep()
  }

  /// Makes changes that are in no step, for example those of an import. ``undo()`` gets along with them as with those of others.
  ///
  /// - Throws: what `body` throws.
  public func withoutUndo<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure)
    -> Result
  {
    let history = undoHistory
    history?.suspend()
    defer { history?.resume() }
    return try body()
  }

  /// Takes back the last step, also one that was saved: what it changes is unsaved, as any other change.
  ///
  /// Properties get the values that they had before the step, whatever they have become since; deleted objects come back
  /// with their identifiers, values and relationships. Where others have brought back the same object before this context saves, what it has here
  /// is an edit of theirs; see ``editConflicts``. Nothing happens if ``canUndo`` is `false`. No hook is called.
  /// - Returns: Objects of the step that others have deleted since. Nothing is done to them.
  @discardableResult public func undo() -> [ManagedObject] {
    replay { $0.undo($1) }
  }

  /// Does again what ``undo()`` took back last.
  ///
  /// - Returns: as ``undo()``.
  @discardableResult public func redo() -> [ManagedObject] {
    replay { $0.redo($1) }
  }

  private func replay(_ run: (UndoHistory, ([UndoOperation]) -> Void) -> Void) -> [ManagedObject] {
    guard let history = undoHistory else { return [] }
    if mergesChangesAutomatically { mergeAnnounced() }
    // An object that comes back must not be in the list twice.
    forgetWithdrawn()
    var missing: [ManagedObject] = []
    run(history) { operations in
      var replay = UndoReplay(context: self)
      for operation in operations { replay.revert(operation) }
      missing = replay.missing
      settleUnchanged()
    }
    if !liveResults.isEmpty { updateLiveResults() }
    return missing
  }
}
