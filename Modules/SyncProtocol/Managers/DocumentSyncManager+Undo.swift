import ChangeTracking

extension DocumentSyncManager {
  /// Takes back what a synchronisation brought, as a user would: by new changes of this device, which the next synchronisation uploads.
  ///
  /// ```swift
  /// let report = try await document.synchronize(SyncOptions(keepsInverses: true))
  /// try await document.undo(report.inverses)
  /// ```
  /// What was changed again since stays as it is, and the report tells it. What was uploaded remains uploaded. Makes no request.
  ///
  /// - Parameters:
  ///   - inverses: of merges into this document's store, in their order: ``SyncReport/inverses``.
  ///   - entities: entities of which objects that came stay, without the links that came with them: those that many others refer to, such as
  ///     tags. To delete one would take it off whatever other devices have given it to meanwhile.
  /// - Throws: ``SyncError`` with `storeBusy` or `store`; what was taken back before the failure stays taken back.
  @discardableResult
  public func undo(
    _ inverses: [MergeInverse], keeping entities: Set<String> = []
  ) async throws(SyncError) -> UndoReport {
    try await exclusively {
      var report = UndoReport()
      for inverse in inverses.reversed() {
        let part = try replica.undo(inverse, keeping: entities)
        report.objects += part.objects
        report.kept += part.kept
        report.remaining += part.remaining
        report.awaited += part.awaited
      }
      return report
    }
  }
}
