import TICDSSQLite

/// Of each author, the sets that the position in his chain has passed though they are not settled here: nobody had them, so they were given
/// up. Kept is the stretch from the first to the last that is missing.
///
/// The position tells where to go on fetching. What a replica *holds*, and may tell others that it holds, ends before the first set that it
/// lacks: or others would remove what it has never seen.
struct GapTable {
  /// The kind of the notes.
  static let kind = "gap"
  /// Authors with a gap. Where there are as many, nothing further is passed.
  static let limit = 4_096

  private let notes: RemoteNotes

  init(_ connection: Connection) { notes = RemoteNotes(connection) }

  /// The gaps. What a copy of a hostile store says beside its form is none.
  func all() throws -> [AuthorID: ClosedRange<UInt64>] {
    var gaps: [AuthorID: ClosedRange<UInt64>] = [:]
    for note in try notes.all(Self.kind).prefix(Self.limit) {
      if let author = AuthorID(note.key), let gap = Self.gap(note) { gaps[author] = gap }
    }
    return gaps
  }

  private static func gap(_ note: RemoteNotes.Note) -> ClosedRange<UInt64>? {
    let bounds = String(decoding: note.value, as: UTF8.self).split(separator: " ").compactMap { UInt64($0) }
    guard bounds.count == 2, 0 < bounds[0], bounds[0] <= bounds[1] else { return nil }
    return bounds[0]...bounds[1]
  }

  /// What is held of positions in chains.
  func held(_ positions: VersionVector) throws -> VersionVector {
    var held = positions
    for (author, gap) in try all() where held[author] >= gap.lowerBound {
      held[author] = gap.lowerBound - 1
    }
    return held
  }

  /// Notes that sets of an author are missing.
  ///
  /// - Returns: whether there was room for it.
  func add(_ missing: ClosedRange<UInt64>, of author: AuthorID) throws -> Bool {
    let gaps = try all()
    guard gaps[author] != nil || gaps.count < Self.limit else { return false }
    let known = gaps[author] ?? missing
    try set(
      min(known.lowerBound, missing.lowerBound)...max(known.upperBound, missing.upperBound), of: author)
    return true
  }

  /// Notes that all sets of an author up to one are held.
  func close(_ author: AuthorID, through sequence: UInt64) throws {
    guard let gap = try notes.note(Self.kind, author.description).flatMap(Self.gap),
      gap.lowerBound <= sequence
    else { return }
    if sequence < gap.upperBound {
      try set(sequence + 1...gap.upperBound, of: author)
    } else {
      try notes.remove(Self.kind, author.description)
    }
  }

  /// Forgets what of the gaps is settled by now.
  func close(with authors: AuthorTable) throws {
    for (author, gap) in try all() {
      let first = Self.firstMissing(of: gap, try authors.sets(of: author).map(\.sequence))
      if let first, first > gap.lowerBound {
        try set(first...gap.upperBound, of: author)
      } else if first == nil {
        try notes.remove(Self.kind, author.description)
      }
    }
  }

  /// The first of some sequences that is not among settled ones, which are in order.
  static func firstMissing(of range: ClosedRange<UInt64>, _ settled: [UInt64]) -> UInt64? {
    var first = range.lowerBound
    for sequence in settled where sequence >= first {
      guard sequence == first else { return first }
      guard first < range.upperBound else { return nil }
      first += 1
    }
    return first
  }

  private func set(_ gap: ClosedRange<UInt64>, of author: AuthorID) throws {
    let text = "\(gap.lowerBound) \(gap.upperBound)"
    try notes.set(Self.kind, RemoteNotes.Note(key: author.description, value: Array(text.utf8)))
  }
}
