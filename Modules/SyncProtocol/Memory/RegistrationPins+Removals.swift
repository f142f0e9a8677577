import ChangeTracking

/// Which devices were removed from the document, as members have said.
extension RegistrationPins {
  private static let removal = "removal"
  /// Removals that are remembered. Without encryption anybody can say that a device was removed.
  static let removalLimit = 256

  /// The notes that were read, each with its bytes as they lay there: empty if they could not be read.
  var removals: [RemovalName: [UInt8]] {
    get throws {
      var removals: [RemovalName: [UInt8]] = [:]
      for note in try replica.remoteNotes.all(Self.removal) {
        if let name = RemoteName(note.key).flatMap({ RemovalName($0) }) { removals[name] = note.value }
      }
      return removals
    }
  }

  /// The authors that were removed.
  var removedAuthors: Set<AuthorID> { get throws { Set(try removals.keys.map(\.author)) } }

  /// Notes what was read, and forgets what no member may have written.
  func note(_ read: [RemovalName: [UInt8]], forgetting gone: Set<RemovalName>) throws {
    guard !read.isEmpty || !gone.isEmpty else { return }
    try replica.changeRemoteNotes { notes in
      for name in gone { try notes.remove(Self.removal, name.name.description) }
      var last = try notes.all(Self.removal).last?.number ?? 0
      for (name, bytes) in read.sorted(by: { $0.key < $1.key }) {
        last += 1
        try notes.set(
          Self.removal, RemoteNotes.Note(key: name.name.description, number: last, value: bytes))
      }
      try notes.keepGreatest(Self.removalLimit, of: Self.removal)
    }
  }
}
