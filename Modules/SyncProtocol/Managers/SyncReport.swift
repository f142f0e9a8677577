import ChangeTracking

/// What one synchronisation did.
public struct SyncReport: Sendable {
  /// Own sets that were uploaded.
  public var pushedSets = 0
  /// Changes in these sets.
  public var pushed = 0
  /// Sets of others that were merged.
  public var pulledSets = 0
  /// Changes in these sets.
  public var pulled = 0
  /// Pulled changes that took effect; the others were older than what was here.
  public var applied = 0
  /// Conflicts met, with their outcome.
  public var conflicts: [Conflict] = []
  /// What merging could not do as its author meant it.
  public var warnings: [SyncWarning] = []
  /// Changes that are merged but cannot be shown now.
  public var parked: [ParkedChange] = []
  /// What the merges changed, in their order, with what was shown before, if ``SyncOptions/keepsInverses`` asked for it:
  /// ``DocumentSyncManager/undo(_:keeping:)`` takes it back.
  public var inverses: [MergeInverse] = []
  /// Whether there are no inverses because they would hold more than ``SyncOptions/inverseLimit``.
  public internal(set) var isTooMuchToUndo = false
  private var inverseSize = 0
  /// What a person should know about the remote.
  public var findings: [SyncFinding] = []
  /// Whose sets this device cannot read on, and for how long: what was waited for in this synchronisation and those before.
  public var blocked: [BlockedAuthor] = []
  /// What shows nothing yet because its value was too long for a set and could not be had, and for how long.
  public var awaited: [AwaitedValue] = []
  /// For how many synchronisations keys have been missing that others write with; 0 if none is.
  public var syncsWithoutKey = 0
  /// What people call clients, by their identifiers, as far as that is known.
  public var clients: [String: String] = [:]
  /// What people call the devices of authors, as far as that is known.
  public var names: [AuthorID: String] = [:]
  /// Names that several devices have, which do not tell whose file is meant.
  public internal(set) var sharedNames: Set<String> = []
  /// The whole store that was uploaded, because enough sets had come since the last one; `nil` if none was.
  public var uploadedStore: WholeStoreName?
  /// The whole store that this device has taken over, because sets that it needed had been removed; `nil` if it has not.
  public var takenStore: WholeStoreName?
  /// What is waited for and was removed from the remote, because whole stores contain it.
  var belowFloor: [SyncFinding] = []
  /// Bytes of the sets that were transferred.
  var setBytes: Int64 = 0
  /// Requests to the storage.
  public var requests = 0
  /// Bytes of content transferred.
  public var bytes: Int64 = 0
  /// How long it took.
  public var duration: Duration = .zero

  /// How long it took, in seconds.
  public var seconds: Double { duration / .seconds(1) }

  /// Whether something has stood in the way for so long that it will hardly pass by itself.
  public var isBlocked: Bool {
    syncsWithoutKey >= BlockedAuthor.patience || blocked.contains { $0.syncs >= BlockedAuthor.patience }
      || awaited.contains { $0.syncs >= BlockedAuthor.patience && !$0.isGivenUp }
  }

  /// A finding in one sentence for a person, with the names of devices, and with their authors where several devices have one name.
  public func sentence(_ finding: SyncFinding) -> String {
    finding.sentence { author in
      guard let name = names[author], !name.isEmpty else { return "\(author)" }
      return sharedNames.contains(name) ? "“\(name)” (\(author))" : "“\(name)”"
    }
  }

  /// A warning in one sentence for a person, with the names of devices.
  ///
  /// - Parameters:
  ///   - warning: the warning.
  ///   - shown: what a person calls an object; its identifier by default.
  public func sentence(
    _ warning: SyncWarning, object shown: (SyncID) -> String = { $0.string }
  ) -> String {
    warning.sentence({ clients[$0].flatMap { $0.isEmpty ? nil : "“\($0)”" } ?? $0 }, object: shown)
  }

  /// Why whole stores were not used; `nil` if none was refused.
  var refusals: String? {
    let refused = findings.filter { if case .wholeStoreRefused = $0 { true } else { false } }
    return refused.isEmpty ? nil : refused.map { sentence($0) }.joined(separator: " ")
  }

  mutating func add(_ merge: ApplyReport) {
    pulledSets += merge.sets
    pulled += merge.changes
    applied += merge.effective
    conflicts += merge.conflicts
    warnings += merge.warnings
    parked += merge.parked
    if let inverse = merge.inverse, !inverse.isEmpty {
      inverses.append(inverse)
      inverseSize += inverse.contentSize
    }
  }

  /// Forgets how to take back what was merged, if that is more than is kept.
  mutating func limitInverses(to limit: Int) {
    guard inverseSize > limit else { return }
    inverses = []
    isTooMuchToUndo = true
  }
}

extension SyncReport {
  /// Reports that a set is waited for. Of several that are missing under one number, or of one that is missed in two ways, a person is told once.
  mutating func wait(for author: AuthorID, _ sequence: UInt64, _ obstacle: SyncFinding.Obstacle) {
    let finding = SyncFinding.waiting(author: author, sequence: sequence, obstacle: obstacle)
    let known = findings.firstIndex {
      if case .waiting(author, sequence, _) = $0 { true } else { false }
    }
    guard let known else { return findings.append(finding) }
    // What lies there and cannot be used tells more than what is not there.
    if case .waiting(_, _, .missing) = findings[known] { findings[known] = finding }
  }
}
