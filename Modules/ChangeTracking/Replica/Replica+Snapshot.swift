import Foundation
import SQLite

/// A copy of a store with its bookkeeping, from which another device begins.
public struct StoreSnapshot: Hashable, Sendable {
  /// Where the copy lies.
  public var path: String
  /// Of each author, the sets that the copy contains; who begins with it needs only what comes after.
  public var contents: VersionVector
  /// The sets of each author below which deletions have been forgotten.
  public var horizon: VersionVector
  /// Whether the copy also holds changes that were in no set of the remote. Whoever begins with it says them too, with their
  /// times, so that nothing depends on when, or whether, the device that made the copy pushes them.
  public var includesUnpushedChanges: Bool
}

extension Replica {
  /// The name under which a copy is told from the store it was made of.
  private static let markKey = "snapshot"

  /// Writes a copy of the store with its bookkeeping, as of one moment. Others may read and write meanwhile.
  ///
  /// Whoever opens a replica of the copy goes on under an author of his own, by himself and at once. What the layer above had
  /// stored is not in the copy, apart from what it names.
  ///
  /// - Parameters:
  ///   - path: where nothing lies yet.
  ///   - names: names of remote states that remain.
  /// - Throws: `SQLiteError`, or a file system error; nothing lies at the path then.
  public func snapshot(to path: String, keepingRemoteStates names: Set<String> = []) throws -> StoreSnapshot {
    let unfinished = path + ".unfinished"
    let files = FileManager.default
    if files.fileExists(atPath: unfinished) { try files.removeItem(atPath: unfinished) }
    do {
      try store.copy(to: unfinished)
      let snapshot = try mark(unfinished, as: path, keepingRemoteStates: names)
      try files.moveItem(atPath: unfinished, toPath: path)
      return snapshot
    } catch {
      try? files.removeItem(atPath: unfinished)
      throw error
    }
  }

  /// Until it is marked, a copy would go on as the author of the original.
  private func mark(_ copy: String, as path: String, keepingRemoteStates names: Set<String>) throws
    -> StoreSnapshot
  {
    let connection = try Connection(path: copy)
    return try connection.transaction {
      let state = State(connection)
      try state.set(Self.markKey, .integer(1))
      for name in try state.remoteNames() where !names.contains(name) { try state.remove("remote." + name) }
      let own = AuthorID(bits: try state.integer("author"))
      var snapshot = StoreSnapshot(
        path: path, contents: VersionVector(), horizon: VersionVector(), includesUnpushedChanges: false)
      for author in try AuthorTable(connection: connection).authors.dropFirst() {
        snapshot.contents[author.id] = author.id == own ? try state.integer("pushed") : author.sequence
        snapshot.horizon[author.id] = author.collected
      }
      snapshot.includesUnpushedChanges =
        try connection.first("SELECT EXISTS (SELECT 1 FROM TICDS_LOG) OR EXISTS (SELECT 1 FROM TICDS_OUTBOX)")
        == .integer(1)
        || hasRowsBeyondFrontier(in: connection, NameTable(connection: connection, schema: store.schema))
      return snapshot
    }
  }

  /// Whether the store is a copy that no replica has been opened of.
  var isFreshSnapshot: Bool {
    get throws { try state.value(Self.markKey) != nil }
  }

  /// Notes that the store has an author of its own.
  func removeSnapshotMark() throws { try state.remove(Self.markKey) }
}

extension State {
  /// The names that the layer above has stored something under.
  fileprivate func remoteNames() throws -> [String] {
    let statement = try connection.prepare("SELECT name FROM TICDS_STATE WHERE name LIKE 'remote.%'")
    var names: [String] = []
    while try statement.step() { names.append(String(statement.text(0).dropFirst("remote.".count))) }
    return names
  }
}
