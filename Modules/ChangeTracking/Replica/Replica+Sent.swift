import SQLite

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

  /// Goes on with an author after sets that nobody has, and that count as applied though they are not settled.
  ///
  /// - Parameters:
  ///   - author: whose sets.
  ///   - sequence: the last of the sets that are given up.
  ///   - chain: hash of that set, as the next one tells it.
  package func skip(_ author: AuthorID, through sequence: UInt64, chain: ContentHash) throws {
    try begin { transaction in
      let authors = transaction.cells.authors
      _ = try authors.number(of: author, client: "")
      guard let known = authors[author], known.sequence < sequence else { return }
      try authors.advance(author, to: sequence, chain: chain)
    }
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
      try authors.advance(author, to: sequence, chain: chain)
    }
  }
}
