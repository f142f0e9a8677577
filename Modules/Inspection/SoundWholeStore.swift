import ChangeTracking
import ObjectStore
import SyncProtocol

/// A whole store that was fetched, opened as a device does that begins with it, where it brings its model along: then its rows are compared with
/// its records. It is changed by that.
struct SoundWholeStore {
  /// The model that the store brings along; `nil` if only the application has it.
  let model: ManagedObjectModel?

  /// - Parameter path: where the store lies.
  /// - Throws: `WholeStoreTransfer.Refusal` if a device would refuse it, or a failure of this device.
  init(at path: String) throws {
    model = Self.model(ofStoreAt: path)
    guard let model else { return }
    do {
      _ = try PersistentStore(model: model, path: path).newReplica(.init(client: "ticds-inspect"))
    } catch let error as ReplicaError {
      throw WholeStoreTransfer.Refusal(WholeStoreTransfer.Refusal.words(error))
    } catch let error where !BackendError.isOfThisDevice(error) {
      // The application may open what its own model does not.
    }
  }

  static func model(ofStoreAt path: String) -> ManagedObjectModel? {
    guard let file = try? StoreFile(path: path), [.embedded, .cache].contains(file.modelOrigin) else {
      return nil
    }
    return file.model
  }
}
