import CoreDataFormats
import Foundation
import TICDSSQLite

extension StoreFile {
  /// Makes a new store of all objects of a source.
  ///
  /// The file appears under its name when it is complete. Objects keep their keys where the kind of store allows it.
  ///
  /// - Parameters:
  ///   - path: The new file; there must be none.
  ///   - kind: The kind of store to make.
  ///   - source: The objects and their model.
  ///   - uuid: The new store's identity.
  ///   - metadata: What the store that is copied says about itself. The application's own entries are taken over; version
  ///     hashes are, where the model was only derived and so cannot give the true ones.
  /// - Throws: ``StoreFileError``, or what the source throws.
  public static func write(
    _ source: some StoredObjectSource, to path: String, as kind: Kind, uuid: String = UUID().uuidString,
    copying metadata: [String: ArchivedObject] = [:]
  ) throws {
    try write(source, to: path, as: kind, uuid: uuid, copying: metadata, beside: nil)
  }

  /// - Parameter original: The store that is copied, which tells what objects do not: the keys that were handed out, and its history.
  private static func write(
    _ source: some StoredObjectSource, to path: String, as kind: Kind, uuid: String,
    copying metadata: [String: ArchivedObject], beside original: StoreFile?
  ) throws {
    guard Kind.writable.contains(kind) else {
      throw StoreFileError(.notWritten, path: path, "XML stores are read, and not written")
    }
    let isDerived = original?.modelOrigin == .derived
    try WholeFile.refuseTaken(path)
    if kind == .sqlite { try ExternalValues.refuseSharing(path, of: source.model) }
    var entries = StoreMetadata.entries(
      of: source.model, storeType: kind == .sqlite ? "SQLite" : "Binary"
    ).compactMapValues { ArchivedObject(propertyList: $0) }
    for (key, value) in metadata where isTakenOver(key) { entries[key] = value }
    if BinaryStore(nodes: [], metadata: entries).versionHashes != source.model.versionHashes {
      // These are made from the hashes, which this model does not have. Stores of older frameworks do without them.
      for key in digestKeys { entries[key] = nil }
      entries["NSPersistenceFrameworkVersion"] = .integer(866)
    }
    // A copy is of the framework that its source is of, and says as much of its model.
    if let version = metadata[frameworkKey] {
      entries[frameworkKey] = version
      for key in digestKeys where metadata[key] == nil { entries[key] = nil }
    }
    switch kind {
    case .sqlite:
      var assembly = SchemaAssembly(model: source.model, oneWay: original?.oneWayLayout ?? .ownerColumn)
      entries["_NSAutoVacuumLevel"] = .string("2")
      let list = PropertyList.dictionary(entries.compactMapValues(\.propertyList))
      var stored = try StoreMetadata(model: source.model, uuid: uuid, path: path)
      stored.propertyList = BinaryPropertyList.encode(list)
      let model = source.model
      let schema = assembly.assemble()
      let writer = StoreWriter(schema: schema, metadata: stored) { connection in
        if isDerived {
          try EmbeddedModel.writeDerived(model, to: connection)
        } else if let cache = try original?.modelCache() {
          try EmbeddedModel.writeCache(cache, to: connection)
        } else {
          try EmbeddedModel.write(model, to: connection)
        }
        guard let original else { return }
        try original.copyCounters(to: connection, schema)
        if let store = original.persistentStore {
          try HistoryTables(connection: store.newConnection()).copy(to: connection)
        }
      }
      do { try writer.write(source, to: path) } catch let error as StoreError where error.isConstraint {
        throw try RepeatedValues.refusal(path, source, uuid: uuid) ?? error
      }
    case .binary:
      entries[BinaryStore.storeUUIDKey] = .string(uuid)
      entries[EmbeddedModel.metadataKey] = .data(
        EmbeddedModel.contents(of: source.model, isDerived: isDerived))
      var store = try BinaryStore(source, metadata: entries)
      store.lastPrimaryKey = max(store.lastPrimaryKey, try original?.lastKeys().values.max() ?? 0)
      let bytes = try store.encoded()
      try WholeFile.make(path) { temporary in try Data(bytes).write(to: URL(filePath: temporary)) }
    case .xml: break
    }
  }

  /// Makes a copy of this store, of the same or the other kind, with the same identity.
  ///
  /// - Throws: ``StoreFileError``, or what reading throws.
  public func copy(to path: String, as kind: Kind? = nil) throws {
    try Self.write(
      objects(), to: path, as: kind ?? self.kind, uuid: uuid, copying: metadata, beside: self)
  }

  /// The cache that this store's model was read from.
  private func modelCache() throws -> [UInt8]? {
    guard modelOrigin == .cache, let store = persistentStore else { return nil }
    return try EmbeddedModel.readCache(store.newConnection())
  }

  /// The last key that was handed out for each root entity, by name. Keys are not used again, though their objects may be gone.
  private func lastKeys() throws -> [String: Int64] {
    if case .binary(let store) = content {
      return Dictionary(
        model.entities.filter { $0.parent == nil }.map { ($0.name, store.lastPrimaryKey) },
        uniquingKeysWith: { first, _ in first })
    }
    guard let store = persistentStore else { return [:] }
    let connection = try store.newConnection()
    var keys: [String: Int64] = [:]
    for (entity, table) in zip(model.entities, store.schema.tables) where entity.parent == nil {
      let last = try connection.first(
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", .integer(table.number))
      if case .integer(let key)? = last { keys[entity.name] = key }
    }
    return keys
  }

  private func copyCounters(to connection: Connection, _ schema: StoreSchema) throws {
    for (name, key) in try lastKeys() {
      guard let entity = schema.model.entity(named: name) else { continue }
      try connection.run(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", .integer(key),
        .integer(schema.table(of: entity).number))
    }
  }

  private static let frameworkKey = "NSPersistenceFrameworkVersion"

  private static let hashKeys = ["NSStoreModelVersionHashes", "NSStoreModelVersionIdentifiers"]
  private static let digestKeys = ["NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey"]

  private static func isTakenOver(_ key: String) -> Bool {
    hashKeys.contains(key)
      || !key.hasPrefix("NS") && !key.hasPrefix("_NS") && key != EmbeddedModel.metadataKey
  }
}
