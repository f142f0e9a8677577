/// The names and values by which an adoption is remembered, so that it continues after a crash.
enum Adoption {
  /// Present once all rows that are older than the bookkeeping have been looked at.
  static let isCompleteKey = "adopted"
  /// Present while rows have been identified and not said yet: when their insertion counts as having happened.
  static let openKey = "adopting"

  /// What is looked for.
  enum Search: String {
    /// Rows that have a sync ID and no record, which only a store that is older than the bookkeeping has.
    case unknown
    /// Rows without a sync ID.
    case unidentified

    /// Of each entity, the last row looked at.
    func positionKey(_ entity: String) -> String { "adopted.\(self).\(entity)" }
  }

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
