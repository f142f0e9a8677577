import TICDSSQLite

/// The tables that live beside the data, so that both commit together.
///
/// Their layout is private to this module and described in `Docs/Formats/Bookkeeping.md`.
enum Bookkeeping {
  static let version: Int64 = 5

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
      id INTEGER PRIMARY KEY, path BLOB NOT NULL, root INTEGER NOT NULL, frontier INTEGER NOT NULL DEFAULT 0,
      local INTEGER);
    CREATE TABLE IF NOT EXISTS TICDS_PROPERTY (
      root INTEGER NOT NULL, bit INTEGER NOT NULL, path BLOB NOT NULL, kind INTEGER NOT NULL, destination INTEGER,
      PRIMARY KEY (root, bit)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_LOCAL (
      entity INTEGER NOT NULL, position INTEGER NOT NULL, bit INTEGER NOT NULL, path BLOB NOT NULL,
      PRIMARY KEY (entity, position)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_NAME (
      root INTEGER NOT NULL, kind INTEGER NOT NULL, path BLOB NOT NULL, number INTEGER NOT NULL,
      PRIMARY KEY (root, kind, path)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_MERGE (
      entity INTEGER NOT NULL, bit INTEGER NOT NULL, merge TEXT NOT NULL, PRIMARY KEY (entity, bit)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_MIGRATION (
      step INTEGER NOT NULL, entity TEXT NOT NULL, property TEXT, newEntity TEXT, newProperty TEXT,
      keyOffset INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS TICDS_OBJECT (
      id INTEGER PRIMARY KEY, syncid NOT NULL, root INTEGER NOT NULL, entity INTEGER NOT NULL, row INTEGER,
      inserted INTEGER NOT NULL, inserter INTEGER NOT NULL, deleted INTEGER NOT NULL, deleter INTEGER NOT NULL,
      covered INTEGER NOT NULL, clocks BLOB);
    CREATE UNIQUE INDEX IF NOT EXISTS TICDS_OBJECT_SYNCID ON TICDS_OBJECT (syncid, root);
    CREATE TABLE IF NOT EXISTS TICDS_VALUE (
      object INTEGER NOT NULL, bit INTEGER NOT NULL, value BLOB NOT NULL, contested INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (object, bit)) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS TICDS_VALUE_CONTEST ON TICDS_VALUE (bit, value) WHERE contested;
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
    CREATE INDEX IF NOT EXISTS TICDS_PLACE_OF_TARGETS ON TICDS_PLACE (source, bit, place) WHERE inverse = 0;
    CREATE INDEX IF NOT EXISTS TICDS_PLACE_OF_SOURCES ON TICDS_PLACE (target, bit, place) WHERE inverse = 1;
    CREATE TABLE IF NOT EXISTS TICDS_CONTRIBUTION (
      object INTEGER NOT NULL, bit INTEGER NOT NULL, time INTEGER NOT NULL, author INTEGER NOT NULL,
      value BLOB NOT NULL, writer INTEGER NOT NULL,
      PRIMARY KEY (object, bit, time, author, value)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_TOTAL (
      object INTEGER NOT NULL, bit INTEGER NOT NULL, start BLOB NOT NULL, time INTEGER NOT NULL,
      author INTEGER NOT NULL, value BLOB NOT NULL, total BLOB NOT NULL, PRIMARY KEY (object, bit)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_CONTEST (
      holder INTEGER NOT NULL, bit INTEGER NOT NULL, target INTEGER NOT NULL,
      PRIMARY KEY (holder, bit)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_UNSHOWN (
      reason INTEGER NOT NULL, object INTEGER NOT NULL, bit INTEGER NOT NULL,
      PRIMARY KEY (reason, object, bit)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_CLEARING (
      object INTEGER NOT NULL, bit INTEGER NOT NULL, time INTEGER NOT NULL,
      PRIMARY KEY (object, bit)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS TICDS_LOG (
      position INTEGER PRIMARY KEY, action INTEGER NOT NULL, row INTEGER NOT NULL, mask INTEGER NOT NULL,
      time INTEGER NOT NULL, detail);
    CREATE TABLE IF NOT EXISTS TICDS_OUTBOX (
      sequence INTEGER PRIMARY KEY, hash BLOB NOT NULL, changes INTEGER NOT NULL, latest INTEGER NOT NULL,
      bytes BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS TICDS_LONGVALUE (
      hash BLOB PRIMARY KEY, sequence INTEGER NOT NULL, bytes BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS TICDS_SENT (
      id INTEGER PRIMARY KEY, author INTEGER NOT NULL, sequence INTEGER NOT NULL, hash BLOB NOT NULL,
      bytes BLOB NOT NULL, UNIQUE (author, sequence));
    CREATE TABLE IF NOT EXISTS TICDS_SENTVALUE (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS TICDS_REMOTE (
      kind TEXT NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY (kind, key)) WITHOUT ROWID;
    """

  /// Whether a file holds bookkeeping that this version can use.
  static func exists(in connection: Connection) throws -> Bool {
    guard try connection.first("SELECT 1 FROM sqlite_schema WHERE name = 'TICDS_STATE'") != nil,
      case .integer(let found)? = try StateTable(connection).value(.version)
    else { return false }
    guard found <= version else {
      throw ReplicaError.newerBookkeeping(path: connection.path, version: found)
    }
    guard found == version else {
      throw ReplicaError.olderBookkeeping(path: connection.path, version: found)
    }
    try requireAll(in: connection)
    return true
  }

  /// The tables and indexes that are made.
  private static let names = script.matches(of: /(?:TABLE|INDEX) IF NOT EXISTS (\w+)/).map { String($0.1) }

  private static func requireAll(in connection: Connection) throws {
    let found = try connection.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'TICDS%'")
    var missing = Set(names)
    while try found.step() { missing.remove(found.text(0)) }
    guard let first = missing.min() else { return }
    throw ReplicaError.damagedBookkeeping(path: connection.path, "\(first) is missing in it.")
  }
}
