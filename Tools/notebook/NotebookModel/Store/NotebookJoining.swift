import ChangeTracking
import CommandLineTool
import Foundation
import RemoteAccess
import SyncProtocol

/// Makes a notebook without a remote, and joins one that holds notes already to a remote.
struct NotebookJoining {
  let folder: NotebookFolder

  /// Whether there is a notebook that is in step with nothing yet.
  var isLocal: Bool { (try? NotebookSettings(contentsOf: folder.settings))?.isLocal == true }

  /// Makes an empty notebook that is in step with nothing yet.
  func create(document: String, clientDescription: String) throws {
    try NotebookCreation.requireFree(folder)
    NotebookDraft.sweep(beside: folder)
    let draft = try NotebookDraft(of: folder)
    do {
      var settings = NotebookSettings(
        document: document, client: UUID().uuidString.lowercased(), clientDescription: clientDescription,
        isEncrypted: false)
      settings.isLocal = true
      let store = try Notebook.openStore(draft.folder, access: .create)
      _ = try store.newReplica(Replica.Configuration(client: settings.client))
      try settings.write(to: draft.folder.settings)
      try draft.publish()
    } catch {
      draft.remove()
      throw error
    }
  }

  /// Joins the notebook to a remote. Whatever interrupts it, the notes stay, and repeating it continues.
  ///
  /// - Parameters:
  ///   - document: identifier of the document; `nil` for the one that was chosen when the notebook was made.
  ///   - clientDescription: what this device is called; `nil` for as it was.
  ///   - password: `nil` for a remote that is not encrypted.
  func join(
    _ connection: RemoteConnection, document: String?, clientDescription: String?, password: String?,
    _ choice: JoiningChoice
  ) async throws -> NotebookCreation.Outcome {
    try NotebookSync.requireOutside(folder, connection)
    var settings = try NotebookSettings(contentsOf: folder.settings)
    if let document { settings.document = document }
    if let clientDescription { settings.clientDescription = clientDescription }
    settings.isEncrypted = password != nil
    settings.isLocal = nil
    let lock = try SyncLock(folder)
    defer { withExtendedLifetime(lock) {} }
    let connection = try await connection.tested()
    do {
      let application = try NotebookSync.application(settings, connection, for: folder)
      let registration = try await application.register(password.map { .password($0) } ?? .none)
      if let keys = registration.keys { try folder.keys.save(keys) }
      let begun = choice == .theirs ? try await replace(settings, application) : nil
      let store = try Notebook.openStore(folder, access: .readWrite)
      let manager = try NotebookSync.document(settings, of: application, store: store)
      let joined = try await manager.register(after: begun, joining: choice)
      // Until here it is a notebook without a remote, which may join again.
      try connection.write(to: folder.connection)
      try settings.write(to: folder.settings)
      return NotebookCreation.Outcome(
        isKeyMissing: !registration.missingKeys.isEmpty, isNew: joined.isNew,
        name: settings.clientDescription,
        others: joined.isNew ? [] : await NotebookCreation.others(manager, settings), begun: begun,
        lacksHistory: joined.lacksHistory)
    } catch let error as SyncError {
      if choice == .theirs, error.code == .documentNotFound {
        throw ToolFailure(
          .notFound,
          "the remote “\(connection.remote)” holds no document “\(settings.document)” to be taken over",
          advice:
            "check the address; without “--join theirs” the document is made, of the notes that are here")
      }
      throw NotebookFailures.failure(ofJoining: error, remote: connection.remote)
    }
  }

  /// Puts what the remote holds in the place of the notes. A document that is not there has nothing to put there.
  private func replace(_ settings: NotebookSettings, _ application: ApplicationSyncManager) async throws
    -> BegunStore
  {
    try await application.document(settings.document).replaceStore(
      at: folder.database.path(percentEncoded: false),
      opening: { path in try Notebook.soundReplica(at: path, client: settings.client) },
      making: { path in _ = try Notebook.openStore(at: path, access: .create) })
  }
}
