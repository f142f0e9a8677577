/// What a batch insertion does about a row whose values under a uniqueness constraint are those of another one.
public enum BatchConflictRule: Sendable {
  /// The whole batch is refused.
  case refuse
  /// The row that is there stays as it is, and the new one is left out.
  case keep
  /// What was set in the new row is written to the one that is there; what was not set stays.
  case update
}
