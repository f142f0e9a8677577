import TICDSSQLite

extension StoreFile {
  /// How many objects there are of each entity itself, without those that inherit from it: by ``EntityDescription/index``, all from one
  /// state of the store, and without reading the objects of an SQLite store.
  ///
  /// - Throws: ``StoreError`` if SQLite fails, ``BinaryStoreError`` if the model does not fit.
  public func objectCounts() throws -> [Int] {
    var counts = Array(repeating: 0, count: model.entities.count)
    guard let store = persistentStore else {
      try objects().forEachObject(of: nil) { counts[$0.reference.entity] += 1 }
      return counts
    }
    let connection = try store.newConnection()
    do {
      try connection.run("BEGIN")
      defer { try? connection.run("COMMIT") }
      for (entity, table) in zip(model.entities, store.schema.tables) where entity.parent == nil {
        let rows = try connection.prepare(
          """
          SELECT Z_ENT, count(*) FROM \(quote(table.name)) \
          WHERE typeof(Z_PK) = 'integer' AND Z_PK > 0 GROUP BY Z_ENT
          """)
        while try rows.step() {
          guard !rows.isNull(0), let entity = store.schema.entity(numbered: rows.int64(0)),
            !entity.isAbstract
          else { continue }
          counts[entity.index] += Int(clamping: rows.int64(1))
        }
      }
    } catch {
      throw StoreError(.database(error), path: path)
    }
    return counts
  }
}
