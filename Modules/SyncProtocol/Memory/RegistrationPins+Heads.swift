import ChangeTracking

/// The heads that were last listed, and those that this store has published.
extension RegistrationPins {
  private static let head = "head"
  private static let ownHead = "ownHead"
  /// Authors of whom the newest head is remembered.
  private static let headLimit = 4_096

  /// The newest head of each author as of the last completed synchronisation.
  var heads: HeadListing { get throws { HeadListing(try names(Self.head)) } }

  func setHeads(_ listing: HeadListing, _ notes: RemoteNotes) throws {
    let newest = Set(listing.authors.prefix(Self.headLimit).compactMap { listing.newest(of: $0) })
    let known = Set(try names(Self.head))
    for head in known.subtracting(newest) { try notes.remove(Self.head, head.name.description) }
    for head in newest.subtracting(known) {
      try notes.set(Self.head, RemoteNotes.Note(key: head.name.description))
    }
  }

  /// The latest heads that this store has published or was about to, oldest first.
  var ownHeads: [HeadName] { get throws { try names(Self.ownHead) } }

  /// Own heads that are remembered. More than the newest may lie there: removing older ones can fail, and a remote that was
  /// rolled back shows them again. Whose remote goes back further goes on as a new author, which does no harm.
  private static let ownHeadLimit = 64

  /// The size of the file that an own head was published in; `nil` if that is not remembered.
  func size(of head: HeadName) throws -> Int64? {
    try replica.remoteNotes.note(Self.ownHead, head.name.description)
      .flatMap { Int64(String(decoding: $0.value, as: UTF8.self)) }
  }

  /// Notes that a head is about to be published. Without this note, it would look like that of a copy of this store.
  ///
  /// - Parameter size: bytes of its file.
  func willPublish(_ head: HeadName, size: Int) throws {
    try replica.changeRemoteNotes { notes in
      let last = try notes.all(Self.ownHead).last?.number ?? 0
      try notes.set(
        Self.ownHead,
        RemoteNotes.Note(key: head.name.description, number: last &+ 1, value: Array("\(size)".utf8)))
      try notes.keepGreatest(Self.ownHeadLimit, of: Self.ownHead)
    }
  }

  private func names(_ kind: String) throws -> [HeadName] {
    try replica.remoteNotes.all(kind).compactMap { RemoteName($0.key) }.compactMap { HeadName($0) }
  }
}
