import ChangeTracking

/// What is remembered to put back what storage loses.
extension RegistrationPins {
  private static let file = "file"
  private static let answered = "answered"
  private static let superseding = "superseding"
  private static let superseded = "superseded"
  private static let lost = "lost"
  private static let awaited = "awaited"
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
      for request in requests {
        try notes.set(
          Self.answered, RemoteNotes.Note(key: request.name.description, number: last + 1))
      }
      try notes.keepGreatest(Self.limit, of: Self.answered)
    }
  }

  // MARK: Superseded authors

  /// Authors of whom something is said again, or was, and up to which set.
  func supersededAuthors() throws -> [AuthorID: UInt64] {
    var authors: [AuthorID: UInt64] = [:]
    for note in try replica.remoteNotes.all(Self.superseding) + replica.remoteNotes.all(Self.superseded) {
      guard let author = AuthorID(note.key), note.number >= 0 else { continue }
      authors[author] = max(authors[author] ?? 0, UInt64(note.number))
    }
    return authors
  }

  /// Whose sets the present author says again and has not told the others yet.
  func openSupersessions() throws -> [(former: AuthorID, through: UInt64, chain: ContentHash)] {
    try replica.remoteNotes.all(Self.superseding).compactMap { note in
      guard let former = AuthorID(note.key), let chain = ContentHash(bytes: note.value) else { return nil }
      return (former, UInt64(clamping: note.number), chain)
    }
  }

  /// Notes whose sets the present author says again; inside the transaction in which it takes to that.
  static func willSupersede(
    _ former: AuthorID, through: UInt64, chain: ContentHash, _ notes: RemoteNotes
  ) throws {
    try notes.set(
      superseding,
      RemoteNotes.Note(key: former.description, number: Int64(clamping: through), value: chain.bytes))
    // What was lost of the former author is of no interest any more.
    try notes.remove(lost, former.description)
  }

  /// Notes that the others are told.
  func didSupersede(_ former: AuthorID) throws {
    try replica.changeRemoteNotes { notes in
      guard let note = try notes.note(Self.superseding, former.description) else { return }
      try notes.remove(Self.superseding, former.description)
      try notes.set(Self.superseded, note)
      try notes.keepGreatest(Self.limit, of: Self.superseded)
    }
  }

  /// Whether a statement of another author was followed, or refused.
  func isSettled(_ supersession: Supersession) throws -> Bool {
    if let note = try replica.remoteNotes.note(Self.superseded, supersession.former.description),
      note.number >= Int64(clamping: supersession.through)
    {
      return true
    }
    return try replica.remoteNotes.note(Self.superseded, supersession.name.description) != nil
  }

  /// - Parameter isGenuine: whether it was followed.
  func settle(_ supersession: Supersession, isGenuine: Bool) throws {
    let note =
      isGenuine
      ? RemoteNotes.Note(
        key: supersession.former.description, number: Int64(clamping: supersession.through))
      : RemoteNotes.Note(key: supersession.name.description, number: -1)
    try replica.changeRemoteNotes { notes in
      try notes.set(Self.superseded, note)
      try notes.keepGreatest(Self.limit, of: Self.superseded)
    }
  }

  // MARK: Long values

  /// Counts the synchronisations, one after the other, in which long values could not be had.
  func countAwaited(_ values: Set<ContentHash>) throws -> [ContentHash: Int] {
    let known = try replica.remoteNotes.all(Self.awaited)
    guard !values.isEmpty || !known.isEmpty else { return [:] }
    return try replica.changeRemoteNotes { notes in
      for note in known where !values.contains(where: { $0.description == note.key }) {
        try notes.remove(Self.awaited, note.key)
      }
      var counts: [ContentHash: Int] = [:]
      for value in values.sorted(by: { $0.description < $1.description }).prefix(Self.limit) {
        let count = (known.first { $0.key == value.description }?.number ?? 0) + 1
        try notes.set(Self.awaited, RemoteNotes.Note(key: value.description, number: count))
        counts[value] = Int(clamping: count)
      }
      return counts
    }
  }

  // MARK: Loss

  /// Whether sets were missing that are not kept when this device last looked.
  func isLossSuspected(of author: AuthorID) throws -> Bool {
    try replica.remoteNotes.note(Self.lost, author.description) != nil
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
