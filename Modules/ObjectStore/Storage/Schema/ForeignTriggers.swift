import TICDSSQLite

/// Finds triggers of a store that the derived attributes of its model do not make. They run with whatever is written, and may do anything.
struct ForeignTriggers {
  let schema: StoreSchema
  let connection: Connection

  /// Their names, in order.
  ///
  /// - Throws: `SQLiteError`.
  func names() throws -> [String] {
    let own = Set(DerivationTriggers(schema: schema).all().flatMap(\.triggers).map(\.name))
    let listing = try connection.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
    var names: [String] = []
    while try listing.step() {
      let name = listing.text(0)
      if !own.contains(name) { names.append(name) }
    }
    return names
  }
}

extension PersistentStore {
  /// The names of triggers that the store has and its model does not make, in order: they run with whatever is written.
  ///
  /// - Throws: ``StoreError`` with `database`.
  package func foreignTriggers() throws(StoreError) -> [String] {
    let connection = try newConnection()
    do {
      return try ForeignTriggers(schema: schema, connection: connection).names()
    } catch let error as SQLiteError {
      throw StoreError(.database(error), path: path)
    } catch {
      throw StoreError(.damagedMetadata(String(describing: error)), path: path)
    }
  }
}
