import ChangeTracking

/// Authors whose sets were found and whose heads were not.
extension RegistrationPins {
  private static let headless = "headless"
  private static let limit = 1_024

  var headless: Set<AuthorID> {
    get throws { Set(try replica.remoteNotes.all(Self.headless).compactMap { AuthorID($0.key) }) }
  }

  func setHeadless(_ authors: Set<AuthorID>) throws {
    guard try authors != headless else { return }
    try replica.changeRemoteNotes { try setHeadless(authors, $0) }
  }

  func setHeadless(_ authors: Set<AuthorID>, _ notes: RemoteNotes) throws {
    let known = try headless
    for author in known.subtracting(authors) { try notes.remove(Self.headless, author.description) }
    for author in authors.subtracting(known) {
      try notes.set(Self.headless, RemoteNotes.Note(key: author.description))
    }
    try notes.keepGreatest(Self.limit, of: Self.headless)
  }
}
