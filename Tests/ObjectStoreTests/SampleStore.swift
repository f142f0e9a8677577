import CoreDataFormats
import Foundation
import ObjectStore
import TICDSSQLite
import SampleFiles
import Testing

/// A copy of a sample store that a test may open in any way, with its write-ahead log if there is one.
struct SampleStore {
  let folder: URL
  let file: URL

  init(_ name: String) throws { try self.init(path: "sqlite/\(name)") }

  init(path: String) throws {
    let source = try Samples.url(path)
    folder = FileManager.default.temporaryDirectory.appending(path: "ticds-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    file = folder.appending(path: source.lastPathComponent)
    for suffix in ["", "-wal", "-shm"] {
      let part = URL(filePath: source.path + suffix)
      guard FileManager.default.fileExists(atPath: part.path) else { continue }
      // Written, not copied: the samples are not writable, and a copy would inherit that.
      try Data(contentsOf: part).write(to: URL(filePath: file.path + suffix))
    }
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// The version hashes in the store's metadata.
  func versionHashes() throws -> [String: [UInt8]] {
    let connection = try Connection(path: file.path, options: .init(access: .readWrite))
    guard case .blob(let list) = try connection.first("SELECT Z_PLIST FROM Z_METADATA") else { return [:] }
    let hashes = try BinaryPropertyList.decode(list).dictionaryValue?["NSStoreModelVersionHashes"]?
      .dictionaryValue
    return (hashes ?? [:]).compactMapValues(\.dataValue)
  }

  /// The compressed model that the store keeps of itself.
  func modelCache() throws -> [UInt8]? {
    let connection = try Connection(path: file.path, options: .init(access: .readWrite))
    guard try connection.first("SELECT 1 FROM sqlite_master WHERE name = 'Z_MODELCACHE'") != nil,
      case .blob(let cache) = try connection.first("SELECT Z_CONTENT FROM Z_MODELCACHE")
    else { return nil }
    return cache
  }

  /// Counts the rows of all tables that hold objects, with nothing but SQL.
  func rowCount(of model: ManagedObjectModel) throws -> Int {
    let connection = try Connection(path: file.path, options: .init(access: .readWrite))
    var count: Int64 = 0
    for entity in model.entities where entity.parent == nil {
      guard case .integer(let rows) = try connection.first("SELECT count(*) FROM Z\(entity.name)") else {
        continue
      }
      count += rows
    }
    return Int(count)
  }

  static let names = [
    "apple_CoreDataBooks.CDBStore", "xcake_CoreDataBooks.CDBStore", "ddg_Bookmarks_V1.sqlite",
    "ddg_Bookmarks_V4.sqlite",
    "ddg_SyncMetadata_V3.sqlite", "plaso_Accounts3.sqlite", "plaso_IMODb2.sqlite", "plaso_kik.sqlite",
    "plaso_knowledgec-10.13.db", "plaso_netusage.sqlite", "wire_store2-101-0.wiredatabase",
    "wire_store2-4.wiredatabase",
  ]
}
