import ChangeTracking

/// Floors of the history that were read.
extension RegistrationPins {
  private static let kind = "floor"
  private static let limit = 64

  /// A floor that was read.
  struct KnownFloor: Hashable {
    var name: HistoryFloor
    /// Of each author, the last set below; empty if it could not be read.
    var content: VersionVector
    /// When this device first read it, in milliseconds since 1970.
    var since: UInt64

    /// Whether it could be read: one that says nothing is none.
    var isReadable: Bool { !content.sequences.isEmpty }
  }

  /// The floors that were read, the first read first.
  var floors: [KnownFloor] {
    get throws {
      try replica.remoteNotes.all(Self.kind).compactMap { note in
        RemoteName(note.key).flatMap { HistoryFloor($0) }.map { name in
          KnownFloor(
            name: name, content: (try? name.content(note.value)) ?? VersionVector(),
            since: UInt64(clamping: note.number))
        }
      }
    }
  }

  /// Notes floors that were read, each with its bytes, or none if they could not be read, and forgets those that are gone. When one was
  /// read first stays as it is.
  func note(_ read: [HistoryFloor: [UInt8]], at time: UInt64, keeping listed: Set<HistoryFloor>) throws {
    let gone = try floors.map(\.name).filter { !listed.contains($0) }
    guard !read.isEmpty || !gone.isEmpty else { return }
    try replica.changeRemoteNotes { notes in
      for name in gone { try notes.remove(Self.kind, name.name.description) }
      for (name, bytes) in read {
        let key = name.name.description
        let since = try notes.note(Self.kind, key)?.number ?? Int64(clamping: time)
        try notes.set(Self.kind, RemoteNotes.Note(key: key, number: since, value: bytes))
      }
      try notes.keepGreatest(Self.limit, of: Self.kind)
    }
  }
}
