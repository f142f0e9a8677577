import SQLite

/// The model that our own tools leave in the stores they make, as XML, so that those can be opened without naming one.
///
/// Core Data keeps a cache of its own for this, an archive of its private classes; a wrong one would harm, so none is
/// written.
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

  static func write(
    _ model: ManagedObjectModel, isDerived: Bool = false, to connection: Connection
  ) throws(SQLiteError) {
    try connection.run("CREATE TABLE TICDS_MODEL (CONTENTS BLOB)")
    try connection.run(
      "INSERT INTO TICDS_MODEL (CONTENTS) VALUES (?)", .blob(contents(of: model, isDerived: isDerived)))
  }

  static func read(_ connection: Connection) throws(SQLiteError) -> [UInt8]? {
    guard try connection.first("SELECT 1 FROM sqlite_master WHERE name = 'TICDS_MODEL'") != nil,
      case .blob(let xml) = try connection.first("SELECT CONTENTS FROM TICDS_MODEL")
    else { return nil }
    return xml
  }
}
