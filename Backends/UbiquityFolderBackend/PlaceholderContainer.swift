import Foundation
import SyncProtocol

/// A provider that leaves a hidden placeholder file where content is elsewhere, as iCloud Drive did up to macOS 13 and some clients of
/// other services do.
///
/// How content is asked for differs by provider and system: on Apple's systems
/// `FileManager.startDownloadingUbiquitousItem(at:)`.
public struct PlaceholderContainer: UbiquityContainer {
  private let folder: String
  private let currentIdentity: (@Sendable () -> ContainerIdentity?)?
  private let request: @Sendable (_ file: String) throws -> Void
  private let coordination: FileLock?

  /// Describes a folder.
  ///
  /// - Parameters:
  ///   - folder: the folder on this device.
  ///   - identity: who is signed in; by default nobody knows, and the folder's own path stands for it.
  ///   - lock: a file that the provider locks (`flock`) while it touches a file; `nil` for providers that use none.
  ///   - request: asks the provider for a file, given its path on this device; by default with the system's call on Apple's
  ///     systems, elsewhere by setting the date of the placeholder, which a provider that watches its folder sees.
  public init(
    folder: String, identity: (@Sendable () -> ContainerIdentity?)? = nil, lock: String? = nil,
    request: (@Sendable (_ file: String) throws -> Void)? = nil
  ) {
    self.folder = folder
    currentIdentity = identity
    self.request = request ?? ContentRequest.send
    coordination = lock.map(FileLock.init)
  }

  /// Who is signed in.
  ///
  /// - Throws: `BackendError` with `unreachable` if that is not known, and the folder is not there: it may have another name now, and
  ///   a provider may take it away with the account.
  public func identity() async throws(BackendError) -> ContainerIdentity? {
    if let currentIdentity { return currentIdentity() }
    guard FileManager.default.fileExists(atPath: folder) else {
      throw BackendError(
        .unreachable, path: .root, detail: "the folder \(folder) does not exist",
        recovery:
          "Correct the location of the remote if the folder was renamed or moved; if the cloud service took it away, sign in there again."
      )
    }
    return ContainerIdentity(folder)
  }

  private func place(_ name: String, in folder: RemotePath) -> String {
    ([self.folder] + folder.names.map(\.description) + [name]).joined(separator: "/")
  }

  /// Looks for the placeholder of a file.
  public func placeholder(at path: RemotePath) async throws(BackendError) -> RemoteEntry? {
    guard let name = path.name, let parent = path.parent else { return nil }
    return entry(name, place(PlaceholderName.name(for: name.description), in: parent))
  }

  /// The name without the dot in front and the ending.
  public func nameOfFile(behind name: String) -> String? { PlaceholderName.file(of: name) }

  private func entry(_ name: RemoteName, _ path: String) -> RemoteEntry? {
    guard let status = FileLock.status(of: path), status.isFile else { return nil }
    return RemoteEntry(name: name, kind: .file, size: PlaceholderContent.size(at: path, length: status.size))
  }

  /// Asks for content.
  public func requestDownload(of path: RemotePath) async throws(BackendError) {
    guard let name = path.name, let parent = path.parent else { return }
    do {
      try request(place(name.description, in: parent))
    } catch {
      throw BackendError(.unreachable, path: path, detail: "\(error)")
    }
  }

  /// Removes a placeholder; one that is gone is no error.
  public func removePlaceholder(at path: RemotePath) async throws(BackendError) {
    guard let name = path.name, let parent = path.parent else { return }
    let place = place(PlaceholderName.name(for: name.description), in: parent)
    do {
      try FileManager.default.removeItem(atPath: place)
    } catch {
      if FileLock.status(of: place) != nil {
        throw BackendError(.forbidden, path: path, detail: "\(error)")
      }
    }
  }

  /// Holds the provider's lock meanwhile.
  public func coordinate<Result: Sendable>(
    _ path: RemotePath, _ work: @Sendable () async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result {
    guard let coordination else { return try await work() }
    let held = try await coordination.acquire(path)
    defer { held.release() }
    return try await work()
  }
}
