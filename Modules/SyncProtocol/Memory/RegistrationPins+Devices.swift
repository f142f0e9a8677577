import ChangeTracking

/// What people call the devices of authors.
extension RegistrationPins {
  private static let device = "device"
  /// Heads that taught no name.
  private static let unnamed = "nameless"
  /// Devices whose names are kept.
  static let deviceLimit = 1_024

  /// The names that are known. An empty one is none.
  func deviceNames() throws -> [AuthorID: String] {
    var names: [AuthorID: String] = [:]
    for note in try replica.remoteNotes.all(Self.device) where !note.value.isEmpty {
      if let author = AuthorID(note.key) {
        names[author] = DeviceName.shown(String(decoding: note.value, as: UTF8.self))
      }
    }
    return names
  }

  /// The heads that were read, or could not be, and taught no name, by their authors: only another head is worth asking for.
  func unnamedHeads() throws -> [AuthorID: String] {
    var heads: [AuthorID: String] = [:]
    for note in try replica.remoteNotes.all(Self.unnamed) {
      if let author = AuthorID(note.key) { heads[author] = String(decoding: note.value, as: UTF8.self) }
    }
    return heads
  }

  /// Notes heads that taught no name, and forgets those whose authors have one now.
  func setUnnamed(_ heads: [AuthorID: HeadName], named: some Sequence<AuthorID>) throws {
    let known = Set(try replica.remoteNotes.keys(Self.unnamed))
    let settled = named.map(\.description).filter(known.contains)
    guard !heads.isEmpty || !settled.isEmpty else { return }
    try replica.changeRemoteNotes { notes in
      for author in settled { try notes.remove(Self.unnamed, author) }
      for (author, head) in heads {
        try notes.set(
          Self.unnamed,
          RemoteNotes.Note(key: author.description, value: Array(head.name.description.utf8)))
      }
      try notes.keepGreatest(Self.deviceLimit, of: Self.unnamed)
    }
  }

  /// When devices were renamed, as far as that was read, in seconds since 1970.
  func renamings() throws -> [AuthorID: UInt64] {
    var times: [AuthorID: UInt64] = [:]
    for note in try replica.remoteNotes.all(Self.device) where note.number > 0 {
      if let author = AuthorID(note.key) { times[author] = UInt64(note.number) }
    }
    return times
  }

  /// Notes what an author's head says, or his latest ``RenamingName``; an empty name stands for one that could not be read.
  ///
  /// - Parameter renamed: those who were renamed, and when.
  func setDeviceNames(_ names: [AuthorID: String], renamed: [AuthorID: UInt64] = [:]) throws {
    guard !names.isEmpty else { return }
    try replica.changeRemoteNotes { notes in
      for (author, name) in names {
        try notes.set(
          Self.device,
          RemoteNotes.Note(
            key: author.description,
            number: try renamed[author].map { Int64(clamping: $0) } ?? notes.note(
              Self.device, author.description)?.number ?? 0, value: Array(name.utf8)))
      }
      try notes.keepGreatest(Self.deviceLimit, of: Self.device)
    }
  }
}
