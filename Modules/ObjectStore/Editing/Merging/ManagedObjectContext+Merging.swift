import TICDSSQLite

extension ManagedObjectContext {
  /// Takes up what other contexts of this store have committed since the last time.
  ///
  /// Objects without changes here become faults; of those with changes, what was not set here is taken from the store. What
  /// both sides changed stays as it is here until the save, of which ``mergePolicy`` decides; see ``editConflicts``.
  /// A child takes up what its parent has become. What other programs have committed is taken up, too. `fetch` and ``save()`` do the same
  /// unless ``mergesChangesAutomatically`` is off.
  public func mergePendingChanges() {
    let hasMerged = mergeAnnounced()
    // What was announced looks like the commit of another program; the next fetch tells what else there is.
    if parent != nil || hasMerged && mergesChangesAutomatically { return }
    do {
      // Reading it makes SQLite look.
      _ = try connection.first("PRAGMA data_version")
      noticeForeignCommits()
      if missesForeignCommits { takeUpForeignCommits() }
      _ = mergeForeignCommits()
    } catch {
      noteReadFailure(error)
    }
    if hasStaleLiveResults { updateLiveResults() }
  }

  /// Takes up what other contexts of the same store have announced. Returns whether there was something.
  @discardableResult func mergeAnnounced() -> Bool {
    if parent != nil {
      mergeFromParent()
      noteForLiveResults(nil)
    }
    let announced = mailbox.take()
    for changes in announced { merge(changes) }
    if hasStaleLiveResults { updateLiveResults() }
    return !announced.isEmpty
  }

  /// Takes up changes that are known to have been committed.
  public func merge(_ changes: ObjectChanges) {
    noteForLiveResults(changes)
    let met =
      returned.compactMap { mergeReappeared($0) }
      + changes.updated.compactMap { registered($0).flatMap { mergeSaved($0) } }
    for identifier in changes.deleted { registered(identifier).map { dropDeleted($0) } }
    // Any object that is new, gone, or leads elsewhere may have come to a relationship or left it, of which only its own row tells.
    if !changes.isEmpty { forgetUnchangedMembers() }
    tell(of: met)
  }

  /// Objects that came back here and are not saved yet.
  private var returned: [ManagedObject] { inserted.filter { $0.isInserted && $0.key > 0 } }

  private func registered(_ identifier: ObjectID) -> ManagedObject? {
    guard identifier.store.uuid == store.uuid, let entity = model.entity(named: identifier.entity.name) else {
      return nil
    }
    return tables[entity.rootIndex][identifier.key]
  }

  private func dropDeleted(_ object: ManagedObject) {
    // Unsaved changes stay to be reported as a conflict by the next save.
    if object.hasChanges { return }
    object.state = [.gone]
    if object.values.isEmpty, object.row == nil {
      object.values = ContiguousArray(repeating: .null, count: object.entity.valueCount)
    }
    tables[object.entity.rootIndex].remove(object.key)
    object.contextReference = nil
  }

  func forgetUnchangedMembers() {
    for object in registeredObjects where !object.toManys.isEmpty {
      for index in object.toManys.indices {
        guard let state = object.toManys[index] else { continue }
        if !state.hasChanges, !object.isInserted {
          object.toManys[index] = nil
          continue
        }
        state.forgetGone()
        // The store has no members of a new object.
        if parent == nil, !object.isInserted {
          let relationship = object.entity.relationship(at: index + object.entity.slotCount)
          state.reload(keepingOrder: relationship?.isOrdered == true)
        }
      }
    }
  }

  /// Notices commits of which no context told, such as those of other programs.
  ///
  /// To be called while a transaction is open, for only that makes SQLite look.
  func noticeForeignCommits() {
    let version = connection.dataVersion
    if version == dataVersion { return }
    let isFirst = dataVersion == 0
    dataVersion = version
    if isFirst { return }
    guard mergesChangesAutomatically else {
      missesForeignCommits = true
      return
    }
    takeUpForeignCommits()
  }

  private func takeUpForeignCommits() {
    missesForeignCommits = false
    hasForeignCommits = true
    // Which objects changed is not known; a fault costs one read when it is used again.
    refreshAll()
    forgetUnchangedMembers()
    noteForLiveResults(nil)
  }

  /// Takes up what other programs have committed into objects with unsaved changes too, if a look has shown that there is something.
  ///
  /// Not to be called while a statement or a transaction is open: those who are told of conflicts may read.
  ///
  /// - Returns: whether there was something.
  func mergeForeignCommits() -> Bool {
    guard hasForeignCommits else { return false }
    hasForeignCommits = false
    let changed = (updated + touched).filter { !$0.isInserted && !$0.isDeleted && !$0.isGone }
    let returned = returned
    if changed.isEmpty, returned.isEmpty { return false }
    var seen: Set<ObjectIdentifier> = []
    let objects = changed.filter { seen.insert(ObjectIdentifier($0)).inserted }
    tell(of: returned.compactMap { mergeReappeared($0) } + objects.compactMap { mergeSaved($0) })
    return true
  }
}
