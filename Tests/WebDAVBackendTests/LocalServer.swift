import Foundation
import TICDSHTTP
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
  /// `127.0.0.1:port/`
  let place: String
  /// Its root on this device.
  let root: String
  /// Where its certificate lies.
  let folder: String

  init(_ kind: Kind, _ options: String...) async throws {
    self.kind = kind
    let tool = Checkout.root.appending(path: "Tools/servers").path
    process = try Subprocess([tool, "run", kind.rawValue, "--state", "-"] + options, isAnnouncing: true)
    process.reapOnceEnded()
    let line = try #require(await process.announcement(), "\(kind) did not start")
    let facts = try JSONDecoder().decode(Facts.self, from: Data(line.utf8))
    place = String(facts.remote.split(separator: "/", maxSplits: 1)[1].dropFirst())
    root = facts.root
    folder = facts.folder
  }

  deinit { process.send(SIGTERM) }

  /// A new folder on the server that nobody else uses. Made through the server, for some remember what lay in their folders.
  func makeFolder() async throws -> String {
    let name = "test-\(UUID().uuidString)"
    try await makeFolder(name)
    return name
  }

  func makeFolder(_ name: String) async throws { try await send("MKCOL", name + "/") }

  func moveFolder(_ name: String, to other: String) async throws {
    try await send("MOVE", name + "/", to: other + "/")
  }

  /// Puts a file that holds its name into a folder as another program would: through the server, or, where that refuses the name, beside
  /// it.
  func put(_ name: String, in folder: String) async throws {
    let head = try await status(
      of: "PUT", "\(folder)/\(PercentEncoding.segment(name))", .bytes(Array(name.utf8)))
    if head.isSuccess { return }
    try Data(name.utf8).write(to: URL(filePath: "\(root)/\(folder)/\(name)"))
  }

  /// Removes a file as another program would.
  func remove(_ path: String) async throws { try await send("DELETE", path) }

  private func send(_ method: String, _ path: String, to destination: String? = nil) async throws {
    let head = try await status(of: method, path, to: destination)
    try #require(head.isSuccess, "\(method) \(path): \(head.status)")
  }

  private func status(
    of method: String, _ path: String, to destination: String? = nil, _ body: HTTPRequest.Body = .none
  ) async throws -> HTTPHead {
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    var request = HTTPRequest(method, try HTTPAddress("http://" + place + path), body: body)
    request.destination = try destination.map { try HTTPAddress("http://" + place + $0) }
    let client = HTTPClient(configuration, home: request.address)
    return try await client.send(request, receiver: NothingReceiver()).head
  }
}

/// The servers of this process, each started when it is first asked for.
actor LocalServers {
  static let shared = LocalServers()
  private var servers: [String: Task<LocalServer, any Error>] = [:]
  private var missing: Task<Set<String>, any Error>?

  /// Whether a server is installed.
  func isInstalled(_ kind: LocalServer.Kind) async throws -> Bool {
    let task =
      missing
      ?? Task {
        let tool = Checkout.root.appending(path: "Tools/servers").path
        let lines = try await Subprocess.run([tool, "list"]).output.split(separator: "\n")
        return Set(lines.filter { $0.hasSuffix("not installed") }.map { String($0.prefix { $0 != ":" }) })
      }
    missing = task
    return try await !task.value.contains(kind.rawValue)
  }

  /// The server of a kind; ends the test as skipped where it is not installed.
  func server(_ kind: LocalServer.Kind, _ options: String...) async throws -> LocalServer {
    guard try await isInstalled(kind) else { try Test.cancel("\(kind) is not installed") }
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
