import SyncProtocol

/// Where the documents of an application lie in a container, and how to tell one that is complete from one that is on its way.
public enum DocumentLayout: Hashable, Sendable {
  /// Documents of this library; complete is what has a record of its founding.
  case documents(of: ApplicationHierarchy)
  /// Documents of XUSync, which has a folder for each device that uploaded a whole store; complete is what has the description of one,
  /// for that is written last.
  ///
  /// ```
  /// <application>/<document>/<device>/whole_store/Info.plist
  /// ```
  case xuSync(application: RemoteName)

  /// More devices of one document are not looked at.
  static let deviceLimit = 1_000

  /// The folder that has a folder for each document.
  public var folder: RemotePath {
    switch self {
    case .documents(let application): application.documents
    case .xuSync(let application): RemotePath([application])
    }
  }

  /// Whether a document is complete. No content is asked for, so none is fetched.
  func isComplete(_ document: RemoteName, in backend: any SyncBackend) async throws(BackendError) -> Bool {
    switch self {
    case .documents(let application):
      let folder = application.document(document).integrityKey
      return try await entries(of: folder, in: backend).contains {
        $0.kind == .file && FoundingName($0.name) != nil
      }
    case .xuSync:
      for device in try await entries(of: folder.appending(document), in: backend).prefix(Self.deviceLimit)
      where device.kind == .folder {
        if try await hasWholeStore(document, of: device.name, in: backend) { return true }
      }
      return false
    }
  }

  private func hasWholeStore(
    _ document: RemoteName, of device: RemoteName, in backend: any SyncBackend
  ) async throws(BackendError) -> Bool {
    guard let inner = RemotePath("whole_store/Info.plist") else { return false }
    let path = RemotePath(folder.names + [document, device] + inner.names)
    do throws(BackendError) {
      return try await backend.stat(path).kind == .file
    } catch {
      guard error.code == .notFound || error.code == .notADirectory else { throw error }
      return false
    }
  }

  /// What lies in a folder; nothing if it has not arrived yet.
  func entries(of folder: RemotePath, in backend: any SyncBackend) async throws(BackendError) -> [RemoteEntry]
  {
    do throws(BackendError) {
      return try await backend.list(folder).entries
    } catch {
      guard error.code == .notFound else { throw error }
      return []
    }
  }
}
