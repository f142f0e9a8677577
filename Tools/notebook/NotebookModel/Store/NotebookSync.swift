import ChangeTracking
import CommandLineTool
import Crypto
import Foundation
import ObjectStore
import RemoteAccess
import SyncProtocol

/// Connects a notebook's store with its remote.
enum NotebookSync {
  /// The application's identifier: the name of its folder on every remote.
  static let application = "ticds.notebook"

  static func configuration(
    _ settings: NotebookSettings, _ folder: NotebookFolder
  ) throws(SyncError) -> ApplicationConfiguration {
    var configuration = try ApplicationConfiguration(
      application: application, client: settings.client, clientDescription: settings.clientDescription)
    configuration.triedKeyFiles = folder.triedKeyFiles
    return configuration
  }

  static func application(
    _ settings: NotebookSettings, _ connection: RemoteConnection, for folder: NotebookFolder
  ) throws -> ApplicationSyncManager {
    ApplicationSyncManager(backend: try open(connection), configuration: try configuration(settings, folder))
  }

  /// Makes the back end of a remote that is remembered.
  private static func open(_ connection: RemoteConnection) throws(ToolFailure) -> any SyncBackend {
    do throws(ToolFailure) {
      return try connection.open()
    } catch {
      throw RemoteVerb.replaceable(error)
    }
  }

  /// Refuses a notebook that lies in its remote, from where a replicator would carry it to other devices half-written, and a remote that lies
  /// in its notebook, with which it would be moved, copied and removed.
  static func requireOutside(_ folder: NotebookFolder, _ connection: RemoteConnection) throws(ToolFailure) {
    do throws(BackendError) {
      try connection.requireOutside(folder.path)
    } catch {
      throw ToolFailure(
        .usage, "“\(folder.path)” lies in the remote “\(connection.remote)”",
        advice: "keep notebooks outside of it")
    }
    do throws(BackendError) {
      try connection.requireRemote(outside: folder.path)
    } catch {
      throw ToolFailure(
        .usage, "the remote “\(connection.remote)” lies in the notebook's folder “\(folder.path)”",
        advice: "name a folder outside of it; “notebook remote --remote” says where it has moved to")
    }
  }

  static func document(
    _ settings: NotebookSettings, of application: ApplicationSyncManager, store: PersistentStore
  ) throws -> DocumentSyncManager {
    let replica = try Replica(
      store: ManagedLocalStore(store: store), configuration: .init(client: settings.client))
    return try DocumentSyncManager(application: application, document: settings.document, replica: replica)
  }

  /// Adds the keys that a password opens: those of another password of the remote, so that what devices with that password write can be
  /// read, or the notebook's own, if they are lost or damaged.
  static func addKeys(of password: String, to folder: NotebookFolder, _ settings: NotebookSettings)
    async throws
  {
    guard settings.isEncrypted else {
      throw ToolFailure.usage("the notebook is not encrypted, so there is no use for a password")
    }
    let document = try localDocument(of: folder, settings)
    let kept = try folder.usableKeys()
    let choice: EncryptionChoice = kept.map { .keysAndPassword($0, password) } ?? .password(password)
    if let keys = try await document.resume(choice) { try folder.keys.save(keys) }
  }

  /// The document of an existing notebook, ready to be synchronised without a password.
  static func document(of folder: NotebookFolder, _ settings: NotebookSettings) async throws
    -> DocumentSyncManager
  {
    let document = try localDocument(of: folder, settings)
    await document.application.resume(keys: settings.isEncrypted ? try folder.keptKeys() : nil)
    return document
  }

  /// Does something with the document of an existing notebook, while no other process synchronises it.
  ///
  /// - Parameter password: one whose keys are added first.
  /// - Throws: ``ToolFailure`` that names the remote.
  static func withDocument<Result>(
    of folder: NotebookFolder, adding password: String? = nil,
    _ body: (DocumentSyncManager) async throws -> Result
  ) async throws -> Result {
    let settings = try NotebookSettings(contentsOf: folder.settings)
    let remote = try folder.remembered(settings).remote
    let lock = try SyncLock(folder)
    defer { withExtendedLifetime(lock) {} }
    do {
      if let password { try await addKeys(of: password, to: folder, settings) }
      return try await body(try await document(of: folder, settings))
    } catch let error as SyncError {
      throw error.underlying as? ToolFailure ?? NotebookFailures.failure(error, remote: remote)
    }
  }

  /// The document of an existing notebook without its keys.
  static func localDocument(of folder: NotebookFolder, _ settings: NotebookSettings) throws
    -> DocumentSyncManager
  {
    let connection = try folder.remembered(settings)
    try requireOutside(folder, connection)
    let store = try Notebook.openStore(folder, access: .readWrite)
    return try document(settings, of: try application(settings, connection, for: folder), store: store)
  }

  /// Where an existing notebook stands; of the remote, only the address is looked at.
  static func status(of folder: NotebookFolder, _ settings: NotebookSettings) async throws -> DocumentStatus {
    guard settings.isLocal != true else {
      let store = try Notebook.openStore(folder, access: .readWrite)
      return .unregistered(try store.newReplica(Replica.Configuration(client: settings.client)).status())
    }
    let connection = try folder.remembered(settings)
    try requireOutside(folder, connection)
    let application = ApplicationSyncManager(
      backend: try connection.openUnasked(), configuration: try configuration(settings, folder))
    let store = try Notebook.openStore(folder, access: .readWrite)
    return try await document(settings, of: application, store: store).status()
  }
}
