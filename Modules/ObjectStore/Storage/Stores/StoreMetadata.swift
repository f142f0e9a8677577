import CoreDataFormats
import TICDSSQLite

/// What a store says about itself: the row of `Z_METADATA`.
public struct StoreMetadata: Sendable, Hashable {
  /// The store's identity, an upper-case UUID.
  public var uuid: String
  /// The version hash of every entity by name; `nil` if the store does not say.
  public var versionHashes: [String: [UInt8]]?
  /// Names that the application gave to the version of the model.
  public var versionIdentifiers: [String]
  /// Version of the Core Data framework that wrote the store last, if it says so.
  public var frameworkVersion: Int?
  /// The metadata as it stands in the file, a binary property list; empty if there is none.
  public var propertyList: [UInt8]

  /// Reads the metadata of a store.
  ///
  /// - Throws: ``StoreError`` with `notAStore` or `damagedMetadata`.
  static func read(_ connection: Connection) throws -> StoreMetadata {
    let path = connection.path
    guard
      try connection.first(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('Z_METADATA', 'Z_PRIMARYKEY')")
        == .integer(2)
    else { throw StoreError(.notAStore, path: path) }
    let statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1")
    defer { statement.reset() }
    guard try statement.step() else { throw StoreError(.damagedMetadata("the table is empty"), path: path) }
    return try StoreMetadata(uuid: statement.text(0), propertyList: statement.blob(1), path: path)
  }

  private init(uuid: String, propertyList: [UInt8], path: String) throws {
    self.uuid = uuid
    self.propertyList = propertyList
    versionIdentifiers = []
    // Copies made for forensic purposes have been seen without a property list.
    if propertyList.isEmpty { return }
    // Not read by Foundation, which stops the process on some damaged lists.
    let entries: [String: PropertyList]
    do throws(CoreDataFormatError) {
      guard case .dictionary(let decoded) = try BinaryPropertyList.decode(propertyList) else {
        throw CoreDataFormatError(.malformed, in: .binaryPropertyList, at: 0, expected: "a dictionary")
      }
      entries = decoded
    } catch {
      throw StoreError(.damagedMetadata("\(error)"), path: path)
    }
    versionHashes = entries["NSStoreModelVersionHashes"]?.dictionaryValue?.compactMapValues(\.dataValue)
    versionIdentifiers =
      entries["NSStoreModelVersionIdentifiers"]?.arrayValue?.compactMap(\.stringValue) ?? []
    frameworkVersion = entries["NSPersistenceFrameworkVersion"]?.integerValue.map { Int(clamping: $0) }
  }

  /// The metadata of a new store.
  ///
  /// Claims that framework version 1338 wrote it: a Mac then neither rebuilds indexes nor repairs anything on opening.
  init(model: ManagedObjectModel, uuid: String, path: String) throws {
    self.uuid = uuid
    versionHashes = model.versionHashes
    versionIdentifiers = model.versionIdentifiers
    frameworkVersion = 1338
    var entries = Self.entries(of: model, storeType: "SQLite")
    entries["_NSAutoVacuumLevel"] = .string("2")
    propertyList = BinaryPropertyList.encode(.dictionary(entries))
  }

  /// Writes that the store is now of another version of its model. The application's own entries stay.
  func write(for model: ManagedObjectModel, to connection: Connection) throws {
    var entries: [String: PropertyList] = [:]
    if !propertyList.isEmpty, case .dictionary(let known) = try BinaryPropertyList.decode(propertyList) {
      entries = known
    }
    for (key, value) in Self.entries(of: model, storeType: "SQLite") { entries[key] = value }
    try connection.run(
      "UPDATE Z_METADATA SET Z_PLIST = ?", .blob(BinaryPropertyList.encode(.dictionary(entries))))
  }

  /// What Core Data expects a new store of either kind to say about itself.
  static func entries(of model: ManagedObjectModel, storeType: String) -> [String: PropertyList] {
    [
      "NSStoreType": .string(storeType),
      "NSStoreModelVersionHashes": .dictionary(model.versionHashes.mapValues { .data($0) }),
      "NSStoreModelVersionHashesVersion": .integer(3),
      "NSStoreModelVersionHashesDigest": .string(VersionHash.digest(of: model)),
      "NSStoreModelVersionChecksumKey": .string(VersionHash.checksum(of: model)),
      "NSStoreModelVersionIdentifiers": .array(model.versionIdentifiers.map { .string($0) }),
      "NSPersistenceFrameworkVersion": .integer(1338),
    ]
  }

  /// One line for each entity in which the store and a model differ; empty if they fit.
  func differences(from model: ManagedObjectModel) -> [String] {
    guard let versionHashes else { return ["the store does not say what model it was made for"] }
    var lines: [String] = []
    for entity in model.entities where versionHashes[entity.name] != entity.versionHash {
      lines.append(
        versionHashes[entity.name] == nil
          ? "\(entity.name): is not in the store" : "\(entity.name): differs from that in the store")
    }
    for name in versionHashes.keys.sorted() where model.entity(named: name) == nil {
      lines.append("\(name): is in the store, but not in the model")
    }
    return lines
  }
}
