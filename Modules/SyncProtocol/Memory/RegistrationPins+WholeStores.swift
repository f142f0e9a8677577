import ChangeTracking

/// The whole stores that this device has uploaded, or began to.
extension RegistrationPins {
  private static let kind = "wholeStore"
  private static let limit = 16

  /// What this device remembers of one that it has made.
  struct OwnWholeStore: Hashable {
    var name: WholeStoreName
    /// Whether the storage has confirmed that all of it arrived.
    var isComplete: Bool
  }

  /// What this device has made, the oldest first.
  var ownWholeStores: [OwnWholeStore] {
    get throws {
      try replica.remoteNotes.all(Self.kind).compactMap { note in
        RemoteName(note.key).flatMap { WholeStoreName($0) }.map {
          OwnWholeStore(name: $0, isComplete: !note.value.isEmpty)
        }
      }
    }
  }

  /// Notes that one is about to be uploaded, or has arrived.
  func note(_ store: OwnWholeStore) throws {
    try replica.changeRemoteNotes { notes in
      let key = store.name.name.description
      let order = try notes.note(Self.kind, key)?.number ?? (notes.all(Self.kind).last?.number ?? 0) + 1
      try notes.set(
        Self.kind, RemoteNotes.Note(key: key, number: order, value: store.isComplete ? [1] : []))
      try notes.keepGreatest(Self.limit, of: Self.kind)
    }
  }

  /// Notes that one was removed.
  func forget(_ store: WholeStoreName) throws {
    try replica.changeRemoteNotes { try $0.remove(Self.kind, store.name.description) }
  }

  /// What a copy of the store must know of the remote, because no listing tells it: sets beside the chains of their authors, and
  /// whose sets were said again.
  static let notesOfCopies: Set<String> = [pendingKind, tipKind, supersededKind, followedKind]
}
