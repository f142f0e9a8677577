import ByteFixtures
import ChangeTracking
import Foundation
import ObjectStore
import TICDSSQLite

/// A store in a temporary folder of its own, which goes when the store does.
final class SampleStore {
  let folder: URL
  let store: PersistentStore
  var path: String { store.path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "ticds-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    store = try PersistentStore(
      model: ManagedObjectModel(Note.self, Folder.self, Tag.self),
      path: folder.appending(path: "store.sqlite").path(percentEncoded: false))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A context, with a recorder if its saves are to be synchronised.
  func context(isSynchronized: Bool) throws -> ManagedObjectContext {
    let context = try store.newContext()
    if isSynchronized { store.recordChanges() }
    return context
  }

  func replica(_ client: String, setLimit: Int = 10_000) throws -> Replica {
    try store.newReplica(Replica.Configuration(client: client, setLimit: setLimit))
  }

  /// Moves everything from the write-ahead log into the file, and copies the file.
  func copy(to path: String) throws {
    let connection = try store.newConnection()
    try connection.execute(script: "PRAGMA wal_checkpoint(TRUNCATE)")
    try FileManager.default.copyItem(atPath: self.path, toPath: path)
  }
}

extension Note {
  func fill(_ index: Int, bodyLength: Int = 200, _ text: inout SampleText) {
    title = "Note number \(index)"
    body = text.prose(bodyLength)
    number = Int64(index)
    isDone = index % 2 == 0
    created = Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(index))
    updated = created
  }
}
