import Foundation
import HTTP
import ProcessTesting
import TemporaryFolders
import Testing
import WebDAVBackend

/// A real server that `Tools/servers` has started; it ends with this object or with the process.
final class LocalServer: Sendable {
  /// The servers that are tried.
  enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case apache, lighttpd, nginx, rclone, wsgidav
    var testDescription: String { rawValue }
  }

  private struct Facts: Decodable {
    var remote: String
    var root: String
    var folder: String
  }

  let kind: Kind
  private let process: Subprocess
  private let state: TemporaryFolder
  /// `127.0.0.1:port/`
  let place: String
  /// Its root on this device.
  let root: String
  /// Where its certificate lies.
  let folder: String

  init(_ kind: Kind, _ options: String...) async throws {
    self.kind = kind
    state = try TemporaryFolder()
    let tool = Checkout.root.appending(path: "Tools/servers").path
    let file = state.file("state")
    process = try Subprocess([tool, "run", kind.rawValue, "--state", file] + options)
    let ended = Task { [process] in try await process.result() }
    let limit = ContinuousClock.now + .seconds(60)
    while !FileManager.default.fileExists(atPath: file) {
      if ContinuousClock.now > limit { throw CocoaError(.fileReadNoSuchFile) }
      try await Task.sleep(for: .milliseconds(20))
    }
    _ = ended
    let facts = try JSONDecoder().decode(Facts.self, from: Data(contentsOf: URL(filePath: file)))
    place = String(facts.remote.split(separator: "/", maxSplits: 1)[1].dropFirst())
    root = facts.root
    folder = facts.folder
  }

  deinit { process.send(SIGTERM) }

  /// A new folder on the server that nobody else uses. Made through the server, for some remember what lay in their folders.
  func makeFolder() async throws -> String {
    let name = "test-\(UUID().uuidString)"
    try await send("MKCOL", name + "/")
    return name
  }

  /// Puts a file into a folder as another program would.
  func put(_ name: String, in folder: String) async throws {
    try await send("PUT", "\(folder)/\(name)", .bytes([1]))
  }

  private func send(_ method: String, _ path: String, _ body: HTTPRequest.Body = .none) async throws {
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    let request = HTTPRequest(method, try HTTPAddress("http://" + place + path), body: body)
    let response = try await HTTPClient(configuration).send(request, receiver: NothingReceiver())
    try #require(response.head.isSuccess, "\(method) \(path): \(response.head.status)")
  }

  /// Why a server cannot be tried; `nil` if it can.
  static func obstacle(_ kind: Kind) -> String? { obstacles[kind] }

  private static let obstacles: [Kind: String] = {
    let tool = Foundation.Process()
    tool.executableURL = Checkout.root.appending(path: "Tools/servers")
    tool.arguments = ["list"]
    let pipe = Pipe()
    tool.standardOutput = pipe
    guard (try? tool.run()) != nil, let data = try? pipe.fileHandleForReading.readToEnd() else {
      return Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, "Tools/servers does not run") })
    }
    let missing = String(decoding: data, as: UTF8.self).split(separator: "\n").filter {
      $0.hasSuffix("not installed")
    }
    let kinds = missing.compactMap { Kind(rawValue: String($0.prefix { $0 != ":" })) }
    return Dictionary(uniqueKeysWithValues: kinds.map { ($0, "\($0) is not installed") })
  }()
}

/// The servers of this process, each started when it is first asked for.
actor LocalServers {
  static let shared = LocalServers()
  private var servers: [String: Task<LocalServer, any Error>] = [:]

  /// The server of a kind; ends the test as skipped where it is not installed.
  func server(_ kind: LocalServer.Kind, _ options: String...) async throws -> LocalServer {
    if let obstacle = LocalServer.obstacle(kind) { try Test.cancel("\(obstacle)") }
    let key = ([kind.rawValue] + options).joined(separator: " ")
    let task =
      servers[key]
      ?? Task {
        switch options.count {
        case 0: try await LocalServer(kind)
        case 1: try await LocalServer(kind, options[0])
        default: try await LocalServer(kind, options[0], options[1])
        }
      }
    servers[key] = task
    return try await task.value
  }
}
