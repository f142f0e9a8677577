import Foundation
import SyncProtocol

/// What became of one file, or of a folder that was not listed, when a remote was opened.
public struct OpenedFile: Sendable {
  /// Where it lies on the remote.
  public let path: RemotePath
  /// Why it could not be opened, so that it was not written; `nil` if it was.
  public let problem: String?
}

extension RemoteInspector {
  /// Writes a copy of everything that is ours into a folder, opened with the password. The remote stays as it is.
  ///
  /// The copy is for people and programs that read it; it is no remote, for names tell the bytes of files that are encrypted. Key
  /// files are left out. Whole stores are unpacked, each into a folder.
  ///
  /// - Parameters:
  ///   - folder: where it goes; nothing lies there.
  ///   - body: told of each file.
  /// - Throws: ``InspectionError``, or a file system error.
  public func writeOpened(
    to folder: String, _ body: (OpenedFile) throws -> Void
  ) async throws {
    let tree = try await tree()
    let applications = try await applications(in: tree)
    try requireOpen(applications)
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    for application in applications {
      for folder in application.unlisted.all {
        try body(OpenedFile(path: folder.path, problem: "it cannot be listed: \(folder.failure.description)"))
      }
      let documents = application.documents
      for node in application.node.all {
        try Task.checkCancellation()
        guard let path = node.path, !node.isFolder, node.role.isOpened else { continue }
        let document = documents.first { path.description.hasPrefix("\($0.hierarchy.root)/") }
        let opening = FileOpening(
          path: path, node: node, application: application, document: document, inspector: self)
        do {
          try await opening.write(to: "\(folder)/\(path)")
          try body(OpenedFile(path: path, problem: nil))
        } catch let failure as ReadingFailure {
          try application.device.check()
          try body(OpenedFile(path: path, problem: failure.description))
        }
      }
    }
  }
}

extension FileRole {
  /// Whether a file belongs into a copy that is opened.
  fileprivate var isOpened: Bool {
    switch self {
    case .foreign, .serverTest, .keyFile, .wrappedKey: false
    default: true
    }
  }
}

extension FileOpening {
  /// Writes what the file holds.
  ///
  /// - Throws: ``ReadingFailure`` if that cannot be had, or a file system error.
  fileprivate func write(to place: String) async throws {
    let parent = URL(filePath: place).deletingLastPathComponent().path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    if case .wholeStore(let name) = node.role {
      try await unpack(name, to: place)
      return
    }
    guard let application else { throw ReadingFailure.locked }
    let bytes = try await application.bytes(at: path, limit: sizeLimit)
    let plain = try await plain(of: bytes)
    try Data(plain).write(to: URL(filePath: place), options: .withoutOverwriting)
  }

  private func unpack(_ name: WholeStoreName, to place: String) async throws {
    guard let document, let protection = document.protection, document.isGenuine(name) == true else {
      throw ReadingFailure.format("nobody who has the keys at hand has written its name")
    }
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    do {
      _ = try await WholeStoreTransfer(
        backend: inspector.backend, hierarchy: document.hierarchy, protection: protection
      ).fetch(
        .init(name: name, size: node.size), through: try ScratchFolder.temporary(),
        to: "\(place)/store.sqlite",
        progress: nil)
    } catch let error where BackendError.isOfThisDevice(error) {
      throw InspectionError(ofThisDevice: error) ?? error
    } catch let error as BackendError {
      throw ReadingFailure.storage(error)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw ReadingFailure.format("\(error)")
    }
  }
}
