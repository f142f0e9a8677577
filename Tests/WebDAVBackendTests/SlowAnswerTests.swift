import Foundation
import TICDSHTTP
import Locking
import SyncProtocol
import TemporaryFolders
import Testing

@testable import WebDAVBackend

/// Answers that come faster than what counts as standing still, and have no end.
@Suite struct SlowAnswerTests {
  private static let length = 10
  private static let head = "HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n"

  private static func dripping(_ head: String) -> ScriptedServer.Answer {
    var answer = ScriptedServer.Answer(raw: head)
    answer.drip = Array("40\r\n\(String(repeating: "x", count: 64))\r\n".utf8)
    return answer
  }

  private static func file(_ path: String) -> ScriptedServer.Answer { .file(path, length: length) }

  private func backend(
    _ server: ScriptedServer, stallLimit: Duration = .seconds(60)
  ) throws -> WebDAVBackend {
    var configuration = HTTPConfiguration()
    configuration.stallLimit = stallLimit
    configuration.proxy = .none
    configuration.answerLimit = .milliseconds(700)
    return WebDAVBackend(try HTTPAddress(server.address + "/dav/"), configuration: configuration)
  }

  private func failure(_ body: () async throws(BackendError) -> Void) async -> BackendError? {
    do throws(BackendError) {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  /// Why a small file cannot be had in memory, after how many requests, and why not as a file of this device, of which nothing is left then.
  private func failures(
    _ server: ScriptedServer
  ) async throws -> (inMemory: BackendError?, requests: Int, intoFile: BackendError?) {
    let backend = RetryingBackend(try backend(server))
    let path = try #require(RemotePath("file"))
    let folder = try TemporaryFolder()
    let inMemory = await failure { () throws(BackendError) in
      _ = try await backend.download(path, limit: Self.announcedLength)
    }
    let requests = server.requests.count { $0.method == "GET" }
    let intoFile = await failure { () throws(BackendError) in
      try await backend.download(path, toFile: folder.file("target")) { _ in }
    }
    #expect(try folder.names == [])
    return (inMemory, requests, intoFile)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a small file without an end is given up after a second look at its length, and not asked for again`()
    async throws
  {
    let server = try ScriptedServer { request in
      request.method == "GET" ? Self.dripping(Self.head) : Self.file(request.path)
    }
    let (inMemory, requests, intoFile) = try await failures(server)

    #expect(inMemory?.code == .unreachable && inMemory?.timedOut == true && inMemory?.wasAwaited == true)
    #expect(inMemory?.recovery == Remedy.awaitServer.rawValue)
    #expect(requests == 2)
    // What is written into a file ends where the listing says that it does.
    #expect(intoFile != nil)
  }

  @Test(.timeLimit(.minutes(1)))
  func `where listings tell no length, one that comes slowly is not asked for again, and why is said`()
    async throws
  {
    let server = try ScriptedServer { request in
      request.method == "GET"
        ? Self.announcing(Self.announcedLength) : .file(request.path, length: nil)
    }
    let (inMemory, requests, intoFile) = try await failures(server)

    for error in [inMemory, intoFile] {
      #expect(error?.code == .unreachable && error?.wasAwaited == true, "\(String(describing: error))")
      #expect(error?.detail.contains("does not say how long the file is") == true)
    }
    #expect(requests == 1)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a file that comes slowly once and without its length is had by a second request`() async throws {
    let isFirst = Locked(true)
    let server = try ScriptedServer { request in
      guard request.method == "GET" else { return Self.file(request.path) }
      let drips = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      return drips ? Self.dripping(Self.head) : .init(raw: Self.head + "a\r\n0123456789\r\n0\r\n\r\n")
    }
    let path = try #require(RemotePath("file"))
    #expect(try await backend(server).download(path, limit: 18 << 20) == Array("0123456789".utf8))
  }

  private static let announcedLength = 18 << 20

  private static func announcing(_ length: Int) -> ScriptedServer.Answer {
    var answer = ScriptedServer.Answer(raw: "HTTP/1.1 200 x\r\nContent-Length: \(length)\r\n\r\n")
    answer.drip = [UInt8](repeating: 0x78, count: 64)
    return answer
  }

  @Test(.timeLimit(.minutes(1)))
  func `a small file that is announced long and drips is compared with what the listing says, and given up`()
    async throws
  {
    let server = try ScriptedServer { request in
      request.method == "GET" ? Self.announcing(Self.announcedLength) : Self.file(request.path)
    }
    let (inMemory, requests, intoFile) = try await failures(server)

    for error in [inMemory, intoFile] {
      #expect(error?.code == .unreachable && error?.timedOut == true && error?.wasAwaited == true)
      #expect(error?.detail.contains("\(Self.announcedLength) bytes and the file \(Self.length)") == true)
    }
    #expect(requests == 2)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a long file that comes slowly is had by a second request where the listing agrees on its length`()
    async throws
  {
    let content = [UInt8](repeating: 0x79, count: 100_000)
    let requests = Locked(0)
    let server = try ScriptedServer { request in
      guard request.method == "GET" else { return .file(request.path, length: content.count) }
      let isSlow = requests.withLock { requests in
        requests += 1
        return requests % 2 == 1
      }
      return isSlow ? Self.announcing(content.count) : .init(200, body: content)
    }
    let backend = try backend(server)
    let path = try #require(RemotePath("file"))
    let folder = try TemporaryFolder()

    #expect(try await backend.download(path, limit: content.count) == content)
    try await backend.download(path, toFile: folder.file("target")) { _ in }
    #expect(FileManager.default.contents(atPath: folder.file("target")).map { [UInt8]($0) } == content)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a file of which the listing is known may come more slowly than one that only announces its length`()
    async throws
  {
    let length = 70_000
    let requests = Locked(0)
    let server = try ScriptedServer { request in
      guard request.method == "GET" else { return .file(request.path, length: length) }
      var answer = Self.announcing(length)
      // Slower than what is doubted, and faster than what a line may be at the slowest.
      answer.drip = [UInt8](repeating: 0x79, count: 380)
      requests.withLock { $0 += 1 }
      return answer
    }
    let path = try #require(RemotePath("file"))
    #expect(try await backend(server).download(path, limit: length).count == length)
    #expect(requests.withLock { $0 } == 2)
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["PUT", "MKCOL"])
  func `the answer to what was written may not go on for ever`(_ method: String) async throws {
    let server = try ScriptedServer { request in
      request.method == method
        ? Self.dripping("HTTP/1.1 201 x\r\nTransfer-Encoding: chunked\r\n\r\n")
        : request.path.hasSuffix("/dav/") || request.path.hasSuffix("/dav")
          ? .listing("/dav/") : .init(404)
    }
    let backend = try backend(server)
    let path = try #require(RemotePath("file"))
    let start = ContinuousClock.now
    let error = await failure { () throws(BackendError) in
      if method == "PUT" { try await backend.upload([UInt8](repeating: 1, count: 5 << 20), to: path) }
      if method == "MKCOL" { try await backend.makeDirectory(path) }
    }
    #expect(error?.code == .unreachable && error?.wasAwaited == true, "\(String(describing: error))")
    #expect(server.requests.contains { $0.method == method })
    #expect(ContinuousClock.now - start < .seconds(40))
  }

  @Test(.timeLimit(.minutes(1)))
  func `the answer to a large upload that stands still once it has begun is given up like any other`()
    async throws
  {
    let server = try ScriptedServer { request in
      request.method == "PUT"
        ? .init(raw: "HTTP/1.1 201 x\r\nContent-Length: 9\r\n\r\n") : .listing("/dav/")
    }
    let backend = try backend(server, stallLimit: .seconds(2))
    let path = try #require(RemotePath("file"))
    let start = ContinuousClock.now
    let error = await failure { () throws(BackendError) in
      // After which an answer that has not begun would be waited for more than four minutes.
      try await backend.upload([UInt8](repeating: 1, count: 5 << 20), to: path)
    }
    #expect(error?.code == .unreachable && error?.timedOut == true, "\(String(describing: error))")
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test(.timeLimit(.minutes(1)))
  func `neither a head nor the answer about one entry may take for ever`() async throws {
    var answer = ScriptedServer.Answer(raw: "HTTP/1.1 200 x\r\n")
    answer.drip = Array("X: \(String(repeating: "x", count: 64))\r\n".utf8)
    let head = try ScriptedServer { [answer] request in
      request.method == "GET" ? answer : Self.file(request.path)
    }
    let path = try #require(RemotePath("file"))
    let headless = try backend(head)
    let error = await failure { () throws(BackendError) in _ = try await headless.download(path, limit: 10) }
    #expect(error?.code == .unreachable && error?.wasAwaited == true)
  }

  /// A server on which all can be written, and of which nothing can be read: files drip.
  @Test(.timeLimit(.minutes(1)), arguments: ["64-bytes", "one byte"])
  func `the test of a server ends with the first small file that drips`(_ pace: String) async throws {
    let taken = Locked<Set<String>>([])
    let server = try ScriptedServer { request in
      switch request.method {
      case "GET":
        var answer = Self.dripping(Self.head)
        if pace == "one byte" { answer.drip = Array("1\r\nx\r\n".utf8) }
        return answer
      case "PROPFIND": return .listing(request.path)
      case "PUT" where request.fields["if-none-match"] != nil:
        return .init(taken.withLock { $0.insert(request.path).inserted } ? 201 : 412)
      case "PUT", "MKCOL": return .init(201)
      default: return .init(204)
      }
    }
    let backend = WebDAVBackend(try HTTPAddress(server.address + "/dav/"))
    let start = ContinuousClock.now
    let error = await failure { () throws(BackendError) in
      _ = try await backend.probe(ProbePatience(ofReading: .seconds(1), ofAll: .seconds(30)))
    }
    #expect(ContinuousClock.now - start < .seconds(15))
    if pace == "one byte" {
      #expect(error?.timedOut == true && error?.code == .unreachable)
      #expect(server.requests.count { $0.method == "GET" } == 1)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `the test of a server ends where its requests hang one after the other`() async throws {
    let server = try ScriptedServer { request in
      request.method == "PROPFIND" || request.method == "MKCOL" || request.method == "OPTIONS"
        ? request.method == "MKCOL" ? .init(201) : .listing(request.path) : nil
    }
    let backend = try backend(server, stallLimit: .seconds(2))
    let start = ContinuousClock.now
    let error = await failure { () throws(BackendError) in
      _ = try await backend.probe(ProbePatience(ofReading: .seconds(1), ofAll: .seconds(3)))
    }
    #expect(error?.timedOut == true)
    #expect(ContinuousClock.now - start < .seconds(30))
  }
}
