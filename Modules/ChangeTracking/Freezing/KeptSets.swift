import TICDSSQLite

/// What a store keeps of the sets and long values that the remote had once, read without a replica: nothing is written.
package struct KeptSets {
  private let sent: SentSets
  private let connection: Connection

  /// - Throws: `SQLiteError` with the first reading if there is no bookkeeping.
  package init(_ connection: Connection) {
    sent = SentSets(connection)
    self.connection = connection
  }

  /// The authors of whom the store has made or merged sets.
  package func authors() throws -> Set<AuthorID> {
    let statement = try connection.prepare("SELECT author FROM TICDS_AUTHOR WHERE sequence > 0")
    var authors: Set<AuthorID> = []
    while try statement.step() { authors.insert(AuthorID(bits: UInt64(bitPattern: statement.int64(0)))) }
    return authors
  }

  /// A set that is kept; `nil` if it is not, or if its bytes are not those that were sent.
  package func set(_ sequence: UInt64, of author: AuthorID) throws -> FrozenSet? {
    guard let set = try sent.set(sequence, of: author), ContentHash(of: set.bytes) == set.hash else {
      return nil
    }
    return set
  }

  /// Hashes of the long values that are kept.
  package func longValues() throws -> [ContentHash] { try sent.longValues() }

  /// A long value that is kept; `nil` if it is not, or if its bytes are not those that were sent.
  package func longValue(_ hash: ContentHash) throws -> [UInt8]? {
    guard let bytes = try sent.longValue(hash), ContentHash(of: bytes) == hash else { return nil }
    return bytes
  }
}
