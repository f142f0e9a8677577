import TICDSSQLite
import TICDSZlib

/// The model that a store keeps of itself, so that it can be opened without naming one.
///
/// An SQLite store keeps it as Core Data's cache does, which both sides read. What was derived from the content of a store is
/// not the model that it was made for, so Core Data must not find it there: it stands as XML in a table of our own. A binary store
/// has its model as XML among its metadata.
enum EmbeddedModel {
  /// The metadata key of a binary store.
  static let metadataKey = "TICDS_Model"

  /// Stands in the XML of a model that was derived from what a store holds: its version hashes are not those of the store.
  private static let mark = "<!-- derived from what is stored -->"

  static func contents(of model: ManagedObjectModel, isDerived: Bool = false) -> [UInt8] {
    Array((model.xml + (isDerived ? mark : "")).utf8)
  }

  static func isDerived(_ contents: [UInt8]) -> Bool {
    contents.suffix(mark.utf8.count).elementsEqual(mark.utf8)
  }

  /// Writes the cache that Core Data reads.
  static func write(_ model: ManagedObjectModel, to connection: Connection) throws {
    try writeCache(model.modelCache(), to: connection)
  }

  /// Writes a cache as another store has it, with what is in it beyond what a ``ManagedObjectModel`` knows.
  static func writeCache(_ cache: [UInt8], to connection: Connection) throws(SQLiteError) {
    try connection.run("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
    try connection.run("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)", .blob(cache))
  }

  static func writeDerived(_ model: ManagedObjectModel, to connection: Connection) throws(SQLiteError) {
    try connection.run("CREATE TABLE TICDS_MODEL (CONTENTS BLOB)")
    try connection.run(
      "INSERT INTO TICDS_MODEL (CONTENTS) VALUES (?)", .blob(contents(of: model, isDerived: true)))
  }

  /// Takes away what a store of another model would keep.
  static func remove(from connection: Connection) throws(SQLiteError) {
    try connection.run("DROP TABLE IF EXISTS Z_MODELCACHE")
    try connection.run("DROP TABLE IF EXISTS TICDS_MODEL")
  }

  /// The XML of a derived model.
  static func read(_ connection: Connection) throws(SQLiteError) -> [UInt8]? {
    try content("CONTENTS", of: "TICDS_MODEL", connection)
  }

  static func readCache(_ connection: Connection) throws(SQLiteError) -> [UInt8]? {
    try content("Z_CONTENT", of: "Z_MODELCACHE", connection)
  }

  private static func content(
    _ column: String, of table: String, _ connection: Connection
  ) throws(SQLiteError) -> [UInt8]? {
    guard try connection.first("SELECT 1 FROM sqlite_master WHERE name = ?", .text(table)) != nil,
      case .blob(let content) = try connection.first("SELECT \(column) FROM \(table)")
    else { return nil }
    return content
  }
}
