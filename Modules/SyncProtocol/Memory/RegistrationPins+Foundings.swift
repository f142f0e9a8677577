import ChangeTracking
import Crypto

/// What was learned of other foundings since registration.
extension RegistrationPins {
  private static let united = "united"
  private static let deleted = "deleted"
  /// Deleted foundings that are remembered. Without encryption anybody can say that one was deleted.
  private static let deletedLimit = 256
  private static let wrappedKey = "wrappedKey"
  /// Keys that are remembered: as many as there can be.
  static let keyLimit = KeyExchange.ringLimit

  /// Other foundings that are the same document.
  var united: [IntegrityKey] {
    get throws { try replica.remoteNotes.all(Self.united).compactMap { IntegrityKey($0.key) } }
  }

  func setUnited(_ foundings: [IntegrityKey]) throws {
    try replica.changeRemoteNotes { try setUnited(foundings, $0) }
  }

  func setUnited(_ foundings: [IntegrityKey], _ notes: RemoteNotes) throws {
    for founding in foundings {
      try notes.set(Self.united, RemoteNotes.Note(key: founding.description))
    }
    for note in try notes.all(Self.united) where !foundings.contains(where: { $0.description == note.key }) {
      try notes.remove(Self.united, note.key)
    }
  }

  /// The foundings of the document that were deleted, as members have said. Storage may bring them back, without what says so.
  var deletedFoundings: Set<DeletionName> {
    get throws {
      Set(
        try replica.remoteNotes.all(Self.deleted).compactMap { note in
          RemoteName(note.key).flatMap { DeletionName($0) }
        })
    }
  }

  /// The last of them that were told, as many as are looked at.
  var latestDeletedFoundings: [IntegrityKey] {
    get throws {
      try replica.remoteNotes.all(Self.deleted).sorted { $0.number > $1.number }
        .prefix(DocumentFounding.limit).compactMap { note in
          RemoteName(note.key).flatMap { DeletionName($0) }?.founding
        }
    }
  }

  /// Notes which foundings were deleted. Without encryption anybody can have said it, so it is forgotten once nothing there says so.
  ///
  /// - Parameter names: genuine ones, all that were listed.
  func add(deleted names: [DeletionName]) throws {
    let known = try deletedFoundings
    let new = Set(names).subtracting(known)
    let gone = try isEncrypted == true ? [] : known.subtracting(names)
    guard !new.isEmpty || !gone.isEmpty else { return }
    try replica.changeRemoteNotes { notes in
      for name in gone { try notes.remove(Self.deleted, name.name.description) }
      var last = try notes.all(Self.deleted).last?.number ?? 0
      for name in new.sorted() {
        last += 1
        try notes.set(Self.deleted, RemoteNotes.Note(key: name.name.description, number: last))
      }
      try notes.keepGreatest(Self.deletedLimit, of: Self.deleted)
    }
  }

  /// Keys that were got from others after registration, as they lay on the remote: sealed, so that they tell nothing to whoever does
  /// not have the keys of this device.
  var wrappedKeys: [KeyExchange.Wrapped] {
    get throws {
      try replica.remoteNotes.all(Self.wrappedKey).compactMap { note in
        guard let name = RemoteName(note.key).flatMap({ WrappedKeyName($0) }) else { return nil }
        return KeyExchange.Wrapped(name: name, bytes: note.value)
      }
    }
  }

  func add(_ keys: [KeyExchange.Wrapped]) throws {
    try replica.changeRemoteNotes { notes in
      let last = try notes.all(Self.wrappedKey).last?.number ?? 0
      for key in keys {
        try notes.set(
          Self.wrappedKey,
          RemoteNotes.Note(key: key.name.name.description, number: last + 1, value: key.bytes))
      }
      try notes.keepGreatest(Self.keyLimit, of: Self.wrappedKey)
    }
  }
}
