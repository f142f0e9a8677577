/// A set of another author as it was found on the remote.
public struct ReceivedSet: Sendable {
  /// The decoded set.
  public var set: ChangeSet
  /// Hash of the file it came in.
  public var hash: ContentHash

  /// Pairs a set with the hash of its file.
  public init(set: ChangeSet, hash: ContentHash) {
    self.set = set
    self.hash = hash
  }
}

/// What one merge did.
public struct ApplyReport: Sendable {
  /// Sets applied.
  public var sets = 0
  /// Changes in these sets.
  public var changes = 0
  /// Changes that took effect; the others were older than what was here, or had been applied before.
  public var effective = 0
  /// Conflicts met, with their outcome.
  public var conflicts: [Conflict] = []
  /// What a person should know.
  public var warnings: [SyncWarning] = []
  /// How to take the merge back, if that was asked for.
  public var inverse: MergeInverse?
  /// The rows that changed.
  public var changedRows = ChangedRows()

  /// Nothing done.
  public init() {}
}

/// The result of a merge.
public enum ApplyOutcome: Sendable {
  /// Everything is applied and durable.
  case applied(ApplyReport)
  /// Nothing was changed, for these conflicts have no answer yet.
  case undecided([Conflict])
}
