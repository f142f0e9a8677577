import ChangeTracking

/// What is remembered to put back what storage loses.
extension RegistrationPins {
  static let file = "file"
  private static let answered = "answered"
  private static let lost = "lost"
  private static let limit = 256

  // MARK: Small files that belong to nobody in particular

  /// Greatest number of files, and of bytes in one, that are kept.
  private static let fileLimit = (count: 64, bytes: 64 << 10)

  /// Keeps a copy of a file that was written once and for everybody, so that it can be put back.
  func keep(_ path: RemotePath, _ bytes: [UInt8]) throws {
    guard bytes.count <= Self.fileLimit.bytes else { return }
    try replica.changeRemoteNotes { notes in
      try notes.set(Self.file, RemoteNotes.Note(key: path.description, value: bytes))
      try notes.keepGreatest(Self.fileLimit.count, of: Self.file)
    }
  }

  /// The files that are kept.
  func keptFiles() throws -> [(path: RemotePath, bytes: [UInt8])] {
    try replica.remoteNotes.all(Self.file).compactMap { note in
      RemotePath(note.key).map { ($0, note.value) }
    }
  }

  // MARK: Requests of others

  func isAnswered(_ request: ResendRequest) throws -> Bool {
    try replica.remoteNotes.note(Self.answered, request.name.description) != nil
  }

  func answered(_ requests: [ResendRequest]) throws {
    guard !requests.isEmpty else { return }
    try replica.changeRemoteNotes { notes in
      let last = try notes.all(Self.answered).last?.number ?? 0
      for request in requests.sorted() {
        try notes.set(
          Self.answered, RemoteNotes.Note(key: request.name.description, number: last + 1))
      }
      try notes.keepGreatest(Self.limit, of: Self.answered)
    }
  }

  // MARK: Loss

  /// Whether sets were missing that are not kept when this device last looked.
  func isLossSuspected(of author: AuthorID) throws -> Bool {
    try replica.remoteNotes.note(Self.lost, author.description) != nil
  }

  static func noteNoLoss(of author: AuthorID, _ notes: RemoteNotes) throws {
    try notes.remove(lost, author.description)
  }

  /// Counts synchronisations, one after the other, in which sets were missing that are not kept.
  func countLoss(of author: AuthorID, _ isLost: Bool) throws -> Int {
    let key = author.description
    return try replica.changeRemoteNotes { notes in
      guard isLost else {
        try notes.remove(Self.lost, key)
        return 0
      }
      let count = (try notes.note(Self.lost, key)?.number ?? 0) + 1
      try notes.set(Self.lost, RemoteNotes.Note(key: key, number: count))
      return Int(clamping: count)
    }
  }
}
