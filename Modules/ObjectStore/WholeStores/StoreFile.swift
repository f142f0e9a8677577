import CoreDataFormats
import Foundation
import TICDSSQLite

/// A Core Data store file of any kind, opened for looking at it: nothing is written, not even a journal.
///
/// A model need not be named. It is found in this order: what our own tools left in the file, the model cache that Core
/// Data leaves in SQLite stores, and else whatever the tables or nodes themselves tell.
public struct StoreFile: Sendable {
  /// The kinds of stores.
  public enum Kind: String, Sendable, CaseIterable {
    /// An SQLite database.
    case sqlite
    /// A binary store, rewritten as a whole at every save.
    case binary
    /// An XML store, which Core Data has on macOS alone. It is read, and not written.
    case xml

    /// Those that can be made.
    public static let writable: [Kind] = [.sqlite, .binary]
  }

  /// Where the model came from.
  public enum ModelOrigin: String, Sendable {
    /// The caller named it.
    case named
    /// Our tools left it in the file, which is a binary store.
    case embedded
    /// The cache of the model that SQLite stores have, ours as well as Core Data's.
    case cache
    /// From tables or nodes, those of an XML store among them; names and types are guesses where those do not tell.
    case derived
  }

  /// The file, which is where a link leads that was named.
  public let path: String
  /// What kind of store it is.
  public let kind: Kind
  /// The model that the objects are read with.
  public let model: ManagedObjectModel
  /// Where that model came from.
  public let modelOrigin: ModelOrigin
  /// The store's identity, an upper-case UUID; empty if it has none.
  public let uuid: String
  /// Why the model that the file keeps of itself was not used; `nil` if it was, or if there is none.
  public let modelProblem: String?
  /// What the store says about itself, by the keys that Core Data uses.
  public let metadata: [String: ArchivedObject]
  let content: Content

  enum Content: Sendable {
    case sqlite(PersistentStore)
    case binary(BinaryStore)
  }

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - named: The model to read it with, or `nil` to find one in the file.
  /// - Throws: ``StoreFileError``. A named model whose version hashes are not the store's is refused, with a line for
  ///   each entity that differs.
  public init(path: String, model named: ManagedObjectModel? = nil) throws(StoreFileError) {
    let path = StorePath.followingLinks(path)
    do {
      switch try Self.kind(of: path) {
      case .sqlite: try self.init(sqlite: path, named)
      case .binary: try self.init(BinaryStore(Self.bytes(path), allowing: .any), .binary, path, named)
      case .xml: try self.init(BinaryStore(XMLStore(Self.bytes(path)), model: named), .xml, path, named)
      }
    } catch let error as StoreFileError { throw error } catch {
      // Errors from further down begin with the path themselves.
      let words = "\(error)"
      let message = words.hasPrefix("\(path): ") ? String(words.dropFirst(path.count + 2)) : words
      throw StoreFileError(.unreadable, path: path, message, underlying: error)
    }
  }

  /// The objects of the store.
  ///
  /// - Throws: ``StoreError`` if the file cannot be opened again, ``BinaryStoreError`` if the model does not fit.
  public func objects() throws -> any StoredObjectSource {
    switch content {
    case .sqlite(let store): try StoreRows(store)
    case .binary(let store): try BinaryStoreObjects(store, model: model)
    }
  }

  /// The store if it is an SQLite database.
  public var persistentStore: PersistentStore? {
    if case .sqlite(let store) = content { store } else { nil }
  }

  /// The URI form of an object's identifier.
  public func uri(of reference: StoredObject.Reference) -> String {
    "x-coredata://\(uuid)/\(model.entities[reference.entity].name)/p\(reference.key)"
  }

  /// The version hash of every entity as the store recorded it; empty if it did not.
  public var versionHashes: [String: [UInt8]] {
    BinaryStore(nodes: [], metadata: metadata).versionHashes
  }

  /// One line for every entity in which the recorded version hashes differ from those of the model.
  public var hashDifferences: [String] { Self.differences(between: versionHashes, and: model) }

  static func differences(
    between recorded: [String: [UInt8]], and model: ManagedObjectModel
  ) -> [String] {
    guard !recorded.isEmpty else { return ["the store does not say what model it was made for"] }
    var lines: [String] = []
    for entity in model.entities where recorded[entity.name] != entity.versionHash {
      let isThere = recorded[entity.name] != nil
      lines.append("\(entity.name): \(isThere ? "differs from that in the store" : "is not in the store")")
    }
    for name in recorded.keys.sorted() where model.entity(named: name) == nil {
      lines.append("\(name): is in the store, but not in the model")
    }
    return lines
  }
}

// MARK: - Opening

extension StoreFile {
  private static let sqliteMagic = Array("SQLite format 3\0".utf8)

  /// What kind of store a file is, by its first bytes.
  ///
  /// - Throws: ``StoreFileError`` if it is none, or cannot be read.
  public static func kind(of path: String) throws(StoreFileError) -> Kind {
    if RegularFile.isOther(path) { throw StoreFileError(.unreadable, path: path, RegularFile.words) }
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw StoreFileError(.unreadable, path: path, "there is no such file, or it may not be read")
    }
    defer { try? file.close() }
    let start: [UInt8]
    do { start = Array(try file.read(upToCount: XMLStore.beginningSize) ?? Data()) } catch {
      throw StoreFileError(.unreadable, path: path, "it cannot be read", underlying: error)
    }
    if start.starts(with: sqliteMagic) { return .sqlite }
    if BinaryStore.isBinaryStore(start) { return .binary }
    if XMLStore.isXMLStore(start) { return .xml }
    throw StoreFileError(
      .otherFormat, path: path, "it is neither an SQLite nor a binary nor an XML store of Core Data")
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  /// A store of which everything is in memory.
  private init(
    _ store: BinaryStore, _ kind: Kind, _ path: String, _ named: ManagedObjectModel?
  ) throws {
    self.path = path
    self.kind = kind
    metadata = store.metadata
    uuid = store.storeUUID ?? ""
    content = .binary(store)
    modelProblem = nil
    if let named {
      (model, modelOrigin) = (named, .named)
    } else if case .data(let xml) = store.metadata[EmbeddedModel.metadataKey] {
      model = try ManagedObjectModel(modelFile: xml)
      modelOrigin = EmbeddedModel.isDerived(xml) ? .derived : .embedded
    } else {
      (model, modelOrigin) = (try NodeModel.model(of: store), .derived)
    }
    if named != nil { try Self.refuse(model, for: store.versionHashes, path) }
  }

  private init(sqlite path: String, _ named: ManagedObjectModel?) throws {
    var options = PersistentStore.Options(access: .readOnly)
    options.checksVersionHashes = false
    let connection = try StoreOpening.connect(path: path, options: options)
    let stored = try StoreMetadata.read(connection)
    self.path = path
    kind = .sqlite
    uuid = stored.uuid
    metadata = try Self.metadata(stored.propertyList)
    let finding = named.map { ModelFinding(model: $0, origin: .named) }
    let found = try finding ?? Self.findModel(connection)
    (model, modelOrigin, modelProblem) = (found.model, found.origin, found.problem)
    // Before the tables are compared with the model, because hashes tell more plainly what differs.
    if named != nil { try Self.refuse(model, for: stored.versionHashes ?? [:], path) }
    content = .sqlite(try PersistentStore(model: model, path: path, options: options))
  }

  private struct ModelFinding {
    let model: ManagedObjectModel
    let origin: ModelOrigin
    var problem: String?
  }

  private static func findModel(_ connection: Connection) throws -> ModelFinding {
    if let xml = try EmbeddedModel.read(connection) {
      return ModelFinding(
        model: try ManagedObjectModel(modelFile: xml),
        origin: EmbeddedModel.isDerived(xml) ? .derived : .embedded)
    }
    var problem: String?
    if let cache = try EmbeddedModel.readCache(connection) {
      do {
        return ModelFinding(model: try ManagedObjectModel(modelCache: cache), origin: .cache)
      } catch {
        problem = "the model cache cannot be read: \(error)"
      }
    }
    return ModelFinding(model: try TableModel.model(of: connection), origin: .derived, problem: problem)
  }

  private static func refuse(
    _ model: ManagedObjectModel, for recorded: [String: [UInt8]], _ path: String
  ) throws(StoreFileError) {
    let lines = recorded.isEmpty ? [] : differences(between: recorded, and: model)
    guard !lines.isEmpty else { return }
    throw StoreFileError(.otherModel, path: path, "the model does not fit: " + lines.joined(separator: "; "))
  }

  static func metadata(_ list: [UInt8]) throws(CoreDataFormatError) -> [String: ArchivedObject] {
    guard !list.isEmpty, case .dictionary(let pairs) = try BinaryPropertyList.decode(list) else { return [:] }
    return pairs.compactMapValues { ArchivedObject(propertyList: $0) }
  }
}
