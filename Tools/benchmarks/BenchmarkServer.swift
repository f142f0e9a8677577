import Foundation

/// An Apache httpd that `Tools/servers` has started for a benchmark.
struct BenchmarkServer {
  enum Problem: Error {
    case notStarted
    case curl(Int32)
  }

  private struct Facts: Decodable {
    var remote: String
    var root: String
  }

  private let process = Process()
  /// With a slash at its end.
  let address: String
  /// Its root on this device.
  let root: String

  init() throws {
    let tool = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../servers").standardized
    let state = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: state) }
    process.executableURL = tool
    process.arguments = ["run", "apache", "--state", state.path]
    try process.run()
    while !FileManager.default.fileExists(atPath: state.path) {
      guard process.isRunning else { throw Problem.notStarted }
      Thread.sleep(forTimeInterval: 0.05)
    }
    let facts = try JSONDecoder().decode(Facts.self, from: Data(contentsOf: state))
    address = facts.remote.replacing("webdav://", with: "http://")
    root = facts.root
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }
}
