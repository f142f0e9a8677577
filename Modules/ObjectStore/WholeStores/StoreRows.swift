import TICDSSQLite

/// Reads the objects of an SQLite store row by row, one at a time, without a context.
///
/// Holds a connection of its own, so it belongs to one isolation domain. Everything that one ``forEachObject(of:_:)`` reads
/// comes from one snapshot of the store.
public final class StoreRows: StoredObjectSource {
  /// The store.
  public let store: PersistentStore
  private let connection: Connection
  private let external: ExternalValues
  private var rows: [Int: EntityRows] = [:]

  /// Reads a store.
  ///
  /// - Throws: ``StoreError`` if the file cannot be opened.
  public init(_ store: PersistentStore) throws(StoreError) {
    self.store = store
    connection = try store.newConnection()
    external = ExternalValues(storePath: store.path)
  }

  /// The store's model.
  public var model: ManagedObjectModel { store.model }

  /// Goes through the store; only one object and its lists of members are held at a time.
  ///
  /// - Throws: ``StoreError`` if SQLite fails, `CancellationError` if the task is cancelled, and what `body` throws.
  public func forEachObject(of entity: EntityDescription?, _ body: (StoredObject) throws -> Void) throws {
    let indices = entity?.familyIndices ?? Array(model.entities.indices)
    try snapshot {
      for entity in indices.map({ model.entities[$0] }) where !entity.isAbstract {
        try forEachRow(of: entity, body)
      }
    }
  }

  /// Reads all statements of `body` from one state of the store.
  private func snapshot(_ body: () throws -> Void) throws {
    do {
      try connection.run("BEGIN")
      defer { try? connection.run("COMMIT") }
      try body()
    } catch let error as SQLiteError {
      throw StoreError(.database(error), path: store.path)
    }
  }

  private func forEachRow(of entity: EntityDescription, _ body: (StoredObject) throws -> Void) throws {
    let rows = try entityRows(entity)
    let statement = try rows.allRows()
    while try statement.step() {
      try Task.checkCancellation()
      try body(rows.object(statement))
    }
  }

  /// One object, looked up by its key.
  ///
  /// - Throws: ``StoreError`` if SQLite fails.
  public func object(_ reference: StoredObject.Reference) throws -> StoredObject? {
    guard model.entities.indices.contains(reference.entity), !model.entities[reference.entity].isAbstract
    else { return nil }
    do {
      return try entityRows(model.entities[reference.entity]).object(key: reference.key)
    } catch let error as SQLiteError {
      throw StoreError(.database(error), path: store.path)
    }
  }

  private func entityRows(_ entity: EntityDescription) throws -> EntityRows {
    if let known = rows[entity.index] { return known }
    let made = try EntityRows(entity, schema: store.schema, connection: connection, external: external)
    rows[entity.index] = made
    return made
  }
}
