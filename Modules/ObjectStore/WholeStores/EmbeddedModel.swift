import SQLite

/// The model that our own tools leave in the stores they make, as XML, so that those can be opened without naming one.
///
/// Core Data keeps a cache of its own for this, an archive of its private classes; a wrong one would harm, so none is
/// written.
enum EmbeddedModel {
  /// The metadata key of a binary store.
  static let metadataKey = "TICDS_Model"

  static func write(_ model: ManagedObjectModel, to connection: Connection) throws(SQLiteError) {
    try connection.run("CREATE TABLE TICDS_MODEL (CONTENTS BLOB)")
    try connection.run("INSERT INTO TICDS_MODEL (CONTENTS) VALUES (?)", .blob(Array(model.xml.utf8)))
  }

  static func read(_ connection: Connection) throws(SQLiteError) -> [UInt8]? {
    guard try connection.first("SELECT 1 FROM sqlite_master WHERE name = 'TICDS_MODEL'") != nil,
      case .blob(let xml) = try connection.first("SELECT CONTENTS FROM TICDS_MODEL")
    else { return nil }
    return xml
  }
}
