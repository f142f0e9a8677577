import ChangeTracking
import CommandLineTool
import Crypto
import FileManagerBackend
import Foundation
import ObjectStore
import SyncProtocol

/// Connects a notebook's store with its remote.
enum NotebookSync {
  /// The application's identifier: the name of its folder on every remote.
  static let application = "ticds.notebook"

  static func configuration(_ settings: NotebookSettings) throws(SyncError) -> ApplicationConfiguration {
    try ApplicationConfiguration(
      application: application, client: settings.client, clientDescription: settings.clientDescription)
  }

  static func application(_ settings: NotebookSettings) throws(SyncError) -> ApplicationSyncManager {
    ApplicationSyncManager(
      backend: FileManagerBackend(folder: settings.remote), configuration: try configuration(settings))
  }

  /// Refuses a notebook that lies in its remote, from where a replicator would carry it to other devices half-written.
  static func requireOutside(_ folder: NotebookFolder, remote: String) throws(ToolFailure) {
    do throws(BackendError) {
      try FileManagerBackend(folder: remote).requireOutside(folder.path)
    } catch {
      throw ToolFailure(
        .usage, "“\(folder.path)” lies in the remote “\(remote)”", advice: "keep notebooks outside of it")
    }
  }

  static func document(
    _ settings: NotebookSettings, of application: ApplicationSyncManager, store: PersistentStore
  ) throws -> DocumentSyncManager {
    let replica = try Replica(
      store: ManagedLocalStore(store: store), configuration: .init(client: settings.client))
    return try DocumentSyncManager(application: application, document: settings.document, replica: replica)
  }

  /// The document of an existing notebook, ready to be synchronised without a password.
  static func document(of folder: NotebookFolder, _ settings: NotebookSettings) async throws
    -> DocumentSyncManager
  {
    try requireOutside(folder, remote: settings.remote)
    let application = try application(settings)
    let keys = settings.isEncrypted ? try KeyStorage(file: folder.keys).read() : nil
    let store = try Notebook.openStore(folder, access: .readWrite)
    await application.resume(keys: keys)
    return try document(settings, of: application, store: store)
  }
}
