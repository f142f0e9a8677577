import ObjectStore

/// The objects that one save deletes.
struct DeletedObjects {
  /// Their sync IDs, which others may take over.
  private(set) var identifiers: Set<SyncID> = []
  /// With the numbers of their roots.
  private var rows: Set<ChangeLog.Row> = []

  var isEmpty: Bool { rows.isEmpty }

  mutating func insert(_ syncID: SyncID, row: RowNumber, below root: EntityNumber) {
    identifiers.insert(syncID)
    rows.insert(ChangeLog.Row(entity: root, row: row))
  }

  func contains(_ row: RowNumber, below root: EntityNumber) -> Bool {
    rows.contains(ChangeLog.Row(entity: root, row: row))
  }
}
