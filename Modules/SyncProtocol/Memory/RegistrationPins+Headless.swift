import ChangeTracking

/// An author whose sets were found and whose head was not.
struct HeadlessAuthor: Equatable {
  /// The last of the sets, which could not be merged; `nil` before they were looked for.
  var last: SetName?
  /// When that was first so, in milliseconds since 1970; 0 once nobody is told any more.
  var since: UInt64 = 0

  /// Whether the set has been there for so long that nobody is told any more. It is still looked for.
  var isGivenUp: Bool { last != nil && since == 0 }

  /// Whether that is due.
  func isExpired(at time: UInt64) -> Bool {
    last != nil && !isGivenUp && BlockedAuthor.isExpired(since, at: time, after: 1)
  }
}

/// Authors whose sets were found and whose heads were not.
extension RegistrationPins {
  private static let headless = "headless"
  private static let limit = 1_024

  var headless: [AuthorID: HeadlessAuthor] {
    get throws {
      let notes = try replica.remoteNotes.all(Self.headless).compactMap { note in
        AuthorID(note.key).map { author in
          let last = RemoteName(String(decoding: note.value, as: UTF8.self)).flatMap { SetName($0) }
          return (author, HeadlessAuthor(last: last, since: UInt64(clamping: note.number)))
        }
      }
      return Dictionary(notes) { first, _ in first }
    }
  }

  /// Notes who they are; what was known of them before is kept.
  func setHeadless(of authors: Set<AuthorID>) throws {
    guard try authors != Set(headless.keys) else { return }
    try replica.changeRemoteNotes { try setHeadless(of: authors, $0) }
  }

  func setHeadless(of authors: Set<AuthorID>, _ notes: RemoteNotes) throws {
    let known = try headless
    let all = authors.map { ($0, known[$0] ?? HeadlessAuthor()) }
    try setHeadless(Dictionary(all) { first, _ in first }, notes)
  }

  func setHeadless(_ authors: [AuthorID: HeadlessAuthor]) throws {
    guard try authors != headless else { return }
    try replica.changeRemoteNotes { try setHeadless(authors, $0) }
  }

  private func setHeadless(_ authors: [AuthorID: HeadlessAuthor], _ notes: RemoteNotes) throws {
    let known = try headless
    for author in known.keys where authors[author] == nil {
      try notes.remove(Self.headless, author.description)
    }
    for (author, one) in authors where known[author] != one {
      try notes.set(
        Self.headless,
        RemoteNotes.Note(
          key: author.description, number: Int64(clamping: one.since),
          value: one.last.map { Array($0.name.description.utf8) } ?? []))
    }
    try notes.keepGreatest(Self.limit, of: Self.headless)
  }
}
