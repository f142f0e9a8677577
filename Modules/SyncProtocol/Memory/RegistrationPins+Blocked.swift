import ChangeTracking

/// Who cannot be read here, and who cannot read what was written here.
extension RegistrationPins {
  private static let blocked = "blocked"
  private static let asked = "asked"
  private static let limit = 4_096

  /// Authors whose sets could not be had, as of the last completed synchronisation.
  func blockedAuthors() throws -> [BlockedAuthor] {
    let names = try deviceNames()
    return try replica.remoteNotes.all(Self.blocked).compactMap { note in
      let parts = String(decoding: note.value, as: UTF8.self).split(separator: " ", maxSplits: 2)
      guard let author = AuthorID(note.key), parts.count == 3, let since = UInt64(parts[0]),
        let sequence = UInt64(parts[1])
      else { return nil }
      return BlockedAuthor(
        author: author, name: names[author], sequence: sequence, obstacle: String(parts[2]), since: since,
        syncs: Int(clamping: note.number))
    }.sorted { $0.author < $1.author }
  }

  /// Those of them whose sets are still waited for. The last set of an author that was given up stays noted, or it would be waited for anew.
  func awaitedAuthors() throws -> [BlockedAuthor] {
    let pending = try pendingForks
    let ends = try awaitedEnds()
    let all = try blockedAuthors()
    guard !all.isEmpty else { return [] }
    let formers = Set(try replica.status().applied.filter { $0.client == replica.client }.map(\.author))
    return all.compactMap { blocked in
      var blocked = blocked
      blocked.isFormerSelf = formers.contains(blocked.author)
      let own = pending.filter { $0.fork.author == blocked.author }
      guard own.contains(where: { $0.isGivenUp && $0.fork.set.sequence >= blocked.sequence }) else {
        return blocked
      }
      // Another may be awaited in its place, or beside it.
      let since =
        own.filter { !$0.isGivenUp }.map(\.since) + (ends[blocked.author]?.ends.map(\.since) ?? [])
      guard let first = since.min() else { return nil }
      var awaited = blocked
      awaited.since = max(blocked.since, first)
      return awaited
    }
  }

  /// - Parameter findings: those of the synchronisation; others than `waiting` are passed over.
  func setBlocked(
    _ findings: [SyncFinding], _ heads: HeadListing, at time: UInt64, _ notes: RemoteNotes
  ) throws {
    var known: [AuthorID: BlockedAuthor] = [:]
    for author in try blockedAuthors() { known[author.author] = author }
    let vector = try replica.vector()
    var waiting: [AuthorID: [(sequence: UInt64, obstacle: SyncFinding.Obstacle)]] = [:]
    for case .waiting(let author, let sequence, let obstacle) in findings {
      waiting[author, default: []].append((sequence, obstacle))
    }
    for (author, sets) in waiting {
      // A set of another copy of the store may be missing as well; it stops nothing that comes after. What comes next was given up, perhaps.
      let next = sets.filter { $0.sequence > vector[author] }.min { $0.sequence < $1.sequence }
      guard let (sequence, obstacle) = next ?? sets.first else { continue }
      let before = known[author].flatMap { $0.sequence == sequence ? $0 : nil }
      // A clock that was ahead does not make anybody wait until it is right again.
      let since = min(before?.since ?? time, time)
      let text = "\(since) \(sequence) \(obstacle.words.prefix(500))"
      try notes.set(
        Self.blocked,
        RemoteNotes.Note(
          key: author.description, number: Int64(before?.syncs ?? 0) + 1, value: Array(text.utf8)))
    }
    // Whose turn it was not is blocked as before, as long as there is news of it.
    for (author, before) in known where waiting[author] == nil {
      let applied = vector[author]
      guard applied >= before.sequence || (heads.lastSet(of: author)?.sequence ?? 0) <= applied else {
        continue
      }
      try notes.remove(Self.blocked, author.description)
    }
    try notes.keepGreatest(Self.limit, of: Self.blocked)
    try setAwaitedEnds(heads, at: time, notes)
  }

  /// Who asked for sets of this device in the last completed synchronisation.
  func askingDevices() throws -> [AskingDevice] {
    let names = try deviceNames()
    return try replica.remoteNotes.all(Self.asked).compactMap { note in
      guard let request = RemoteName(note.key).flatMap({ ResendRequest($0) }) else { return nil }
      var asking = AskingDevice(
        author: request.asker, name: names[request.asker], since: UInt64(clamping: note.number),
        answer: .lookedForNext)
      if case .set(let author, let sequence) = request.subject {
        asking.sequence = sequence
        asking.answer = try answer(request, sequence, of: author)
      }
      return asking
    }
  }

  private func answer(
    _ request: ResendRequest, _ sequence: UInt64, of author: AuthorID
  ) throws -> AskingDevice.Answer {
    if try replica.sentSets(of: author).contains(where: { $0.sequence == sequence }) {
      return try isAnswered(request) ? .sentAgain : .sentNext
    }
    let isSaid = try saidSupersessions().contains { $0.former == author && $0.through >= sequence }
    if try isSaid || supersededAuthors()[author].map({ $0.sequence >= sequence }) ?? false {
      return .saidAgain
    }
    return try replica.settledSets(of: author).contains { $0.sequence == sequence } ? .merged : .unknown
  }

  func setAsked(_ requests: [ResendRequest], at time: UInt64, _ notes: RemoteNotes) throws {
    let known = try notes.all(Self.asked)
    let names = Set(requests.prefix(Self.limit).map(\.name.description))
    for note in known where !names.contains(note.key) { try notes.remove(Self.asked, note.key) }
    for name in names.subtracting(known.map(\.key)) {
      try notes.set(Self.asked, RemoteNotes.Note(key: name, number: Int64(clamping: time)))
    }
  }
}
