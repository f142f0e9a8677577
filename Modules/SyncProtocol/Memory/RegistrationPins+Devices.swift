import ChangeTracking

/// What people call the devices of authors.
extension RegistrationPins {
  private static let device = "device"
  /// Devices whose names are kept.
  static let deviceLimit = 1_024

  /// The names that are known.
  func deviceNames() throws -> [AuthorID: String] {
    var names: [AuthorID: String] = [:]
    for note in try replica.remoteNotes.all(Self.device) {
      if let author = AuthorID(note.key) {
        names[author] = DeviceName.shown(String(decoding: note.value, as: UTF8.self))
      }
    }
    return names
  }

  /// When devices were renamed, as far as that was read, in seconds since 1970.
  func renamings() throws -> [AuthorID: UInt64] {
    var times: [AuthorID: UInt64] = [:]
    for note in try replica.remoteNotes.all(Self.device) where note.number > 0 {
      if let author = AuthorID(note.key) { times[author] = UInt64(note.number) }
    }
    return times
  }

  /// Notes what an author's head says, or his latest ``RenamingName``; an empty name stands for one that has none.
  ///
  /// - Parameter renamed: those who were renamed, and when.
  func setDeviceNames(_ names: [AuthorID: String], renamed: [AuthorID: UInt64] = [:]) throws {
    guard !names.isEmpty else { return }
    try replica.changeRemoteNotes { notes in
      for (author, name) in names {
        try notes.set(
          Self.device,
          RemoteNotes.Note(
            key: author.description, number: Int64(clamping: renamed[author] ?? 0), value: Array(name.utf8)))
      }
      try notes.keepGreatest(Self.deviceLimit, of: Self.device)
    }
  }
}
