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

  /// - Returns: whether devices with another password use the remote as well.
  func run() async throws -> Bool {
    try checkPlace()
    let draft = NotebookFolder(
      url: URL(filePath: "\(folder.path).\(UUID().uuidString.prefix(8)).tmp", directoryHint: .isDirectory))
    do {
      try FileManager.default.createDirectory(
        at: draft.url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ToolFailure(
        .forbidden, "the folder “\(folder.path)” cannot be made",
        advice: "check the permissions of the folder above")
    }
    do {
      let isKeyMissing = try await fill(draft)
      try publish(draft)
      return isKeyMissing
    } catch {
      try? FileManager.default.removeItem(at: draft.url)
      throw error
    }
  }

  private func checkPlace() throws(ToolFailure) {
    try NotebookSync.requireOutside(folder, connection)
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
      advice: "choose a new folder")
  }

  private func fill(_ draft: NotebookFolder) async throws -> Bool {
    let settings = NotebookSettings(
      document: document, client: UUID().uuidString.lowercased(), clientDescription: clientDescription,
      isEncrypted: password != nil)
    let connection = try await connection.tested()
    let registration: ApplicationRegistration
    do {
      let application = try NotebookSync.application(settings, connection)
      registration = try await application.register(password.map { .password($0) } ?? .none)
      let store = try Notebook.openStore(draft, access: .create)
      try await NotebookSync.document(settings, of: application, store: store).register()
      if let keys = registration.keys { try draft.keys.save(keys) }
    } catch let error as SyncError {
      throw NotebookFailures.failure(error, remote: remote)
    }
    _ = try SyncLock(draft)
    try connection.write(to: draft.connection)
    try settings.write(to: draft.settings)
    return !registration.missingKeys.isEmpty
  }

  private func publish(_ draft: NotebookFolder) throws {
    // Only an empty folder can be replaced.
    guard rename(draft.url.path(percentEncoded: false), folder.path) == 0 else {
      throw ToolFailure(.alreadyExists, "“\(folder.path)” exists already", advice: "choose a new folder")
    }
  }
}
