import TICDSSQLite

extension PersistentStore {
  /// The model that a copy of this store was made for, which another version of the application may have made: this store's, the one that the
  /// copy keeps of itself, or one that this store's migration names.
  ///
  /// - Parameter path: where the copy lies.
  /// - Throws: ``StoreError`` with `unknownVersion`, `damagedMetadata` or `database`.
  package func model(ofCopyAt path: String) throws -> ManagedObjectModel {
    do {
      let connection = try StoreOpening.connect(path: path, options: Options(access: .readWrite))
      let metadata = try StoreMetadata.read(connection)
      let differences = metadata.differences(from: model)
      if differences.isEmpty { return model }
      guard let hashes = metadata.versionHashes,
        let found = try StoreModelFinding(versions: options.migration?.versions ?? [], hashes: hashes)
          .model(connection)
      else { throw StoreError(.unknownVersion(differences), path: path) }
      return found
    } catch let error as SQLiteError {
      throw StoreError(.database(error), path: path)
    }
  }
}
