import Foundation
import ProcessTesting
import SampleFiles
import Testing

/// The built tool, and a folder with writable copies of the samples that it may look at.
struct StoreTool {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "ticds-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Copies a sample store, with its write-ahead log if there is one, and returns its path.
  func sample(_ path: String) throws -> String {
    let source = try Samples.url(path)
    let target = folder.appending(path: source.lastPathComponent)
    for suffix in ["", "-wal", "-shm"] {
      let part = URL(filePath: source.path + suffix)
      guard FileManager.default.fileExists(atPath: part.path) else { continue }
      try Data(contentsOf: part).write(to: URL(filePath: target.path + suffix))
    }
    return target.path
  }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Runs the tool to its end.
  func run(_ words: [String]) async throws -> Subprocess.Result {
    try await Subprocess([Checkout.program("ticds-store").path] + words).result()
  }

  /// Runs the tool to its end.
  func run(_ words: String...) async throws -> Subprocess.Result { try await run(words) }

  /// Runs the tool, expects success, and reads every line of its output as JSON.
  func lines(_ words: String...) async throws -> [[String: Any]] {
    let result = try await run(words)
    try #require(result.ending == .exited(0), "\(result.errors)")
    return try result.output.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  static let samples = [
    "sqlite/apple_CoreDataBooks.CDBStore", "sqlite/xcake_CoreDataBooks.CDBStore",
    "sqlite/ddg_Bookmarks_V1.sqlite",
    "sqlite/ddg_Bookmarks_V4.sqlite", "sqlite/ddg_SyncMetadata_V3.sqlite", "sqlite/plaso_Accounts3.sqlite",
    "sqlite/plaso_IMODb2.sqlite", "sqlite/plaso_kik.sqlite", "sqlite/plaso_knowledgec-10.13.db",
    "sqlite/plaso_netusage.sqlite", "sqlite/wire_store2-101-0.wiredatabase",
    "sqlite/wire_store2-4.wiredatabase",
    "binary/sm_mute-civilian_34be5f5.smsetting", "binary/sm_vozhyk-_f4a0d22.smsetting",
  ]
}
