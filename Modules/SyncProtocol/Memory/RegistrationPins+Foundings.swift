import ChangeTracking
import Crypto

/// What was learned of other foundings since registration.
extension RegistrationPins {
  private static let united = "united"
  private static let wrappedKey = "wrappedKey"
  /// Keys that are remembered: as many as foundings can meet, each under each other.
  private static let keyLimit = DocumentFounding.limit * DocumentFounding.limit

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
