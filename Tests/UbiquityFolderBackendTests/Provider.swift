import FileManagerBackend
import Foundation
import ProcessTesting
import SyncProtocol
import TemporaryFolders
import Testing
import UbiquityFolderBackend

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A running provider that takes content of a folder elsewhere as it likes, in a process of its own.
final class Provider: Sendable {
  private let folders: TemporaryFolder
  private let process: Subprocess

  init(seed: Int) async throws {
    folders = try TemporaryFolder()
    for name in ["container", "requests", "cloud"] {
      try FileManager.default.createDirectory(atPath: folders.file(name), withIntermediateDirectories: false)
    }
    let program = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "provider.py").path
    let places = ["container", "lock", "requests", "cloud"].map(folders.file)
    process = try Subprocess(["python3", program] + places + ["\(seed)"], isAnnouncing: true)
    // It says that it holds the lock file.
    _ = try #require(await process.announcement())
  }

  deinit {
    process.send(SIGTERM)
    // Its folder goes when it has gone.
    Task { [process, folders] in
      _ = try? await process.result()
      withExtendedLifetime(folders) {}
    }
  }

  /// The folder, as this device has it.
  var folder: String { folders.file("container") }

  /// A client of the folder.
  func backend(_ place: String? = nil) -> UbiquityFolderBackend {
    let requests = folders.file("requests")
    let folder = place ?? folder
    let container = PlaceholderContainer(folder: folder, lock: folders.file("lock")) { file in
      // Named by the file, so that asking again changes nothing.
      let name = file.replacing("/", with: "%")
      try Data(file.utf8).write(to: URL(filePath: "\(requests)/\(name.suffix(200))"))
    }
    return UbiquityFolderBackend(files: FileManagerBackend(folder: folder), container: container)
  }
}
