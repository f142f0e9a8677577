extension SyncedStore {
  /// Synchronises by itself from now on: at once, after saves that have rested, when the storage tells of changes, now and then, and
  /// again after failures.
  ///
  /// ```swift
  /// let automatic = await notes.synchronizeAutomatically()
  /// for await outcome in await automatic.outcomes { show(outcome) }
  /// ```
  /// Saves of this process are noticed; a program that shares the store with others calls ``SyncScheduler/noteSave()`` for theirs.
  ///
  /// - Parameters:
  ///   - options: how each synchronisation is done.
  ///   - schedule: when they are done.
  /// - Returns: what runs, to be suspended, resumed, asked and watched. Hold on to it: synchronising ends with the last reference to it.
  public func synchronizeAutomatically(
    _ options: SyncOptions = SyncOptions(), schedule: SyncSchedule = SyncSchedule()
  ) async -> SyncScheduler {
    let scheduler = SyncScheduler(
      schedule: schedule, remoteChanges: { [document] in document.remoteChanges() },
      synchronization: { () async throws(SyncError) in try await self.synchronize(options) })
    saves?.cancel()
    let changes = store.changes
    saves = Task { [weak scheduler, document] in
      for await _ in changes {
        // Merges change the store, too, and leave nothing to be sent.
        guard let status = try? await document.status(), !status.replica.isPushed else { continue }
        guard let scheduler else { return }
        await scheduler.noteSave()
      }
    }
    await scheduler.start()
    return scheduler
  }
}
