import CoreDataFormats
import Foundation

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
    guard !FileManager.default.fileExists(atPath: path) else {
      throw StoreFileError(.exists, path: path, "there is a file of this name already")
    }
    var entries = StoreMetadata.entries(
      of: source.model, storeType: kind == .sqlite ? "SQLite" : "Binary"
    ).compactMapValues { ArchivedObject(propertyList: $0) }
    for (key, value) in metadata where isTakenOver(key) { entries[key] = value }
    if BinaryStore(nodes: [], metadata: entries).versionHashes != source.model.versionHashes {
      // These are made from the hashes, which this model does not have. Stores of older frameworks do without them.
      for key in digestKeys { entries[key] = nil }
      entries["NSPersistenceFrameworkVersion"] = .integer(866)
    }
    switch kind {
    case .sqlite:
      var assembly = SchemaAssembly(model: source.model)
      entries["_NSAutoVacuumLevel"] = .string("2")
      let list = PropertyList.dictionary(entries.compactMapValues(\.propertyList))
      var stored = try StoreMetadata(model: source.model, uuid: uuid, path: path)
      stored.propertyList = BinaryPropertyList.encode(list)
      let model = source.model
      let writer = StoreWriter(schema: assembly.assemble(), metadata: stored) { connection in
        try EmbeddedModel.write(model, to: connection)
      }
      try writer.write(source, to: path)
    case .binary:
      entries[BinaryStore.storeUUIDKey] = .string(uuid)
      entries[EmbeddedModel.metadataKey] = .data(Array(source.model.xml.utf8))
      let bytes = try BinaryStore(source, metadata: entries).encoded()
      try StoreWriter.moveIntoPlace(path) { temporary in try Data(bytes).write(to: URL(filePath: temporary)) }
    }
  }

  /// Makes a copy of this store, of the same or the other kind, with the same identity.
  ///
  /// - Throws: ``StoreFileError``, or what reading throws.
  public func copy(to path: String, as kind: Kind? = nil) throws {
    try Self.write(objects(), to: path, as: kind ?? self.kind, uuid: uuid, copying: metadata)
  }

  private static let hashKeys = ["NSStoreModelVersionHashes", "NSStoreModelVersionIdentifiers"]
  private static let digestKeys = ["NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey"]

  private static func isTakenOver(_ key: String) -> Bool {
    hashKeys.contains(key)
      || !key.hasPrefix("NS") && !key.hasPrefix("_NS") && key != EmbeddedModel.metadataKey
  }
}
