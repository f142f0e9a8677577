import TICDSSQLite

/// Compares the files of long values with the rows that lead to them.
struct UnusedFiles {
  let schema: StoreSchema
  let values: ExternalValues

  /// Names of files that no row leads to.
  func names(_ connection: Connection) throws -> Set<String> {
    var names = values.fileNames()
    if names.isEmpty { return names }
    for column in schema.externalColumns {
      let name = quote(column.name)
      let statement = try connection.prepare(
        "SELECT \(name) FROM \(quote(column.table)) WHERE length(\(name)) = 38")
      while try statement.step() {
        if let name = statement.withBlob(0, { ExternalValues.name(in: $0) }) { names.remove(name) }
      }
    }
    return names
  }
}

extension StoreSchema {
  /// The columns that may lead to files, each once, with the entity that declares the attribute.
  var externalColumns: [(entity: Int, property: Int, table: String, name: String)] {
    var columns: [(entity: Int, property: Int, table: String, name: String)] = []
    for (entity, table) in zip(model.entities, tables) {
      for (index, (property, storage)) in zip(entity.properties, table.storage).enumerated() {
        if property.asAttribute?.isMarkedExternal == true, case .attribute(let column, _) = storage,
          entity.ownPropertyNames.contains(property.name)
        {
          columns.append((entity.index, index, table.name, column))
        }
      }
    }
    return columns
  }
}

extension PersistentStore {
  /// Removes files of long values to which no row leads: a process that ended between writing such a file and its commit, or
  /// between a commit and the removal, leaves them. Reports nothing lost, for nothing is.
  ///
  /// Waits for other writers, and they for it: a file that is written belongs to a transaction that holds the lock. Where another store lies
  /// beside this one whose name differs in its extension alone, its files are in the same folder, and nothing is removed.
  /// - Returns: How many files were removed.
  /// - Throws: ``StoreError`` with `database` or `readOnly`.
  @discardableResult public func removeUnusedFiles() throws(StoreError) -> Int {
    if options.access == .readOnly { throw StoreError(.readOnly, path: path) }
    guard ExternalValues.neighbours(ofStoreAt: path).isEmpty else { return 0 }
    let values = ExternalValues(storePath: path)
    let connection = try newConnection()
    do {
      return try connection.transaction {
        let names = try UnusedFiles(schema: schema, values: values).names(connection)
        values.remove(names)
        return names.count
      }
    } catch let error as SQLiteError {
      throw StoreError(.database(error), path: path)
    } catch {
      throw StoreError(.externalFile(error.localizedDescription), path: path)
    }
  }
}
