import Foundation
import TICDSSQLite

/// A copy of a store with its bookkeeping, from which another device begins.
public struct StoreSnapshot: Hashable, Sendable {
  /// Where the copy lies.
  public var path: String
  /// Of each author, the sets that the copy contains; who begins with it needs only what comes after.
  public var contents = VersionVector()
  /// The sets of each author below which deletions have been forgotten.
  public var horizon = VersionVector()
  /// Whether the copy also holds changes that were in no set of the remote. Whoever begins with it says them too, with their
  /// times, so that nothing depends on when, or whether, the device that made the copy pushes them.
  public var includesUnpushedChanges = false

  /// Who made the copy.
  public var author = AuthorID(bits: 0)

  init(path: String) { self.path = path }

  /// Writes a copy of a store, marked so that whoever opens a replica of it goes on under an author of his own.
  ///
  /// - Parameters:
  ///   - names: names of remote states that remain.
  ///   - kinds: kinds of notes of the remote that remain.
  init(
    of store: any LocalStore, at path: String, keepingRemoteStates names: Set<String>,
    notes kinds: Set<String> = []
  ) throws {
    let unfinished = path + ".unfinished"
    let files = FileManager.default
    if files.fileExists(atPath: unfinished) { try files.removeItem(atPath: unfinished) }
    do {
      try store.copy(to: unfinished, as: path)
      self.init(path: path)
      try mark(unfinished, of: store, keeping: names, notes: kinds)
      try files.moveItem(atPath: unfinished, toPath: path)
    } catch {
      try? files.removeItem(atPath: unfinished)
      throw error
    }
  }

  /// Until it is marked, a copy would go on as the author of the original.
  private mutating func mark(
    _ copy: String, of store: any LocalStore, keeping names: Set<String>, notes kinds: Set<String>
  ) throws {
    let connection = try Connection(path: copy)
    try connection.transaction {
      let state = StateTable(connection)
      try state.insert(.snapshot)
      try Self.forgetRemote(connection, states: names, notes: kinds)
      try SettledConflicts(state).removeAll()
      try SentSets(connection).removeAll()
      let own = try state.author
      author = own
      for author in try AuthorTable(connection: connection).authors {
        contents[author.id] = author.id == own ? try state.integer(.pushed) : author.sequence
        horizon[author.id] = author.collected
      }
      contents = try GapTable(connection).held(contents)
      let names = try NameTable(connection: connection, schema: store.schema)
      includesUnpushedChanges =
        try ChangeLog.hasEntries(connection) || !Outbox(connection).isEmpty
        || Frontiers(names, of: store).isPassed(in: store, SharedDatabase(connection))
    }
  }
}
