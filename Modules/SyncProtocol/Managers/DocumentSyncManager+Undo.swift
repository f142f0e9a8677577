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
  /// - Parameter inverses: of merges into this document's store, in their order: ``SyncReport/inverses``.
  /// - Throws: ``SyncError`` with `storeBusy` or `store`; what was taken back before the failure stays taken back.
  @discardableResult
  public func undo(_ inverses: [MergeInverse]) async throws(SyncError) -> UndoReport {
    try await exclusively {
      var report = UndoReport()
      for inverse in inverses.reversed() {
        let part = try replica.undo(inverse)
        report.objects += part.objects
        report.kept += part.kept
        report.awaited += part.awaited
      }
      return report
    }
  }
}
