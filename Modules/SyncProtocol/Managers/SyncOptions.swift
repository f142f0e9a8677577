import ChangeTracking

/// How one synchronisation is done.
public struct SyncOptions: Sendable {
  /// How conflicts are decided.
  public var conflicts: ConflictHandling

  /// Called now and then while the changes of others are merged, and after the last change of each merge. It runs inside
  /// the merge, so it should hand the figures on and return.
  public var progress: (@Sendable (ApplyProgress) -> Void)?

  /// Whether the report says how to take back what was merged (``SyncReport/inverses``). Each merge is one transaction then, however
  /// much it merges, and reads what objects show before and after.
  public var keepsInverses: Bool

  /// How many bytes of values the inverses may hold, about. A synchronisation that brings more keeps none
  /// (``SyncReport/isTooMuchToUndo``): whoever can write to the remote brings as much as he likes.
  public var inverseLimit = 64 << 20

  /// When this device uploads a whole store by itself, at the end of a synchronisation that has transferred sets; `nil` for never.
  /// If that fails the synchronisation succeeds all the same, and a finding says so.
  public var wholeStores: WholeStorePolicy? = WholeStorePolicy()

  /// What happens when sets that this device needs were removed, because it was away for long. By itself it takes over a whole store,
  /// keeps what was not pushed, and goes on; the report says so (``SyncFinding/returned(former:store:)``).
  public var returning = ReturnHandling.automatic

  /// - Parameters:
  ///   - conflicts: the later change wins unless told otherwise.
  ///   - keepsInverses: whether the report says how to take back what was merged.
  ///   - progress: told how far a merge has come.
  public init(
    conflicts: ConflictHandling = .always(.latest), keepsInverses: Bool = false,
    progress: (@Sendable (ApplyProgress) -> Void)? = nil
  ) {
    self.conflicts = conflicts
    self.keepsInverses = keepsInverses
    self.progress = progress
  }
}

/// How conflicts with changes that were not pushed yet are decided.
public enum ConflictHandling: Sendable {
  /// Each in the same way.
  case always(ConflictAnswer)
  /// As somebody answers who is asked about all conflicts of a merge at once. A merge with a conflict that is left
  /// without an answer is not done, and the synchronisation fails with ``SyncError/Code/conflictsUnresolved``.
  case ask(@Sendable ([Conflict]) async throws -> [Conflict.ID: ConflictAnswer])
}

extension ConflictHandling {
  /// How a merge decides, with the answers that were given so far.
  func policy(_ answers: [Conflict.ID: ConflictAnswer]) -> ConflictPolicy {
    switch self {
    case .always(let answer): .always(answer)
    case .ask: .answers(answers)
    }
  }

  /// The answers of who is asked about conflicts.
  ///
  /// - Throws: ``SyncError`` with `conflictsUnresolved` if one is left without an answer.
  func answers(to conflicts: [Conflict]) async throws -> [Conflict.ID: ConflictAnswer] {
    guard case .ask(let ask) = self else { throw SyncError.unresolved(conflicts) }
    let given = try await ask(conflicts)
    let open = conflicts.filter { given[$0.id] == nil }
    guard open.isEmpty else { throw SyncError.unresolved(open) }
    return given
  }
}

extension SyncError {
  fileprivate static func unresolved(_ conflicts: [Conflict]) -> SyncError {
    SyncError(
      .conflictsUnresolved, "\(conflicts.count) conflict(s) were left without an answer.",
      recovery: "Answer them in the next synchronisation, or let the later change win.",
      underlying: UnresolvedConflicts(conflicts: conflicts))
  }
}

/// The conflicts behind a failure with ``SyncError/Code/conflictsUnresolved``.
public struct UnresolvedConflicts: Error, Sendable {
  /// The conflicts.
  public var conflicts: [Conflict]
}
