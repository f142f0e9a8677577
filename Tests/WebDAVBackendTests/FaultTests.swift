import Foundation
import HTTP
import Locking
import ProcessTesting
import SyncProtocol
import TemporaryFolders
import Testing

@testable import WebDAVBackend

/// A server behind a proxy that breaks what goes through it.
@Suite struct FaultTests {
  private static let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  private func path(_ text: String) throws -> RemotePath { try #require(RemotePath(text)) }

  private func backend(
    _ faults: FaultyServer, _ traits: ServerTraits = .unknown, stall: Duration = .seconds(3)
  ) throws -> WebDAVBackend {
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    configuration.stallLimit = stall
    return WebDAVBackend(try HTTPAddress(faults.address), configuration: configuration, traits: traits)
  }

  private func code(_ body: () async throws(BackendError) -> Void) async -> BackendError.Code? {
    do throws(BackendError) {
      try await body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test(arguments: [
    ("503", BackendError.Code.unreachable), ("503-after", .rateLimited), ("429-date", .rateLimited),
    ("423", .locked), ("401", .unauthorised), ("reset", .unreachable), ("portal", .damaged),
    ("entities", .damaged), ("deep", .damaged), ("foreign", .damaged), ("endless", .damaged),
    ("cut", .damaged),
  ])
  func `a listing that is broken is an error with a meaning, and never a shorter listing`(
    _ fault: String, _ expected: BackendError.Code
  ) async throws {
    let faults = try await FaultyServer()
    let backend = try backend(faults)
    try await backend.upload([1], to: path("file"))
    try await faults.plan("PROPFIND \(fault) 9")
    let code = await code { () throws(BackendError) in _ = try await backend.list(.root) }
    // A reset may take along what was sent before it.
    #expect(code == expected || fault == "cut" && code == .unreachable)
    try await faults.plan("")
    #expect(try await backend.list(.root).entries.count == 1)
  }

  @Test func `both forms of Retry-After reach the caller`() async throws {
    let faults = try await FaultyServer()
    let backend = try backend(faults)
    for (fault, pause) in [("503-after", 1), ("429-date", 7)] {
      try await faults.plan("GET \(fault)")
      let error = await #expect(throws: BackendError.self) {
        try await backend.download(path("file"), limit: 10)
      }
      #expect(error?.retryAfter == .seconds(pause))
    }
  }

  @Test(arguments: ["cut", "reset", "endless", "slow", "compressed", "portal", "503"])
  func `a download that is broken leaves no file, and what stands keeps its content`(_ fault: String)
    async throws
  {
    let faults = try await FaultyServer()
    let backend = try backend(faults)
    try await backend.upload(Self.bytes, to: path("file"))
    let folder = try TemporaryFolder()
    let target = folder.file("target")
    try Data("before".utf8).write(to: URL(filePath: target))
    try await faults.plan("GET \(fault) 99")
    let file = try path("file")
    let code = await code { () throws(BackendError) in try await backend.download(file, toFile: target) }
    #expect(code != nil)
    #expect(try folder.names == ["target"])
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "before")
    #expect(
      await self.code { () throws(BackendError) in _ = try await backend.download(file, limit: 300_000) }
        != nil)
  }

  @Test func `a download that breaks off once is whole all the same where the server's ETag is strong`()
    async throws
  {
    let faults = try await FaultyServer()
    let backend = try backend(faults)
    try await backend.upload(Self.bytes, to: path("file"))
    // Apache's ETags are weak for a second after a write.
    try await Task.sleep(for: .milliseconds(2_100))
    try await faults.plan("GET cut")
    let folder = try TemporaryFolder()
    try await backend.download(path("file"), toFile: folder.file("target"))
    #expect(try [UInt8](Data(contentsOf: URL(filePath: folder.file("target")))) == Self.bytes)
  }

  @Test func `bytes beyond the announced length are not taken`() async throws {
    let faults = try await FaultyServer()
    let backend = try backend(faults)
    try await backend.upload(Self.bytes, to: path("file"))
    try await faults.plan("GET double")
    #expect(try await backend.download(path("file"), limit: 1_000_000) == Self.bytes)
  }

  @Test(arguments: ["reset", "503", "423", "lost"])
  func `an upload that is broken leaves nothing under its name, and succeeds when tried again`(
    _ fault: String
  ) async throws {
    let faults = try await FaultyServer()
    let backend = try backend(faults)
    let file = try path("file")
    for method in ["PUT", "MOVE"] {
      try await faults.plan("\(method) \(fault)")
      let code = await code { () throws(BackendError) in try await backend.upload(Self.bytes, to: file) }
      // A PUT that broke on a connection which was kept is sent again at once; a MOVE never is.
      #expect(code != nil || method == "PUT" && ["reset", "lost"].contains(fault))
      let names = try await backend.list(.root)
      #expect(names.foreign == [])
      if !names.entries.isEmpty { #expect(try await backend.download(file, limit: 300_000) == Self.bytes) }
    }
    try await RetryingBackend(backend).upload(Self.bytes, to: file)
    #expect(try await backend.download(file, limit: 300_000) == Self.bytes)
  }

  @Test func `what took effect although its answer was lost counts as done when it is tried again`()
    async throws
  {
    let faults = try await FaultyServer()
    let backend = RetryingBackend(try backend(faults), policy: RetryPolicy(firstPause: .milliseconds(1)))
    try await faults.plan("MOVE lost")
    try await backend.createIfAbsent([1, 2, 3], at: path("file"))
    try await faults.plan("MKCOL lost")
    try await backend.makeDirectory(path("folder"))
    try await faults.plan("DELETE lost")
    try await backend.remove(path("file"))
    #expect(try await backend.list(.root).entries.map(\.name.description) == ["folder"])
  }
}

/// Apache behind `faults.py`.
private final class FaultyServer: Sendable {
  let address: String
  private let proxy: Subprocess
  private let folder: TemporaryFolder
  private let base: String

  init() async throws {
    let server = try await LocalServers.shared.server(.apache)
    let name = try await server.makeFolder()
    folder = try TemporaryFolder()
    let port = server.place.split(separator: ":")[1].dropLast()
    let script = Checkout.root.appending(path: "Tests/WebDAVBackendTests/faults.py").path
    proxy = try Subprocess(["python3", script, String(port), folder.file("port")])
    Task { [proxy] in try await proxy.result() }
    let limit = ContinuousClock.now + .seconds(60)
    while !FileManager.default.fileExists(atPath: folder.file("port")), ContinuousClock.now < limit {
      try await Task.sleep(for: .milliseconds(20))
    }
    base = "http://127.0.0.1:" + (try String(contentsOfFile: folder.file("port"), encoding: .utf8))
    address = "\(base)/\(name)/"
  }

  deinit { proxy.send(SIGTERM) }

  /// Sets what is to happen next.
  func plan(_ lines: String) async throws {
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    let request = HTTPRequest("POST", try HTTPAddress(base + "/faults"), body: .bytes(Array(lines.utf8)))
    _ = try await HTTPClient(configuration).send(request, receiver: NothingReceiver())
  }
}
