import Foundation
import TICDSHTTP
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
    ("423", .locked), ("401", .unauthorised), ("412", .unreachable), ("reset", .unreachable),
    ("portal", .damaged),
    ("entities", .damaged), ("deep", .damaged), ("foreign", .damaged), ("endless", .damaged),
    ("cut", .unreachable), ("short", .unreachable), ("wide", .tooLarge), ("responses", .tooLarge),
    ("bomb", .tooLarge),
    ("crowd", .tooLarge), ("503-endless", .unreachable),
    ("endless-head", .damaged), ("long-head", .damaged), ("interim", .damaged), ("slow-head", .unreachable),
    ("late", .unreachable),
    ("half-read", .unreachable), ("lost", .unreachable),
  ])
  func `a listing that is broken is an error with a meaning, and never a shorter listing`(
    _ fault: String, _ expected: BackendError.Code
  ) async throws {
    let faults = try await FaultyServer()
    let backend = try faults.backend()
    try await backend.upload([1], to: path("file"))
    try await faults.plan("PROPFIND \(fault) 9")
    let code = await code { () throws(BackendError) in _ = try await backend.list(.root) }
    // A reset may take along what was sent before it.
    #expect(code == expected || fault == "cut" && code == .unreachable)
    try await faults.plan("")
    #expect(try await backend.list(.root).entries.count == 1)
  }

  @Test(arguments: ["delay", "double", "twice", "compressed"])
  func `an answer that comes late, twice or compressed is a right listing, and so is the next one`(
    _ fault: String
  )
    async throws
  {
    let faults = try await FaultyServer()
    let backend = try faults.backend()
    try await backend.upload([1], to: path("file"))
    try await faults.plan("PROPFIND \(fault)")
    for _ in 0..<3 {
      #expect(try await backend.list(.root).entries.map(\.name.description) == ["file"])
      #expect(try await backend.download(path("file"), limit: 10) == [1])
    }
  }

  @Test
  func `references to elsewhere are set aside and told, and nobody connects to the hosts that they name`()
    async throws
  {
    let faults = try await FaultyServer()
    let backend = try faults.backend()
    try await backend.upload([1], to: path("file"))
    try await faults.plan("PROPFIND stranger 9")
    let listing = try await backend.list(.root)
    #expect(listing.entries.map(\.name.description) == ["file"] && listing.foreign.count == 5)
    for entry in listing.entries { _ = try await backend.download(RemotePath([entry.name]), limit: 10) }
    #expect(try await backend.stat(path("file")).size == 1)
    #expect(try await faults.strangerCount() == 0)
  }

  @Test func `a password that is asked for again, and a token that has run out, are sent again once`()
    async throws
  {
    let faults = try await FaultyServer()
    let tokens = Locked<[String?]>([])
    let token = Credentials.bearer { refused in
      tokens.withLock { $0.append(refused) }
      return refused == nil ? "old" : "new"
    }
    for credentials in [Credentials.password(user: "me", password: "geheim"), token] {
      var configuration = HTTPConfiguration()
      (configuration.proxy, configuration.allowsPlainCredentials) = (.none, true)
      let backend = WebDAVBackend(
        try HTTPAddress(faults.address), credentials: credentials, configuration: configuration)
      try await faults.plan("PROPFIND 401")
      #expect(try await backend.list(.root) == RemoteListing())
      try await faults.plan("PUT 401 9")
      let file = try path("file")
      let code = await code { () throws(BackendError) in try await backend.upload([1], to: file) }
      #expect(code == .unauthorised)
    }
    #expect(tokens.withLock { $0 } == [nil, "old", "new"])
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/clear_refs")),
    .enabled { try await LocalServers.shared.isInstalled(.apache) })
  func `answers without end take little memory`() async {
    // In a process of its own, where no other test takes memory.
    await #expect(processExitsWith: .success) {
      let faults = try await FaultyServer()
      let backend = try faults.backend()
      try await backend.upload([1], to: #require(RemotePath("file")))
      for fault in ["wide", "responses", "bomb", "endless", "endless-head", "interim", "deep", "entities"] {
        try await faults.plan("PROPFIND \(fault)\nGET \(fault)")
        let before = try memory("VmRSS:")
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        await #expect(throws: BackendError.self) { try await backend.list(.root) }
        await #expect(throws: BackendError.self) {
          try await backend.download(#require(RemotePath("file")), limit: 4 << 20)
        }
        #expect(try memory("VmHWM:") - before <= 32 << 20, "\(fault)")
      }
    }
  }

  @Test(
    .timeLimit(.minutes(10)), arguments: ["PUT", "MOVE", "MKCOL", "DELETE", "OPTIONS"],
    [("endless", BackendError.Code.damaged), ("503-endless", .unreachable)])
  func `an answer that nobody reads and that has no end is given up, and a refusal keeps its meaning`(
    _ method: String, _ fault: (name: String, meaning: BackendError.Code)
  ) async throws {
    let faults = try await FaultyServer()
    let backend = try faults.backend()
    let (file, folder) = (try path("file"), try path("folder"))
    try await backend.upload([1], to: file)
    try await faults.plan("\(method) \(fault.name) 9")
    let code = await code { () throws(BackendError) in
      switch method {
      case "PUT", "MOVE": try await backend.upload([2], to: file)
      case "MKCOL": try await backend.makeDirectory(folder)
      case "DELETE": try await backend.remove(file)
      default: _ = try await backend.probe()
      }
    }
    // What the server calls itself may stay unknown.
    #expect(code == (method == "OPTIONS" ? nil : fault.meaning))
    try await faults.plan("")
    #expect(try await backend.list(.root).entries.map(\.name) == [RemoteName("file")])
    #expect(try await backend.download(file, limit: 10) == [1])
  }

  @Test func `a folder with more entries than are read is refused for good, with the limit and what to do`()
    async throws
  {
    let faults = try await FaultyServer()
    let backend = try faults.backend()
    try await faults.plan("PROPFIND crowd 99")
    let folder = try path("folder")
    let error = await #expect(throws: BackendError.self) { try await RetryingBackend(backend).list(folder) }
    #expect(error?.path == folder && error?.detail.contains("more than 4194304 bytes") == true)
    #expect(error?.recovery == Remedy.emptyFolder.rawValue && error?.code.isTransient == false)
    #expect(try await faults.left() == 98)
  }

  @Test func `whoever takes a part of a folder gets what was read of one with too many entries`() async throws
  {
    let faults = try await FaultyServer()
    let backend = try faults.backend()
    try await faults.plan("PROPFIND crowd 99")
    let page = try await backend.list(.root, after: nil)
    #expect(page.listing.entries.count > 10_000 && page.next != nil)
    let error = await #expect(throws: BackendError.self) { try await backend.list(.root, after: page.next) }
    #expect(error?.code == .tooLarge)
    try await faults.plan("")
    #expect(try await backend.list(.root, after: nil) == ListingPage(RemoteListing()))
  }

  @Test(.timeLimit(.minutes(10)))
  func `who has never answered is waited for as long as a first answer may take`() async throws {
    let faults = try await FaultyServer()
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    configuration.stallLimit = .seconds(3_600)
    configuration.firstAnswerLimit = .seconds(1)
    let backend = WebDAVBackend(try HTTPAddress(faults.address), configuration: configuration)
    try await faults.plan("PROPFIND hold")
    let error = await #expect(throws: BackendError.self) { try await backend.list(.root) }
    try await faults.plan("")
    #expect(error?.code == .unreachable && error?.recovery == Remedy.wait.rawValue)
  }

  @Test func `a server that does not answer is asked once by its test`() async throws {
    let faults = try await FaultyServer()
    let backend = try faults.backend()
    try await faults.plan("* 503 9")
    await #expect(throws: BackendError.self) { try await backend.probe() }
    #expect(try await faults.left() == 8)
  }

  @Test func `both forms of Retry-After reach the caller`() async throws {
    let faults = try await FaultyServer()
    let backend = try faults.backend()
    for (fault, pause) in [("503-after", 1), ("429-date", 7)] {
      try await faults.plan("GET \(fault)")
      let error = await #expect(throws: BackendError.self) {
        try await backend.download(path("file"), limit: 10)
      }
      #expect(error?.retryAfter == .seconds(pause))
    }
  }

  @Test(arguments: [
    "cut", "short", "reset", "endless", "slow", "slow-head", "endless-head", "interim", "compressed",
    "portal",
    "503", "423", "late", "lost",
  ])
  func `a download that is broken leaves no file, and what stands keeps its content`(_ fault: String)
    async throws
  {
    let faults = try await FaultyServer()
    let backend = try faults.backend()
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
    let backend = try faults.backend()
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
    let backend = try faults.backend()
    try await backend.upload(Self.bytes, to: path("file"))
    let folder = try TemporaryFolder()
    for fault in ["double", "twice"] {
      try await faults.plan("GET \(fault) 2")
      #expect(try await backend.download(path("file"), limit: 1_000_000) == Self.bytes)
      try await backend.download(path("file"), toFile: folder.file("target"))
      #expect(try [UInt8](Data(contentsOf: URL(filePath: folder.file("target")))) == Self.bytes)
    }
  }

  @Test(arguments: [
    "reset", "half-read", "503", "503-after", "429-date", "423", "401", "lost", "late", "slow-head",
  ])
  func `an upload that is broken leaves nothing under its name, and succeeds when tried again`(
    _ fault: String
  ) async throws {
    let faults = try await FaultyServer()
    let backend = try faults.backend()
    let file = try path("file")
    for method in ["PUT", "MOVE"] {
      try await faults.plan("\(method) \(fault)")
      let code = await code { () throws(BackendError) in try await backend.upload(Self.bytes, to: file) }
      // A PUT that broke on a connection which was kept is sent again at once; a MOVE never is.
      #expect(code != nil || method == "PUT" && ["reset", "half-read", "lost"].contains(fault))
      let names = try await backend.list(.root)
      #expect(names.foreign == [])
      if !names.entries.isEmpty { #expect(try await backend.download(file, limit: 300_000) == Self.bytes) }
    }
    try await RetryingBackend(backend).upload(Self.bytes, to: file)
    #expect(try await backend.download(file, limit: 300_000) == Self.bytes)
  }

  @Test func `a request gets its answer although all connections that were kept turn out to be closed`()
    async throws
  {
    let faults = try await FaultyServer()
    let backend = try faults.backend()
    try await backend.upload([1], to: path("file"))
    // Answers that take their time need a connection each.
    try await faults.plan("GET delay 8")
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try await backend.download(path("file"), limit: 10) } }
      for try await bytes in group { #expect(bytes == [1]) }
    }

    try await faults.plan("* stale 1000")

    #expect(try await backend.list(.root).entries.map(\.name.description) == ["file"])
  }

  @Test(arguments: [(Duration.zero, true), (.seconds(1 << 30), false)])
  func `what must not arrive twice goes over a connection only if that was used lately`(
    _ idleLimit: Duration, _ isDone: Bool
  ) async throws {
    let faults = try await FaultyServer()
    let backend = try faults.backend(idleLimit: idleLimit)
    let folder = try path("folder")
    _ = try await backend.list(.root)

    try await faults.plan("MKCOL stale 1")

    let code = await code { () throws(BackendError) in try await backend.makeDirectory(folder) }
    #expect((code == nil) == isDone)
  }

  @Test func `the answer to an upload is waited for as long as a server may need that passes it on`()
    async throws
  {
    let faults = try await FaultyServer()
    let backend = try faults.backend()
    try await faults.plan("PUT tardy")
    try await backend.upload(Self.bytes, to: path("file"))
    #expect(try await backend.download(path("file"), limit: Self.bytes.count) == Self.bytes)
    #expect(try await faults.isPlanUsed())
  }

  @Test func `what took effect although its answer was lost counts as done when it is tried again`()
    async throws
  {
    let faults = try await FaultyServer()
    let backend = RetryingBackend(try faults.backend(), policy: RetryPolicy(firstPause: .milliseconds(1)))
    try await faults.plan("MOVE lost")
    try await backend.createIfAbsent([1, 2, 3], at: path("file"))
    try await faults.plan("MKCOL lost")
    try await backend.makeDirectory(path("folder"))
    try await faults.plan("DELETE lost")
    try await backend.remove(path("file"))
    #expect(try await backend.list(.root).entries.map(\.name.description) == ["folder"])
  }
}

/// A line of `/proc/self/status`, in bytes.
private func memory(_ key: String) throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(key) })
  return try #require(line.split(separator: " ").compactMap { Int($0) }.first) << 10
}
