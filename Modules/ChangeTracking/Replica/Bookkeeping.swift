import SQLite

/// The tables that live beside the data, so that both commit together.
///
/// Their layout is private to this module and described in `Docs/Formats/Bookkeeping.md`.
enum Bookkeeping {
  static let version: Int64 = 1

  static let script = """
    CREATE TABLE IF NOT EXISTS TICDS_STATE (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_AUTHOR (
      id INTEGER PRIMARY KEY, author INTEGER NOT NULL UNIQUE, client TEXT NOT NULL,
      sequence INTEGER NOT NULL, chain BLOB, collected INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS TICDS_SET (
      author INTEGER NOT NULL, sequence INTEGER NOT NULL, hash BLOB NOT NULL,
      earliest INTEGER NOT NULL, latest INTEGER NOT NULL,
      PRIMARY KEY (author, sequence, hash)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_ENTITY (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, root TEXT NOT NULL,
      frontier INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE IF NOT EXISTS TICDS_PROPERTY (
      entity INTEGER NOT NULL, bit INTEGER NOT NULL, name TEXT NOT NULL, kind INTEGER NOT NULL, destination TEXT,
      merge TEXT, PRIMARY KEY (entity, bit), UNIQUE (entity, name)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_OBJECT (
      id INTEGER PRIMARY KEY, syncid NOT NULL, root INTEGER NOT NULL, entity INTEGER NOT NULL, row INTEGER,
      inserted INTEGER NOT NULL, inserter INTEGER NOT NULL, deleted INTEGER NOT NULL, deleter INTEGER NOT NULL,
      covered INTEGER NOT NULL, clocks BLOB);
    CREATE UNIQUE INDEX IF NOT EXISTS TICDS_OBJECT_SYNCID ON TICDS_OBJECT (syncid, root);
    CREATE TABLE IF NOT EXISTS TICDS_VALUE (
      object INTEGER NOT NULL, bit INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (object, bit)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_TARGET (
      object INTEGER NOT NULL, bit INTEGER NOT NULL, target INTEGER NOT NULL,
      PRIMARY KEY (object, bit)) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS TICDS_TARGET_TARGET ON TICDS_TARGET (target);
    CREATE TABLE IF NOT EXISTS TICDS_LINK (
      source INTEGER NOT NULL, bit INTEGER NOT NULL, target INTEGER NOT NULL,
      added INTEGER NOT NULL, adder INTEGER NOT NULL, removed INTEGER NOT NULL, remover INTEGER NOT NULL,
      PRIMARY KEY (source, bit, target)) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS TICDS_LINK_TARGET ON TICDS_LINK (target);
    CREATE TABLE IF NOT EXISTS TICDS_PLACE (
      source INTEGER NOT NULL, bit INTEGER NOT NULL, target INTEGER NOT NULL, inverse INTEGER NOT NULL,
      place BLOB NOT NULL, time INTEGER NOT NULL, author INTEGER NOT NULL,
      PRIMARY KEY (source, bit, target, inverse)) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS TICDS_PLACE_TARGET ON TICDS_PLACE (target);
    CREATE TABLE IF NOT EXISTS TICDS_CONTRIBUTION (
      object INTEGER NOT NULL, bit INTEGER NOT NULL, time INTEGER NOT NULL, author INTEGER NOT NULL,
      value BLOB NOT NULL, writer INTEGER NOT NULL,
      PRIMARY KEY (object, bit, time, author, value)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_LOG (
      position INTEGER PRIMARY KEY, action INTEGER NOT NULL, row INTEGER NOT NULL, mask INTEGER NOT NULL,
      time INTEGER NOT NULL, detail);
    CREATE TABLE IF NOT EXISTS TICDS_OUTBOX (
      sequence INTEGER PRIMARY KEY, hash BLOB NOT NULL, changes INTEGER NOT NULL, latest INTEGER NOT NULL,
      bytes BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS TICDS_LONGVALUE (
      hash BLOB PRIMARY KEY, sequence INTEGER NOT NULL, bytes BLOB NOT NULL);
    """

  /// Makes the tables if they are missing. A store without objects then has none to adopt.
  ///
  /// - Parameters:
  ///   - schema: what the store can hold.
  ///   - lastRow: the greatest row number of an entity of the schema; 0 without rows.
  /// - Throws: ``ReplicaError/newerBookkeeping`` if a newer version of this library has written them.
  static func prepare(_ connection: Connection, schema: SyncSchema, lastRow: (Int) throws -> Int64) throws {
    let exists =
      try connection.first(
        "SELECT count(*) FROM sqlite_schema WHERE name = 'TICDS_STATE'") == .integer(1)
    if exists, case .integer(let found)? = try State(connection).value("version") {
      guard found <= version else {
        throw ReplicaError.newerBookkeeping(path: connection.path, version: found)
      }
      return
    }
    try connection.transaction {
      try connection.execute(script: script)
      try State(connection).set("version", .integer(version))
      // What is there already is adopted, not inserted.
      var names = try NameTable(connection: connection, schema: schema)
      try names.moveFrontiers(of: schema, lastRow: lastRow)
      if names.entities.allSatisfy({ $0.frontier == 0 }) {
        try State(connection).set(Adoption.isCompleteKey, .integer(1))
      }
    }
  }
}

/// The small durable values of a replica: a table of names and values.
struct State {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func value(_ name: String) throws -> SQLiteValue? {
    let value = try connection.first("SELECT value FROM TICDS_STATE WHERE name = ?", .text(name))
    return value == .null ? nil : value
  }

  func set(_ name: String, _ value: SQLiteValue) throws {
    try connection.run("INSERT OR REPLACE INTO TICDS_STATE VALUES (?, ?)", .text(name), value)
  }

  func remove(_ name: String) throws {
    try connection.run("DELETE FROM TICDS_STATE WHERE name = ?", .text(name))
  }

  func integer(_ name: String) throws -> UInt64 {
    if case .integer(let value)? = try value(name) { return UInt64(bitPattern: value) }
    return 0
  }

  func setInteger(_ name: String, _ value: UInt64) throws {
    try set(name, .integer(Int64(bitPattern: value)))
  }
}
