import ObjectStore
import TICDSSQLite

/// A copy of another replica's store, taken apart into sets that can be merged: of each author what is in effect of his writings,
/// with the stamps that he gave.
///
/// The copy is used up by it and is to be thrown away. What its maker had not pushed is under an author whom nobody will ever meet.
final class StoreCopy {
  /// An author and which of his sets the copy contains.
  struct Contents {
    var author: AuthorTable.Author
    /// The sets that are settled there.
    var sets: [AuthorTable.SettledSet]
  }

  private let replica: Replica
  /// Everybody who has written something that is in effect in the copy.
  let contents: [Contents]
  /// Under whom the copy holds what its maker had not pushed; it has no sets.
  let unpushed: AuthorID

  /// Takes a copy.
  ///
  /// - Parameters:
  ///   - store: the copy.
  ///   - configuration: of the replica that is to merge it.
  init(_ store: any LocalStore, _ configuration: Replica.Configuration) throws {
    replica = try Replica(store: store, configuration: configuration)
    unpushed = try replica.author
    gaps = try replica.gaps()
    let authors = try replica.authors()
    contents = try authors.authors.filter { $0.id != .nobody }.map { author in
      Contents(author: author, sets: try authors.settled(by: author.id))
    }
  }

  /// What the maker of the copy remembered of the remote.
  var notes: RemoteNotes { replica.remoteNotes }

  /// Of authors of whom the maker of the copy lacked sets, which ones.
  let gaps: [AuthorID: ClosedRange<UInt64>]

  /// What is in the copy cannot be read, or says what no set may say. Others have made it, so it tells nothing of this device.
  struct Unusable: Error {
    var description: String
  }

  /// Whether its maker did not know of deletions that somebody has forgotten.
  func isBehind(_ horizon: VersionVector) throws -> Bool { try replica.isBehind(horizon) }

  /// What its maker has been told of former names.
  ///
  /// - Throws: ``Unusable``.
  func toldNames() throws -> ToldNames {
    do {
      return try replica.begin { try ToldNames($0.cells.names) }
    } catch {
      throw Unusable(description: "\(error)")
    }
  }

  /// Hands over what the copy holds, a set at a time, so that memory is bounded.
  ///
  /// - Throws: ``Unusable``, or what `body` throws.
  func sets(_ body: @escaping (ChangeSet) throws -> Void) throws {
    var failure: (any Error)?
    do {
      for author in contents.map(\.author.id) {
        try sets(of: author) { set in
          try SetCheck(set).run()
          do {
            try body(set)
          } catch {
            failure = error
            throw error
          }
        }
      }
    } catch {
      throw failure ?? Unusable(description: "\(error)")
    }
  }

  private func sets(of author: AuthorID, _ taking: @escaping (ChangeSet) throws -> Void) throws {
    try replica.begin { transaction in
      try transaction.cells.state.setInteger(.author, author.bits)
      let freezing = try Freezing(reader: transaction.reader, options: replica.setOptions, taking: taking)
      try freezing.restate()
      try freezing.finish()
      // Whoever is asked first takes the copy once more.
      try transaction.cells.state.setInteger(.author, unpushed.bits)
    }
  }
}
