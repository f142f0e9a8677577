import SQLite

extension ManagedObjectContext {
  /// Writes all changes to the store in one transaction, or none.
  ///
  /// Hooks and participants come first, then validation, then the rows, then what participants write with them.
  /// - Throws: ``SaveError`` with all validation problems or all conflicts, ``StoreError`` if SQLite fails, or what a
  ///   participant throws. The store and the unsaved changes are then as before.
  public func save() throws {
    if mergesChangesAutomatically { mergePendingChanges() }
    if let readFailure { throw StoreError(.database(readFailure), path: store.path) }
    if !hasChanges, refusals.isEmpty { return }
    if store.options.access == .readOnly { throw StoreError(.readOnly, path: store.path) }
    undoHistory?.closeStep()
    try withoutUndo { try write() }
  }

  private func write() throws {
    for participant in participants { try participant.contextWillSave(self) }
    runWillSave()
    forgetWithdrawn()
    var validation = SaveValidation()
    let problems = validation.check(self)
    if !problems.isEmpty { throw SaveError(problems) }

    var transaction = try commit()
    let saved = transaction.finish()
    dataVersion = connection.dataVersion
    let mailbox = self.mailbox
    if store.listeners.withLock({ $0.hasOthers(than: mailbox) }) {
      store.announce(transaction.objectChanges(), from: mailbox)
    }
    for object in saved { object.didSave() }
    for participant in participants { participant.contextDidSave(self) }
  }

  /// Writes everything in one transaction; again, if the policy settles conflicts with what others wrote.
  private func commit() throws -> SaveTransaction {
    // Every attempt sees the store as it is then; somebody who writes that often gets his way in the end.
    var attempts = 0
    while true {
      attempts += 1
      var transaction = SaveTransaction(self)
      do {
        try connection.transaction {
          noticeForeignCommits()
          try transaction.write()
          if !participants.isEmpty {
            let changes = transaction.changes
            for participant in participants { try participant.contextWillCommit(changes, on: connection) }
          }
        }
        return transaction
      } catch let error as SQLiteError {
        throw transaction.meaning(of: error)
      } catch let error as SaveError {
        if attempts == 10 || !settle(error.problems) { throw error }
      }
    }
  }

  /// Closes the holes that deletions of new objects left.
  func forgetWithdrawn() {
    if !insertedHasHoles { return }
    inserted.removeAll { !$0.isInserted }
    insertedHasHoles = false
  }

  private func runWillSave() {
    // A hook may change further objects, which then have their turn at the end of these lists.
    var position = 0
    while position < inserted.count {
      if inserted[position].isInserted { inserted[position].willSave() }
      position += 1
    }
    position = 0
    while position < updated.count {
      if !updated[position].isDeleted { updated[position].willSave() }
      position += 1
    }
    position = 0
    while position < deleted.count {
      deleted[position].willSave()
      position += 1
    }
  }
}
