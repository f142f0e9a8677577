import ChangeTracking

/// Since when named sets of blocked authors are awaited.
extension RegistrationPins {
  private static let missingEnds = "missingEnds"
  private static let limit = 4_096

  /// What is awaited of each blocked author, as of the last completed synchronisation.
  func awaitedEnds() throws -> [AuthorID: MissingEnds] {
    var all: [AuthorID: MissingEnds] = [:]
    for note in try replica.remoteNotes.all(Self.missingEnds) {
      guard let author = AuthorID(note.key) else { continue }
      all[author] = MissingEnds(String(decoding: note.value, as: UTF8.self))
    }
    return all
  }

  /// Notes what is named of the authors that are blocked now, and forgets the others.
  func setAwaitedEnds(_ heads: HeadListing, at time: UInt64, _ notes: RemoteNotes) throws {
    let known = try awaitedEnds()
    let blocked = try blockedAuthors()
    let givenUp = Dictionary(
      grouping: try pendingForks.filter(\.isGivenUp).map(\.fork), by: \.author
    ).mapValues { Set($0.map(\.set)) }
    let vector = try replica.vector()
    for author in Set(known.keys).subtracting(blocked.map(\.author)) {
      try notes.remove(Self.missingEnds, author.description)
    }
    for author in blocked {
      let (applied, passed) = (vector[author.author], givenUp[author.author] ?? [])
      let named = heads.sets(of: author.author).filter { $0.sequence > applied && !passed.contains($0) }
      var ends = known[author.author] ?? MissingEnds()
      let before = ends
      ends.note(Set(named), passed: max(applied, passed.map(\.sequence).max() ?? 0), at: time)
      if ends == before { continue }
      try notes.set(
        Self.missingEnds,
        RemoteNotes.Note(
          key: author.author.description, number: Int64(author.syncs), value: Array(ends.text.utf8)))
    }
    try notes.keepGreatest(Self.limit, of: Self.missingEnds)
  }
}
