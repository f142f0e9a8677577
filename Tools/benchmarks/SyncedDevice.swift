import ChangeTracking
import FileManagerBackend
import Foundation
import ObjectStore
import SyncProtocol

/// A device with a store of its own that meets others in an encrypted folder.
struct SyncedDevice {
  static let password = "correct horse battery staple"
  static let document = "notes"

  let store: PersistentStore
  let document: DocumentSyncManager
  /// The keys of the remote.
  let encryption: EncryptionChoice
  private let folder: URL

  /// A device whose store holds something already; it registers.
  init(
    _ name: String, _ remote: SyncedFolder, setLimit: Int = 10_000,
    encryption choice: EncryptionChoice = .password(password), filling: (PersistentStore) throws -> Void
  ) async throws {
    folder = try remote.folder(of: name)
    store = try PersistentStore(
      model: SyncedModel.model(), path: folder.appending(path: "store.sqlite").path(percentEncoded: false))
    try filling(store)
    let application = try remote.application(name)
    encryption = try await application.register(choice).keys.map { .keys($0) } ?? .none
    document = try Self.manager(application, store, name, setLimit: setLimit)
    _ = try await document.register()
  }

  /// A device that joins with nothing, as applications do: with a whole store if there is one, and the sets after it. It has the keys
  /// already, for trying a password takes a second and 128 MiB whatever is joined.
  init(joining remote: SyncedFolder, as name: String, with encryption: EncryptionChoice) async throws {
    self.encryption = encryption
    folder = try remote.folder(of: name)
    let path = folder.appending(path: "store.sqlite").path(percentEncoded: false)
    let application = try remote.application(name)
    _ = try await application.register(encryption, mayCreate: false)
    let begun = try await application.document(Self.document).beginStore(at: path) { path in
      let store = try PersistentStore(model: SyncedModel.model(), path: path)
      try store.requireTablesOfModel()
      return try store.newReplica(Replica.Configuration(client: name))
    }
    store = try PersistentStore(model: SyncedModel.model(), path: path)
    document = try Self.manager(application, store, name)
    _ = try await document.register(mayCreate: false, after: begun)
    try await document.synchronize(Self.options)
  }

  /// Whole stores are uploaded when a benchmark says so.
  static var options: SyncOptions {
    var options = SyncOptions()
    options.wholeStores = nil
    return options
  }

  private static func manager(
    _ application: ApplicationSyncManager, _ store: PersistentStore, _ name: String, setLimit: Int = 10_000
  ) throws -> DocumentSyncManager {
    try DocumentSyncManager(
      application: application, document: document,
      replica: store.newReplica(Replica.Configuration(client: name, setLimit: setLimit)))
  }
}

/// A folder that devices meet in, in a temporary folder that goes with it.
final class SyncedFolder: Sendable {
  private let place: URL
  private let remote: URL
  /// The time that devices take for the present, in milliseconds since 1970; `nil` for that of this machine.
  private let now: (@Sendable () -> UInt64)?

  /// - Parameter kept: where the remote lies, and stays; without it goes with the rest.
  init(keptAt kept: URL? = nil, now: (@Sendable () -> UInt64)? = nil) throws {
    self.now = now
    place = FileManager.default.temporaryDirectory.appending(path: "ticds-bench-\(UUID().uuidString)")
    remote = kept ?? place.appending(path: "remote")
    for folder in [place, remote] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
  }

  deinit { try? FileManager.default.removeItem(at: place) }

  func folder(of device: String) throws -> URL {
    let folder = place.appending(path: device)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return folder
  }

  func application(_ device: String) throws -> ApplicationSyncManager {
    var configuration = try ApplicationConfiguration(
      application: "bench", client: device, clientDescription: device)
    if let now { configuration.now = now }
    return ApplicationSyncManager(
      backend: FileManagerBackend(folder: remote.path(percentEncoded: false)), configuration: configuration)
  }

  /// How much lies there.
  func content() throws -> (files: Int, bytes: Int) {
    var (files, bytes) = (0, 0)
    let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey]
    let entries = FileManager.default.enumerator(at: remote, includingPropertiesForKeys: Array(keys))
    while let entry = entries?.nextObject() as? URL {
      let values = try entry.resourceValues(forKeys: keys)
      guard values.isRegularFile == true else { continue }
      files += 1
      bytes += values.fileSize ?? 0
    }
    return (files, bytes)
  }
}
