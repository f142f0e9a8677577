import ChangeTracking

/// What people call the devices of authors.
extension RegistrationPins {
  private static let device = "device"
  private static let limit = 1_024

  /// The names that are known.
  func deviceNames() throws -> [AuthorID: String] {
    var names: [AuthorID: String] = [:]
    for note in try replica.remoteNotes.all(Self.device) {
      if let author = AuthorID(note.key) { names[author] = String(decoding: note.value, as: UTF8.self) }
    }
    return names
  }

  /// Notes what an author's head says; an empty name stands for one that has none.
  func setDeviceNames(_ names: [AuthorID: String]) throws {
    guard !names.isEmpty else { return }
    try replica.changeRemoteNotes { notes in
      for (author, name) in names {
        try notes.set(
          Self.device, RemoteNotes.Note(key: author.description, value: Array(name.utf8)))
      }
      try notes.keepGreatest(Self.limit, of: Self.device)
    }
  }
}
