import TICDSSQLite

/// What the layer above remembers of the remote: rows of a table, each with a key among those of its kind.
package struct RemoteNotes {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// One row.
  package struct Note: Hashable, Sendable {
    /// What it is about.
    package var key: String
    /// A number to count with, or to order by.
    package var number: Int64
    /// Whatever else there is to say.
    package var value: [UInt8]

    /// A note under a key.
    package init(key: String, number: Int64 = 0, value: [UInt8] = []) {
      self.key = key
      self.number = number
      self.value = value
    }
  }

  /// The notes of a kind, in the order of their numbers and then of their keys.
  package func all(_ kind: String) throws -> [Note] {
    let rows = try connection.cached(
      "SELECT key, number, value FROM TICDS_REMOTE WHERE kind = ? ORDER BY number, key")
    try rows.bind([.text(kind)])
    var notes: [Note] = []
    while try rows.step() {
      notes.append(Note(key: rows.text(0), number: rows.int64(1), value: rows.blob(2)))
    }
    return notes
  }

  /// The keys of the notes of a kind.
  package func keys(_ kind: String) throws -> [String] {
    let rows = try connection.cached("SELECT key FROM TICDS_REMOTE WHERE kind = ? ORDER BY key")
    try rows.bind([.text(kind)])
    var keys: [String] = []
    while try rows.step() { keys.append(rows.text(0)) }
    return keys
  }

  /// One note; `nil` if there is none.
  package func note(_ kind: String, _ key: String) throws -> Note? {
    let rows = try connection.cached("SELECT number, value FROM TICDS_REMOTE WHERE kind = ? AND key = ?")
    try rows.bind([.text(kind), .text(key)])
    defer { rows.reset() }
    return try rows.step() ? Note(key: key, number: rows.int64(0), value: rows.blob(1)) : nil
  }

  /// Writes a note, in place of one with its key.
  package func set(_ kind: String, _ note: Note) throws {
    try connection.run(
      "INSERT OR REPLACE INTO TICDS_REMOTE VALUES (?, ?, ?, ?)", .text(kind), .text(note.key),
      .integer(note.number), .blob(note.value))
  }

  /// Removes a note, if there is one.
  package func remove(_ kind: String, _ key: String) throws {
    try connection.run("DELETE FROM TICDS_REMOTE WHERE kind = ? AND key = ?", .text(kind), .text(key))
  }

  /// Removes the notes with the smallest numbers, so that no kind grows with what others write.
  package func keepGreatest(_ count: Int, of kind: String) throws {
    try connection.run(
      """
      DELETE FROM TICDS_REMOTE WHERE kind = ? AND key IN
        (SELECT key FROM TICDS_REMOTE WHERE kind = ? ORDER BY number DESC, key DESC LIMIT -1 OFFSET ?)
      """, .text(kind), .text(kind), .integer(Int64(count)))
  }

  /// Removes all notes but those of some kinds.
  func removeAll(but kinds: Set<String>) throws {
    let rows = try connection.prepare("SELECT DISTINCT kind FROM TICDS_REMOTE")
    var found: [String] = []
    while try rows.step() { found.append(rows.text(0)) }
    for kind in found where !kinds.contains(kind) {
      try connection.run("DELETE FROM TICDS_REMOTE WHERE kind = ?", .text(kind))
    }
  }
}

extension Replica {
  /// What the layer above remembers of the remote.
  package var remoteNotes: RemoteNotes { RemoteNotes(connection) }

  /// Changes notes and remote states in one durable transaction.
  package func changeRemoteNotes<R>(_ body: (RemoteNotes) throws -> R) throws -> R {
    try connection.transaction { try body(RemoteNotes(connection)) }
  }
}
