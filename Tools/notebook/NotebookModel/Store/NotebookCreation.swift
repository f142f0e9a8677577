import CommandLineTool
import Foundation
import RemoteAccess
import SyncProtocol

/// Makes a notebook and registers it with its remote: a new folder appears complete or not at all.
struct NotebookCreation {
  let folder: NotebookFolder
  let connection: RemoteConnection
  let document: String
  let clientDescription: String
  /// `nil` for a remote that is not encrypted.
  let password: String?

  private var remote: String { connection.remote }

  /// What a person should know of a notebook that was made.
  struct Outcome {
    /// Whether devices with another password use the remote as well.
    var isKeyMissing = false
    /// Whether the document was created, rather than joined; `nil` if neither was.
    var isNew: Bool?
    /// What this device is called.
    var name: String?
    /// What the devices that take part besides this one are called; `nil` if that could not be read.
    var others: [String]? = []
    /// What came of looking for a whole store to begin with; `nil` if there was nothing to look at.
    var begun: BegunStore?
    /// Whether older notes are in whole stores alone, of which none could be begun with.
    var lacksHistory = false
  }

  func run() async throws -> Outcome {
    if let password, let settings = try notebookWithoutKeys() {
      let lock = try SyncLock(folder)
      defer { withExtendedLifetime(lock) {} }
      try await NotebookSync.addKeys(of: password, to: folder, settings)
      return Outcome()
    }
    try checkPlace()
    NotebookDraft.sweep(beside: folder)
    let draft = try NotebookDraft(of: folder)
    do {
      let outcome = try await fill(draft.folder)
      do {
        try draft.publish()
      } catch {
        await withdraw(draft.folder)
        throw error
      }
      return outcome
    } catch {
      draft.remove()
      throw error
    }
  }

  /// The settings of a notebook that is there, is of the same document, and has lost its keys.
  private func notebookWithoutKeys() throws -> NotebookSettings? {
    guard let settings = try? NotebookSettings(contentsOf: folder.settings), settings.isEncrypted,
      try folder.remembered(settings).remote == remote, settings.document == document,
      try folder.usableKeys() == nil
    else { return nil }
    return settings
  }

  private func checkPlace() throws(ToolFailure) {
    try NotebookSync.requireOutside(folder, connection)
    switch try RemoteLocation(remote) {
    case .folder(let path), .ubiquity(let path):
      let settings = try NotebookFolder(path: path).settings.path(percentEncoded: false)
      if FileManager.default.fileExists(atPath: settings) {
        throw ToolFailure(
          .usage, "“\(remote)” is the folder of a notebook", advice: "name the folder that the devices share")
      }
    case .webDAV: break
    }
    try Self.requireFree(folder)
  }

  /// Refuses a place where something is.
  static func requireFree(_ folder: NotebookFolder) throws(ToolFailure) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) else { return }
    if isFolder.boolValue, let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path),
      names.isEmpty
    {
      return
    }
    let isNotebook = FileManager.default.fileExists(atPath: folder.settings.path(percentEncoded: false))
    throw ToolFailure(
      .alreadyExists,
      isNotebook ? "“\(folder.path)” is a notebook already" : "“\(folder.path)” exists already",
      advice: isNotebook
        ? "“notebook sync” goes on with it, also if an init was interrupted; for another choose a new folder"
        : "choose a new folder")
  }

  private func fill(_ draft: NotebookFolder) async throws -> Outcome {
    let settings = NotebookSettings(
      document: document, client: UUID().uuidString.lowercased(), clientDescription: clientDescription,
      isEncrypted: password != nil)
    let connection = try await connection.tested()
    // What can fail on this device comes first: nobody hears of a device that cannot come to be.
    _ = try Notebook.openStore(draft, access: .create)
    try connection.write(to: draft.connection)
    try settings.write(to: draft.settings)
    do {
      let application = try NotebookSync.application(settings, connection, for: folder)
      let registration = try await application.register(password.map { .password($0) } ?? .none)
      do {
        if let keys = registration.keys { try draft.keys.save(keys) }
        let begun = try await begin(draft, settings, application)
        let store = try Notebook.openStore(draft, access: .create)
        let manager = try NotebookSync.document(settings, of: application, store: store)
        let joined = try await manager.register(after: begun)
        return Outcome(
          isKeyMissing: !registration.missingKeys.isEmpty, isNew: joined.isNew, name: clientDescription,
          others: joined.isNew ? [] : await Self.others(manager, settings), begun: begun,
          lacksHistory: joined.lacksHistory)
      } catch {
        await withdraw(draft)
        throw error
      }
    } catch let error as SyncError {
      throw NotebookFailures.failure(ofJoining: error, remote: remote)
    }
  }

  static func others(_ manager: DocumentSyncManager, _ settings: NotebookSettings) async -> [String]? {
    // The notebook is a member already, whatever others do to the remote at this moment.
    guard let all = try? await manager.devices() else { return nil }
    let devices = all.filter { if case .removed = $0.presence { false } else { true } }
    // A device that goes on under another author is one, and called as it was when it was last seen.
    var newest: [String: DocumentDevice] = [:]
    // Its own head may be unreadable, and tell no client.
    for device in devices where !device.isThisDevice && device.client != settings.client {
      let key = device.client ?? device.author.description
      if let known = newest[key], known.lastSeen ?? 0 >= device.lastSeen ?? 0 { continue }
      newest[key] = device
    }
    return devices.filter { newest[$0.client ?? $0.author.description] == $0 }
      .map { $0.name ?? "a device without a name" }
  }

  /// Puts a whole store of the remote in the place of the empty store, if there is one that can be used.
  private func begin(
    _ draft: NotebookFolder, _ settings: NotebookSettings, _ application: ApplicationSyncManager
  ) async throws -> BegunStore? {
    let path = draft.database.path(percentEncoded: false)
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    do throws(SyncError) {
      return try await application.document(document).beginStore(at: path) { path in
        try Notebook.soundReplica(at: path, client: settings.client)
      }
    } catch {
      // Whether the document may be created, registration decides.
      if [.documentNotFound, .keyMissing, .documentDeleted].contains(error.code) { return nil }
      // What was told of this device is taken back with the store.
      _ = try? Notebook.openStore(draft, access: .create)
      throw error
    }
  }

  /// Informs the others that this device does not come after all, also where the program was interrupted. What is left there harms nobody,
  /// so that this may fail as well is of no interest beside the failure itself.
  private func withdraw(_ draft: NotebookFolder) async {
    _ = await Task {
      let settings = try NotebookSettings(contentsOf: draft.settings)
      let document = try NotebookSync.localDocument(of: draft, settings)
      await document.application.resume(keys: try draft.usableKeys())
      try await document.withdraw()
    }.result
  }
}
