import ChangeTracking

/// What the maker of a whole store knew of the remote, and no listing tells.
extension RegistrationPins {
  /// Notes kept of each kind.
  private static let limit = 256

  /// Adopts what came with a copy that is merged; inside that transaction.
  ///
  /// - Parameters:
  ///   - copied: the notes in the copy.
  ///   - own: the notes here.
  ///   - ends: of chains that nobody goes on with, so that others must come to know of them.
  static func adopt(_ copied: RemoteNotes, _ own: RemoteNotes, _ ends: [Replica.ChainEnds]) throws {
    for kind in notesOfCopies.sorted() {
      for note in try copied.all(kind).suffix(limit) {
        guard try note.number > own.note(kind, note.key)?.number ?? .min else { continue }
        try own.set(kind, note)
      }
    }
    var number = try own.all(tipKind).last?.number ?? 0
    for end in ends {
      number += 1
      let set = SetName(sequence: end.left.sequence, hash: end.left.hash)
      let tip = SyncPlan.ForkedSet(author: end.author, set: set)
      try own.set(tipKind, RemoteNotes.Note(key: tip.text, number: number))
    }
    for kind in [pendingKind, tipKind, supersededKind] { try own.keepGreatest(limit, of: kind) }
  }
}
