import Foundation
import TICDSHTTP
import ProcessTesting
import SyncProtocol
import TemporaryFolders
import Testing

@testable import WebDAVBackend

/// The folder that is the remote goes away, as other programs remove it or a drive behind a server is not mounted.
@Suite struct RemovedRootTests {
  /// Where the root lies, and what goes with it.
  enum Place: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// The root is a folder on the server, and it alone is removed.
    case inServer
    /// The folder that it lies in is removed as well.
    case withParent
    /// The root is all that the server serves.
    case allOfServer
    var testDescription: String { rawValue }
    var folder: String {
      switch self {
      case .inServer: "shelf"
      case .withParent: "shelf/notes"
      case .allOfServer: ""
      }
    }
  }

  /// rclone goes on with what it remembers; see Docs/Guides/Clouds.md.
  static let kinds = LocalServer.Kind.allCases.filter { $0 != .rclone }

  private func server(_ kind: LocalServer.Kind) async throws -> LocalServer {
    guard try await LocalServers.shared.isInstalled(kind) else { try Test.cancel("\(kind) is not installed") }
    // One of its own, for its root goes.
    return try await LocalServer(kind)
  }

  @Test(arguments: kinds, Place.allCases)
  func `a root that was removed is out of reach whatever is asked, with what to do, and is not made again`(
    _ kind: LocalServer.Kind, _ place: Place
  ) async throws {
    let server = try await server(kind)
    if place != .allOfServer { try await server.makeFolder("shelf") }
    if place == .withParent { try await server.makeFolder("shelf/notes") }
    let backend = try webDAV(server, place.folder, .unknown)
    let (file, folder, inner) = (
      try #require(RemotePath("file")), try #require(RemotePath("folder")),
      try #require(RemotePath("folder/file"))
    )
    try await backend.makeDirectory(folder)
    try await backend.upload([1], to: file)

    let removed = place == .allOfServer ? server.root : server.root + "/shelf"
    try FileManager.default.removeItem(atPath: removed)

    let requests: [(String, @Sendable () async throws -> Void)] = [
      ("list", { _ = try await backend.list(.root) }),
      ("list a folder", { _ = try await backend.list(folder) }),
      ("examine", { _ = try await backend.stat(file) }),
      ("download", { _ = try await backend.download(file, limit: 9) }),
      ("upload", { try await backend.upload([1], to: file) }),
      ("upload into a folder", { try await backend.upload([1], to: inner) }),
      ("create", { try await backend.createIfAbsent([1], at: file) }),
      ("make a folder", { try await backend.makeDirectory(folder) }),
      ("move", { try await backend.move(file, to: inner) }),
      ("remove", { try await backend.remove(file) }),
      ("probe", { _ = try await backend.probe() }),
    ]
    for (what, request) in requests {
      let error = await #expect(throws: BackendError.self, "\(what)") { try await request() }
      // What moves is not known of it.
      if what == "move", error?.code == .unsupported { continue }
      #expect(error?.code == .unreachable, "\(what): \(String(describing: error))")
      // Where nothing else is served, Apache speaks no WebDAV any more.
      let remedy = kind == .apache && place == .allOfServer ? Remedy.findRoot : .checkPath
      #expect(error?.recovery == remedy.rawValue, "\(what): \(String(describing: error))")
    }
    #expect(!FileManager.default.fileExists(atPath: removed))
  }

  @Test func `a folder of a web server without WebDAV is not taken for one that was removed`() async throws {
    let server = try ScriptedServer { request in
      .init(request.method == "HEAD" && request.path == "/dav/" ? 200 : 405)
    }
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    let backend = WebDAVBackend(try HTTPAddress(server.address + "/dav/"), configuration: configuration)
    let error = await #expect(throws: BackendError.self) { try await backend.list(.root) }
    #expect(error?.code == .unsupported && error?.recovery == Remedy.findWebDAV.rawValue)
  }

  @Test(arguments: kinds)
  func `notebook says that the folder is gone, not that there is no WebDAV server`(_ kind: LocalServer.Kind)
    async throws
  {
    let server = try await server(kind)
    let folder = try TemporaryFolder()
    let environment = ["HOME": "/nonexistent", "NETRC": "/nonexistent"]
    let program = Checkout.program("notebook").path
    let made = try await Subprocess.run(
      [
        program, "init", "--store", folder.file("one"), "--remote", "webdav://\(server.place)",
        "--no-encryption",
      ],
      environment: environment)
    try #require(made.ending == .exited(0), "\(made.errors)")

    try FileManager.default.removeItem(atPath: server.root)
    let synced = try await Subprocess.run(
      [program, "sync", "--store", folder.file("one")], environment: environment)

    #expect(synced.ending == .exited(3))
    #expect(
      synced.errors.contains(kind == .apache ? "is gone or was never there" : "does not exist on the server"))
    #expect(synced.errors.contains("must be mounted or put back"))
  }
}
