import ChangeTracking
import ObjectStore
import TICDSSQLite
import SyncProtocol

/// A whole store that was fetched, opened as a device does that begins with it, where it brings its model along: then its rows are compared with
/// its records. It is changed by that.
struct SoundWholeStore {
  /// Whether nobody but the application can tell whether devices begin with it: it brings no model along, as stores of this library do.
  let isUnjudged: Bool

  /// - Parameter path: where the store lies.
  /// - Throws: `WholeStoreTransfer.Refusal` if a device would refuse it, or a failure of this device.
  init(at path: String) throws {
    guard try Self.isInShapeOfCoreData(path) else {
      isUnjudged = false
      return
    }
    do {
      let file = try StoreFile(path: path)
      isUnjudged = !Self.bringsModel(file)
      if isUnjudged { return }
      let store = try PersistentStore(model: file.model, path: path)
      try store.requireTablesOfModel()
      _ = try store.newReplica(.init(client: "ticds-inspect"))
    } catch let error where !BackendError.isOfThisDevice(error) {
      throw WholeStoreTransfer.Refusal(WholeStoreTransfer.Refusal.words(error, hiding: path))
    }
  }

  /// The model that a store brings along; `nil` if only the application has it.
  static func model(ofStoreAt path: String) -> ManagedObjectModel? {
    (try? StoreFile(path: path)).flatMap { bringsModel($0) ? $0.model : nil }
  }

  private static func bringsModel(_ file: StoreFile) -> Bool {
    [.embedded, .cache].contains(file.modelOrigin)
  }

  private static func isInShapeOfCoreData(_ path: String) throws -> Bool {
    let connection = try Connection(path: path, options: .init(access: .immutable))
    return try connection.first(
      "SELECT 1 FROM sqlite_master WHERE name IN ('Z_METADATA', 'Z_PRIMARYKEY', 'Z_MODELCACHE') LIMIT 1")
      != nil
  }
}
