import TICDSSQLite

/// Finds the model that a store was made for, given what the store records of it.
struct StoreModelFinding {
  let versions: [ManagedObjectModel]
  let hashes: [String: [UInt8]]

  /// The steps from the store's model to the wanted one, as a list of models; `nil` if the store's model is nowhere to be found.
  func path(to target: ManagedObjectModel, _ connection: Connection) throws(SQLiteError)
    -> [ManagedObjectModel]?
  {
    if let start = versions.lastIndex(where: { $0.versionHashes == hashes }) {
      let steps = Array(versions[start...]) + [target]
      // The current version may be listed as the last of the earlier ones, too.
      return steps.enumerated().filter {
        $0.offset == 0 || $0.element.versionHashes != steps[$0.offset - 1].versionHashes
      }.map(\.element)
    }
    return try remembered(connection).map { [$0, target] }
  }

  /// The store's model, as the file keeps it if it does, for that has the names that its maker gave; `nil` if it is nowhere to be found.
  func model(_ connection: Connection) throws(SQLiteError) -> ManagedObjectModel? {
    try remembered(connection) ?? versions.last { $0.versionHashes == hashes }
  }

  /// The model that was left in the file, by this library or by Core Data; only if it is the store's by its hashes.
  private func remembered(_ connection: Connection) throws(SQLiteError) -> ManagedObjectModel? {
    if let xml = try EmbeddedModel.read(connection), let model = try? ManagedObjectModel(modelFile: xml),
      model.versionHashes == hashes
    {
      return model
    }
    guard let cache = try EmbeddedModel.readCache(connection),
      let model = try? ManagedObjectModel(modelCache: cache), model.versionHashes == hashes
    else { return nil }
    return model
  }
}
