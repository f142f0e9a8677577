import TICDSSQLite

/// What the remote had once, and what is done where storage has lost it.
extension Replica {
  /// An own set that is kept, without its bytes.
  package struct SentSet: Hashable, Sendable {
    /// Position in the author's history.
    package var sequence: UInt64
    /// Hash of the file.
    package var hash: ContentHash
    /// Size of the file in bytes.
    package var size: Int64
  }

  /// The authors that this store has written as and of whom sets are kept.
  package func sentAuthors() throws -> [AuthorID] { try SentSets(connection).authors() }

  /// The authors that this store has written as before, as far as it knows, and that copies of it may still write as.
  package func formerAuthors() throws -> Set<AuthorID> {
    let present = try author
    let known = try authors().authors.filter { $0.client == client }.map(\.id)
    return Set(try known + sentAuthors()).subtracting([present])
  }

  /// The sets of one of ``sentAuthors()`` that are kept, in order.
  package func sentSets(of author: AuthorID) throws -> [SentSet] {
    try SentSets(connection).entries(of: author).map {
      SentSet(sequence: $0.sequence, hash: $0.hash, size: $0.size)
    }
  }

  /// A set that is kept; `nil` if it is not.
  package func sentSet(_ sequence: UInt64, of author: AuthorID) throws -> FrozenSet? {
    try SentSets(connection).set(sequence, of: author)
  }

  /// Hashes of the long values that are kept.
  package func sentLongValues() throws -> [ContentHash] { try SentSets(connection).longValues() }

  /// The bytes of one of ``sentLongValues()``, or of a long value that was not sent yet.
  package func ownLongValue(_ hash: ContentHash) throws -> [UInt8]? {
    try SentSets(connection).longValue(hash) ?? unsentLongValue(hash)
  }

  /// Whose writings are said again.
  package enum RestatedAuthors: Equatable {
    /// The replica's own author.
    case own
    /// Some others.
    case others(Set<AuthorID>)
    /// All.
    case everybody
  }

  /// Goes on under a new author, and says again what is in effect of what some have written, because nobody has the sets any more
  /// that said it.
  ///
  /// - Parameter note: writes notes in the same transaction.
  package func restate(_ authors: RestatedAuthors, _ note: (RemoteNotes) throws -> Void) throws {
    let scope: Incarnation.Scope =
      switch authors {
      case .own: .own
      case .others(let others): .others(others)
      case .everybody: .everybody
      }
    try begin(newIncarnation: scope) { try note(RemoteNotes(connection)) }
  }

  /// The sets of an author that are settled here: made here, applied, or said again by somebody whose sets were applied. In order.
  package func settledSets(of author: AuthorID) throws -> [(sequence: UInt64, hash: ContentHash)] {
    try authors().sets(of: author)
  }

  /// Goes on with an author after sets that nobody has. They are passed and not held (``held()``).
  ///
  /// - Parameters:
  ///   - author: whose sets.
  ///   - sequence: the last of the sets that are given up.
  ///   - chain: hash of that set, as the next one tells it.
  /// - Returns: whether the replica goes on: it does not if it lacks sets of so many authors that it cannot remember another.
  @discardableResult
  package func skip(_ author: AuthorID, through sequence: UInt64, chain: ContentHash) throws -> Bool {
    try begin { transaction in
      let authors = transaction.cells.authors
      _ = try authors.number(of: author, client: "")
      guard let known = authors[author], known.sequence < sequence else { return true }
      let missing = known.sequence + 1...sequence
      let settled = try authors.sets(of: author).map(\.sequence)
      if let first = GapTable.firstMissing(of: missing, settled) {
        guard try GapTable(connection).add(first...sequence, of: author) else { return false }
      }
      try authors.advance(author, to: sequence, chain: chain)
      return true
    }
  }

  /// Of each other author, the sets that are held: all that were applied or need not be, up to the first that was given up.
  ///
  /// What is told to others is this, and not ``vector()``, which tells where to go on fetching.
  public func held() throws -> VersionVector { try GapTable(connection).held(vector()) }

  /// Of authors of whom sets were given up and have not come since, from the first to the last that is missing.
  package func gaps() throws -> [AuthorID: ClosedRange<UInt64>] { try GapTable(connection).all() }

  /// Forgets that sets were given up which have come since.
  package func closeGaps() throws {
    guard try !gaps().isEmpty else { return }
    try begin { try GapTable(connection).close(with: $0.cells.authors) }
  }

  /// Takes sets of an author for applied, because another author has said again what was in effect of them.
  ///
  /// - Parameters:
  ///   - author: whose sets.
  ///   - sequence: the last of the author's sets, at which the chain goes on.
  ///   - chain: hash of that set.
  ///   - sets: all sets that were said again.
  package func passOver(
    _ author: AuthorID, through sequence: UInt64, chain: ContentHash,
    _ sets: [(sequence: UInt64, hash: ContentHash)]
  ) throws {
    try begin { transaction in
      let authors = transaction.cells.authors
      _ = try authors.number(of: author, client: "")
      for set in sets { try authors.insertUnread(set.hash, of: author, sequence: set.sequence) }
      try authors.insertUnread(chain, of: author, sequence: sequence)
      guard let known = authors[author] else { return }
      let isWithin = known.sequence == sequence && sets.contains { $0.hash == known.chain }
      guard known.sequence < sequence || isWithin else { return }
      let gaps = GapTable(connection)
      if known.sequence < sequence {
        // Who says it again may have lacked some of it himself.
        let settled = try authors.sets(of: author).map(\.sequence)
        if let first = GapTable.firstMissing(of: known.sequence + 1...sequence, settled) {
          guard try gaps.add(first...sequence, of: author) else { return }
        }
      }
      try gaps.close(with: authors)
      try authors.advance(author, to: sequence, chain: chain)
    }
  }
}
