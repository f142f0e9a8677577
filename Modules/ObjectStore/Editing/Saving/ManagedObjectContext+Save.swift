import TICDSSQLite

extension ManagedObjectContext {
  /// Writes all changes to the store in one transaction, or none. A child makes them unsaved changes of its parent instead.
  ///
  /// Hooks and participants come first, then validation, then the rows, then what participants write with them. With participants,
  /// validation is part of the transaction, for they may still set values there.
  /// - Throws: ``SaveError`` with all validation problems or all conflicts, ``StoreError`` if SQLite fails, or what a
  ///   participant throws. The store and the unsaved changes are then as before.
  public func save() throws {
    if mergesChangesAutomatically { mergePendingChanges() }
    if let readFailure { throw StoreError(.database(readFailure), path: store.path) }
    if !hasChanges, refusals.isEmpty { return }
    if let parent { return try save(to: parent) }
    if store.options.access == .readOnly { throw StoreError(.readOnly, path: store.path) }
    try adoptRegistrations()
    undoHistory?.closeStep()
    try withoutUndo {
      try settleEdits()
      try write()
    }
  }

  private func write() throws {
    for participant in participants { try participant.contextWillSave(self) }
    runWillSave()
    if participants.isEmpty { try complete() }

    var transaction = try commit()
    settledEdits = []
    for live in liveResults { live.results?.noteSaving() }
    let saved = transaction.finish()
    undoHistory?.restored.removeAll()
    dataVersion = connection.dataVersion
    let mailbox = self.mailbox
    if store.listeners.withLock({ $0.hasOthers(than: mailbox) }) {
      store.announce(transaction.objectChanges(), from: mailbox)
    }
    for object in saved { object.didSave() }
    for participant in participants { participant.contextDidSave(self) }
    if !liveResults.isEmpty { updateLiveResults() }
  }

  /// Computes what is derived and looks whether everything may be saved. From here on nothing is set any more.
  private func complete() throws {
    forgetWithdrawn()
    if model.hasDerivedAttributes { try derivedAttributes?.compute(in: self) }
    var validation = SaveValidation()
    let problems = validation.check(self)
    if !problems.isEmpty { throw SaveError(problems) }
  }

  /// Writes everything in one transaction; again, if the policy settles conflicts with what others wrote.
  private func commit() throws -> SaveTransaction {
    // Every attempt sees the store as it is then; somebody who writes that often gets his way in the end.
    var attempts = 0
    while true {
      attempts += 1
      // Settling may have deleted new objects, of which no row is to be written.
      forgetWithdrawn()
      // It may also have taken from an object what it must have.
      if attempts > 1, participants.isEmpty { try complete() }
      var transaction = SaveTransaction(self)
      do {
        try connection.transaction {
          noticeForeignCommits()
          // What is changed here meets what they wrote by the versions of rows.
          hasForeignCommits = false
          if !participants.isEmpty {
            for participant in participants { try participant.contextWillWrite(self, on: connection) }
            try complete()
          }
          try transaction.write()
          if !participants.isEmpty {
            var changes = transaction.changes
            changes.settledEdits = settledEdits
            if let undoHistory { changes.restored = undoHistory.restored }
            for participant in participants { try participant.contextWillCommit(changes, on: connection) }
          }
          // Who keeps a record of relationships, as synchronisation does, shows what was deleted again where it led once somebody brings it back.
          if participants.isEmpty { try transaction.releaseReferences() }
        }
        return transaction
      } catch let error as SQLiteError {
        let conflicts = error.code == .constraint ? try UniquenessConflict.all(in: self) : []
        if conflicts.isEmpty { throw transaction.meaning(of: error) }
        if attempts == 10 || !settle(conflicts) { throw SaveError(conflicts.map(\.problem)) }
      } catch let error as SaveError {
        if try attempts == 10 || !settle(error.problems) { throw error }
      }
    }
  }

  /// Closes the holes that deletions of new objects left.
  func forgetWithdrawn() {
    if !insertedHasHoles { return }
    inserted.removeAll { !$0.isInserted }
    insertedIndex = InsertedIndex()
    insertedHasHoles = false
  }

  func runWillSave() {
    // A hook may change further objects, which then have their turn at the end of these lists.
    var turns = (inserted: 0, updated: 0, touched: 0, deleted: 0)
    var hadTurn: Set<ObjectIdentifier> = []
    var isDone = false
    while !isDone {
      isDone = true
      while turns.inserted < inserted.count {
        isDone = false
        if inserted[turns.inserted].isInserted { inserted[turns.inserted].willSave() }
        turns.inserted += 1
      }
      while turns.updated < updated.count {
        isDone = false
        let object = updated[turns.updated]
        if !object.isDeleted, !object.isInserted, !hadTurn.contains(ObjectIdentifier(object)) {
          object.willSave()
        }
        turns.updated += 1
      }
      while turns.touched < touched.count {
        isDone = false
        let object = touched[turns.touched]
        if object.hasChangedMembersOnly {
          hadTurn.insert(ObjectIdentifier(object))
          object.willSave()
        }
        turns.touched += 1
      }
      while turns.deleted < deleted.count {
        isDone = false
        deleted[turns.deleted].willSave()
        turns.deleted += 1
      }
    }
  }
}
