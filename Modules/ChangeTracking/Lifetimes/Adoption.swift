/// The adoption of objects that came into the store without a recorder: those that are older than the bookkeeping, and those that
/// another program has added.
///
/// First every row gets its sync ID and a record (``RowIdentification``), then sets say the objects as insertions: only then
/// have all targets of relationships an identifier. Both halves go in batches, each one durable transaction that notes how far
/// it came, so that an adoption continues after a crash.
enum Adoption {
  /// Of each entity, the last row with a sync ID that was looked at for one without a record, which only a store that is older than
  /// the bookkeeping has.
  static func position(_ entity: String) -> StateTable.Name { StateTable.Name(prefix + "unknown.\(entity)") }

  /// Lets all rows be looked at anew.
  static func restart(_ state: StateTable) throws {
    for name in try state.names(prefix: prefix) { try state.remove(name) }
  }

  private static let prefix = "adopted."

  /// When adopted objects came to be.
  enum Moment: Int64 {
    /// Before everything else: whatever anybody has written or deleted since outranks a copy that has no history.
    case beforeEverything = 1
    /// Now: this replica has exchanged changes before, so the rows are new.
    case now = 2
  }

  /// The time of what came to be before everything else.
  static let earliest = LogicalTime(bits: 1)

  /// Rows in one transaction.
  static let batchSize = 1_000
}
