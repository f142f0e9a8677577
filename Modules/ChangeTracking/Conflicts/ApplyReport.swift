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
  /// Changes of these sets that are merged but cannot be shown now, and changes that this merge took from view.
  public var parked: [ParkedChange] = []
  /// How to take the merge back, if that was asked for.
  public var inverse: MergeInverse?
  /// The rows that changed, by the slices of the merge.
  var changedSlices: [ChangedRows] = []

  /// Nothing done.
  public init() {}

  /// The rows that changed. Put together with each call.
  public var changedRows: ChangedRows { changedSlices.reduce(into: ChangedRows()) { $0.formUnion($1) } }

  /// The changes of two sides of which one overruled the other: edits against edits, edits against deletions.
  public var overridden: [OverriddenChange] {
    conflicts.flatMap(\.overridden) + warnings.compactMap(\.overridden)
  }
}

extension ApplyReport: CustomStringConvertible {
  /// What came, what was overruled and by whom, and what waits, one thing a line. Values are not in it, so that it may go
  /// into a log.
  public var description: String {
    var lines = ["\(effective) of \(changes) changes in \(sets) sets took effect."]
    for conflict in conflicts {
      let outcome =
        switch conflict.outcome {
        case .local: "that of \(conflict.localClient) remains"
        case .remote: "that of \(conflict.remoteClient) remains"
        case .custom: "another value takes the place of both"
        case nil: "it is not decided"
        }
      lines.append(
        "\(conflict.id.entity) \(conflict.id.object) \(conflict.id.key): \(conflict.localClient) and "
          + "\(conflict.remoteClient) wrote different values; \(outcome).")
    }
    lines += warnings.map(\.description)
    lines += parked.map {
      "\($0.entity) \($0.object) \($0.key): the change of \($0.written.client) waits (\($0.reason.rawValue))."
    }
    return lines.joined(separator: "\n")
  }
}

/// How far a merge has come.
public struct ApplyProgress: Hashable, Sendable {
  /// Changes merged so far.
  public var number: Int
  /// Changes in all sets that this merge applies.
  public var total: Int
  /// Author of the change merged last.
  public var author: AuthorID
  /// Identifier of that author's client.
  public var client: String
}

/// The result of a merge.
public enum ApplyOutcome: Sendable {
  /// Everything is applied and durable.
  case applied(ApplyReport)
  /// Nothing was changed, for these conflicts have no answer yet.
  case undecided([Conflict])
}
