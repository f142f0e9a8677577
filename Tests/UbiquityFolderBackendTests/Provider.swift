import FileManagerBackend
import Foundation
import SyncProtocol
import TemporaryFolders
import UbiquityFolderBackend

/// A running provider that takes content of a folder elsewhere as it likes, in a process of its own.
final class Provider: Sendable {
  private let folders: TemporaryFolder
  private let process: Process
  private let input = Pipe()

  init(seed: Int) throws {
    folders = try TemporaryFolder()
    for name in ["container", "requests", "cloud"] {
      try FileManager.default.createDirectory(atPath: folders.file(name), withIntermediateDirectories: false)
    }
    let process = Process()
    self.process = process
    process.executableURL = URL(filePath: "/usr/bin/env")
    let program = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "provider.py").path
    let places = ["container", "lock", "requests", "cloud"].map(folders.file)
    process.arguments = ["python3", program] + places + ["\(seed)"]
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // Prints that it holds the lock file.
    _ = output.fileHandleForReading.availableData
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
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
