import ChangeTracking

/// Whose sets were said again, by whom.
extension RegistrationPins {
  private static let superseding = "superseding"
  static let supersededKind = "superseded"
  private static let said = "said"
  static let followedKind = "followed"
  private static let limit = 256
  /// Each may be long.
  private static let saidLimit = 64
  private static let followedLimit = 4_096

  /// Up to which set an author was superseded when this device last followed, or made, a statement about him.
  ///
  /// That the author's chain ends there is all that this tells; which sets are settled is told by the replica.
  func supersededAuthors() throws -> [AuthorID: SetName] {
    var authors: [AuthorID: SetName] = [:]
    for note in try replica.remoteNotes.all(Self.superseding) + replica.remoteNotes.all(Self.supersededKind) {
      guard let author = AuthorID(note.key), note.number > 0, note.value.count >= ContentHash.byteCount,
        let last = Self.last(note)
      else { continue }
      if last.sequence >= authors[author]?.sequence ?? 0 { authors[author] = last }
    }
    return authors
  }

  /// The last superseded set, whether the note holds its hash alone or all that is said.
  private static func last(_ note: RemoteNotes.Note) -> SetName? {
    let chain = (try? Supersession.Content(note.value))?.chain ?? ContentHash(bytes: note.value)
    return chain.map { SetName(sequence: UInt64(clamping: note.number), hash: $0) }
  }

  // MARK: Said by this device

  /// What the present author says again and has not told the others yet.
  struct OpenSupersession {
    var former: AuthorID
    var through: UInt64
    var content: [UInt8]
  }

  func openSupersessions() throws -> [OpenSupersession] {
    try replica.remoteNotes.all(Self.superseding).compactMap { note in
      AuthorID(note.key).map {
        OpenSupersession(former: $0, through: UInt64(clamping: note.number), content: note.value)
      }
    }
  }

  /// Notes whose sets the present author says again; inside the transaction in which it takes to that.
  static func willSupersede(
    _ former: AuthorID, through: UInt64, _ content: Supersession.Content, _ notes: RemoteNotes
  ) throws {
    try notes.set(
      superseding,
      RemoteNotes.Note(key: former.description, number: Int64(clamping: through), value: content.bytes))
    try settleTips(of: former, content, notes)
    // What was lost of the former author is of no interest any more.
    try noteNoLoss(of: former, notes)
  }

  /// Notes that the others are told.
  func didSupersede(_ open: OpenSupersession, by statement: Supersession) throws {
    try replica.changeRemoteNotes { notes in
      guard let note = try notes.note(Self.superseding, open.former.description),
        let last = Self.last(note)
      else { return }
      try notes.remove(Self.superseding, open.former.description)
      // Somebody who had more may have said it as well, and was followed meanwhile.
      let known = try notes.note(Self.supersededKind, note.key)
      if known.map({ $0.number <= note.number }) ?? true {
        try notes.set(
          Self.supersededKind, RemoteNotes.Note(key: note.key, number: note.number, value: last.hash.bytes))
        try notes.keepGreatest(Self.limit, of: Self.supersededKind)
      }
      let order = try (notes.all(Self.said).last?.number ?? 0) + 1
      try notes.set(
        Self.said, RemoteNotes.Note(key: statement.name.description, number: order, value: open.content))
      try notes.keepGreatest(Self.saidLimit, of: Self.said)
    }
  }

  /// Statements that this device has made, so that they can be put back.
  func saidSupersessions() throws -> Set<Supersession> {
    Set(try replica.remoteNotes.keys(Self.said).compactMap { RemoteName($0).flatMap { Supersession($0) } })
  }

  /// What lies in the file of one of ``saidSupersessions()``.
  func content(of statement: Supersession) throws -> [UInt8]? {
    try replica.remoteNotes.note(Self.said, statement.name.description)?.value
  }

  // MARK: Said by others

  /// What became of a statement when it was read: `true` if it was followed, `false` if it could not be read.
  func wasFollowed(_ statement: Supersession) throws -> Bool? {
    try replica.remoteNotes.note(Self.followedKind, statement.name.description).map { $0.value.isEmpty }
  }

  /// Notes that a statement was read.
  ///
  /// - Parameter content: what it says; `nil` if it cannot be read.
  func follow(_ statement: Supersession, _ content: Supersession.Content?) throws {
    try replica.changeRemoteNotes { notes in
      let order = try (notes.all(Self.followedKind).last?.number ?? 0) + 1
      try notes.set(
        Self.followedKind,
        RemoteNotes.Note(
          key: statement.name.description, number: order, value: content == nil ? [0] : []))
      try notes.keepGreatest(Self.followedLimit, of: Self.followedKind)
      guard let content else { return }
      try Self.settleTips(of: statement.former, content, notes)
      let former = statement.former.description
      if let known = try notes.note(Self.supersededKind, former),
        UInt64(clamping: known.number) > statement.through
      {
        return
      }
      try notes.set(
        Self.supersededKind,
        RemoteNotes.Note(
          key: former, number: Int64(clamping: statement.through), value: content.chain.bytes))
      try notes.keepGreatest(Self.limit, of: Self.supersededKind)
    }
  }
}
