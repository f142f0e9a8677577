import ChangeTracking

/// The last sets of branches that were merged here, or are waited for: each must be named by a head, or be superseded, so that everybody
/// merges it.
extension RegistrationPins {
  static let tipKind = "tip"
  private static let unnamed = "unnamed"
  /// Tips that are remembered beside the ends of the chains. A branch takes two copies of one store, so there are few.
  private static let limit = 256

  /// The ends of branches beside the chains of their authors.
  var tips: Set<SyncPlan.ForkedSet> {
    get throws { Set(try replica.remoteNotes.all(Self.tipKind).compactMap { SyncPlan.ForkedSet($0.key) }) }
  }

  /// Notes ends of branches, and that others are none any more.
  func setTips(adding new: Set<SyncPlan.ForkedSet>, removing old: Set<SyncPlan.ForkedSet>) throws {
    let known = try tips
    let (added, removed) = (new.subtracting(known).subtracting(old), old.intersection(known))
    guard !added.isEmpty || !removed.isEmpty else { return }
    try replica.changeRemoteNotes { notes in
      for tip in removed { try notes.remove(Self.tipKind, tip.text) }
      let last = try notes.all(Self.tipKind).last?.number ?? 0
      for (offset, tip) in added.sorted().enumerated() {
        try notes.set(Self.tipKind, RemoteNotes.Note(key: tip.text, number: last + 1 + Int64(offset)))
      }
      try notes.keepGreatest(Self.limit, of: Self.tipKind)
    }
  }

  /// How often a device mentions an end beside a chain. Its author may take the mention away, because the end is none: that must end.
  private static let mentionLimit = 3

  /// Notes that this device has mentioned an end.
  func didMention(_ tip: SyncPlan.ForkedSet) throws {
    try replica.changeRemoteNotes { notes in
      guard var note = try notes.note(Self.tipKind, tip.text) else { return }
      note.value.append(0)
      if note.value.count < Self.mentionLimit {
        try notes.set(Self.tipKind, note)
      } else {
        try notes.remove(Self.tipKind, tip.text)
      }
    }
  }

  /// Forgets the ends of branches that were said again.
  static func settleTips(
    of author: AuthorID, _ content: Supersession.Content, _ notes: RemoteNotes
  ) throws {
    let settled = Set(content.sets)
    for note in try notes.all(tipKind) {
      guard let known = SyncPlan.ForkedSet(note.key), known.author == author, settled.contains(known.set)
      else { continue }
      try notes.remove(tipKind, note.key)
    }
  }

  /// Counts the synchronisations, one after the other, in which no head named a tip.
  ///
  /// - Returns: in how many that was so before, for each.
  func countUnnamed(_ tips: Set<SyncPlan.ForkedSet>) throws -> [SyncPlan.ForkedSet: Int] {
    let before = try replica.remoteNotes.all(Self.unnamed)
    guard !tips.isEmpty || !before.isEmpty else { return [:] }
    return try replica.changeRemoteNotes { notes in
      var counts: [SyncPlan.ForkedSet: Int] = [:]
      for note in before {
        guard let tip = SyncPlan.ForkedSet(note.key), tips.contains(tip) else {
          try notes.remove(Self.unnamed, note.key)
          continue
        }
        counts[tip] = Int(clamping: note.number)
      }
      for tip in tips.sorted().prefix(Self.limit) {
        try notes.set(Self.unnamed, RemoteNotes.Note(key: tip.text, number: Int64(counts[tip] ?? 0) + 1))
      }
      return counts
    }
  }
}
