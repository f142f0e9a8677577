import TICDSSQLite

/// The SQLite database in which a store's rows and the bookkeeping of changes commit together.
///
/// A ``LocalStore`` hands the engine the connection that it works on itself, whatever library opened that:
///
/// ```swift
/// sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
/// database = SharedDatabase(handle: handle, path: path)
/// ```
/// Confined to the isolation of the replica that owns the store. The engine begins and ends transactions, keeps tables whose names
/// begin with `TICDS_`, and changes no other setting of the connection.
public struct SharedDatabase {
  package let connection: Connection

  /// Shares a connection of SQLite's own C interface, or of any library that is built on it.
  ///
  /// - Parameters:
  ///   - handle: a `sqlite3 *` that is open for writing. It is not closed here.
  ///   - path: its file, for messages.
  ///   - owner: whatever closes the handle, kept alive as long as the handle is used. Not the store itself: the engine owns that.
  public init(handle: OpaquePointer, path: String, keeping owner: AnyObject? = nil) {
    connection = Connection(sharing: handle, path: path, keeping: owner)
  }

  package init(_ connection: Connection) { self.connection = connection }

  /// The `sqlite3 *` that is shared.
  public var handle: OpaquePointer { connection.handle }
}

extension LocalStore {
  package var connection: Connection { database.connection }
}
