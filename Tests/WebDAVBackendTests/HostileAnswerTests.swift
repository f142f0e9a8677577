import Foundation
import TICDSHTTP
import Locking
import SyncProtocol
import TemporaryFolders
import Testing

@testable import WebDAVBackend

/// Servers that answer what no honest one does.
@Suite struct HostileAnswerTests {
  private typealias Answer = ScriptedServer.Answer

  private func backend(
    _ server: ScriptedServer, _ credentials: Credentials = .none, stallLimit: Duration = .seconds(60)
  ) throws -> WebDAVBackend {
    var configuration = HTTPConfiguration()
    (configuration.proxy, configuration.allowsPlainCredentials) = (.none, true)
    configuration.stallLimit = stallLimit
    return WebDAVBackend(
      try HTTPAddress(server.address + "/dav/"), credentials: credentials, configuration: configuration)
  }

  private func path(_ text: String) throws -> RemotePath { try #require(RemotePath(text)) }

  private func failure(_ body: () async throws(BackendError) -> Void) async -> BackendError? {
    do throws(BackendError) {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  // MARK: - Credentials

  /// A way to log in, and how the server asks for it.
  enum Login: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case basic, digest, token
    var testDescription: String { rawValue }
    var credentials: Credentials {
      self == .token ? .bearer("geheim") : .password(user: "me", password: "geheim")
    }
    var challenge: String {
      switch self {
      case .basic: "Basic realm=\"a\""
      case .digest: "Digest realm=\"a\", nonce=\"n\", qop=\"auth\""
      case .token: "Bearer"
      }
    }
  }

  @Test(arguments: Login.allCases, [301, 302, 307, 308])
  func `credentials stay with the server that was named, however long another one answers for it`(
    _ login: Login, _ status: Int
  ) async throws {
    let isHostile = Locked(false)
    let other = try ScriptedServer { request in
      isHostile.withLock { $0 } ? .init(401, [("WWW-Authenticate", login.challenge)]) : .listing(request.path)
    }
    let place = other.address
    let first = try ScriptedServer { request in
      guard request.fields["authorization"] != nil else {
        return .init(401, [("WWW-Authenticate", login.challenge)])
      }
      return .init(status, [("Location", place + request.path)])
    }
    let backend = try backend(first, login.credentials)

    for _ in 0..<3 {
      _ = try await backend.list(.root)
      _ = try await backend.stat(path("folder"))
    }
    isHostile.withLock { $0 = true }
    let error = await failure { () throws(BackendError) in _ = try await backend.list(.root) }

    #expect(other.requests.count == 7)
    #expect(other.requests.allSatisfy { $0.fields["authorization"] == nil })
    #expect(error?.detail.contains("asks for credentials") == true)
  }

  @Test
  func `a server that says for ever that its nonce was stale is told a few times who asks, and then refused`()
    async throws
  {
    let count = Locked(0)
    let server = try ScriptedServer { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return .init(
        401, [("WWW-Authenticate", "Digest realm=\"a\", nonce=\"\(number)\", qop=\"auth\", stale=true")],
        body: "no")
    }
    let backend = RetryingBackend(try backend(server, .password(user: "me", password: "geheim")))

    let error = await failure { () throws(BackendError) in _ = try await backend.list(.root) }

    #expect(error?.code == .unauthorised && error?.recovery == Remedy.checkCredentials.rawValue)
    #expect(server.requests.count <= 8)
  }

  // MARK: - Numbers

  private static let numbers = [
    "0", "1", "-1", "-9223372036854775808", "-9223372036854775809", "9223372036854775806",
    "9223372036854775807",
    "9223372036854775808", "18446744073709551615", "18446744073709551616",
    "340282366920938463463374607431768211456",
    "999999999999999999", "1000000000000000000", "2147483648", "4294967296", "+5", "0x10", "1e9", "", " ",
    "٣",
    String(repeating: "9", count: 4_000),
  ]

  @Test(.timeLimit(.minutes(5)))
  func
    `no number that a server tells while a download goes on ends the program, or makes another file of it`()
    async throws
  {
    let bytes = [UInt8](repeating: 7, count: 100_000)
    let folder = try TemporaryFolder()
    let file = try path("file")
    var ranges: [String?] = [nil]
    for number in Self.numbers {
      ranges += [
        "bytes \(number)-99999/100000", "bytes 50000-\(number)/100000", "bytes 50000-99999/\(number)",
      ]
    }
    let cases =
      Self.numbers.flatMap { [($0, String?.none), ($0, "bytes 50000-99999/100000")] }
      + ranges.map { ("50000", $0) }
    for (length, range) in cases {
      let server = try ScriptedServer { request in
        guard request.method == "GET" else { return .listing(request.path) }
        guard request.fields["range"] != nil else {
          var answer = Answer(200, [("ETag", "\"v\"")], body: Array(bytes[..<50_000]), length: "100000")
          answer.closes = true
          return answer
        }
        let fields = [("ETag", "\"v\"")] + (range.map { [("Content-Range", $0)] } ?? [])
        var answer = Answer(206, fields, body: Array(bytes[50_000...]), length: length)
        answer.closes = true
        return answer
      }
      let target = folder.file("target")
      let backend = try backend(server)
      let error = await failure { () throws(BackendError) in try await backend.download(file, toFile: target)
      }
      if error == nil { #expect(try [UInt8](Data(contentsOf: URL(filePath: target))) == bytes) }
      try? FileManager.default.removeItem(atPath: target)
      #expect(try folder.names == [], "\(length), \(range ?? "")")
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `no number in a listing, a status or a field ends the program`() async throws {
    let dates = [
      "Sun, 06 Nov \u{1} 08:49:37 GMT", "\u{1}-11-06T08:49:37Z", "Sun, \u{1} Nov 1994 08:49:37 GMT",
    ]
    for number in Self.numbers {
      let text = number.replacing("\u{1}", with: "")
      let values = dates.map { $0.replacing("\u{1}", with: text) }
      let responses = values.enumerated().map { index, date in
        """
        <D:response><D:href>/dav/f\(index)</D:href><D:propstat><D:prop><D:resourcetype/><D:getcontentlength>\(text)\
        </D:getcontentlength><D:getlastmodified>\(date)</D:getlastmodified></D:prop><D:status>HTTP/1.1 \(text) x\
        </D:status></D:propstat></D:response>
        """
      }
      for (status, body) in [(207, Answer.folder("/dav/", responses.joined())), (503, ""), (429, "")] {
        for date in values + [text] {
          let server = try ScriptedServer { _ in
            .init(status, [("Retry-After", date), ("Date", values[0]), ("ETag", text)], body: body)
          }
          let backend = try backend(server)
          _ = await failure { () throws(BackendError) in
            let entries = try await backend.list(.root).entries
            #expect(entries.allSatisfy { $0.size ?? 0 >= 0 })
          }
        }
      }
    }
  }

  // MARK: - Trailers

  @Test(arguments: ["HTTP/1.1: 404", "HTTP/1.1 404 Gone", "HTTP/2: 503", "HTTP/1.1 401 x", "Retry-After: 9"])
  func `what follows a body changes nothing of what was answered`(_ trailer: String) async throws {
    let server = try ScriptedServer { request in
      let body = Answer.folder(request.path)
      return .init(
        raw:
          "HTTP/1.1 207 x\r\nTransfer-Encoding: chunked\r\n\r\n\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n"
          + "0\r\n\(trailer)\r\nContent-Length: 3\r\n\r\n")
    }
    let backend = try backend(server)
    for _ in 0..<3 {
      let error = await failure { () throws(BackendError) in
        #expect(try await backend.list(.root) == RemoteListing())
      }
      // libcurl refuses the whole answer for a trailer that is no field.
      #expect(error == nil || error?.code == .damaged && !trailer.contains(": "))
    }
  }

  @Test func `a field that is called like a protocol is none`() async throws {
    let server = try ScriptedServer { request in
      let body = Answer.folder(request.path)
      return .init(
        raw: "HTTP/1.1 207 x\r\nHTTP/1.1: 404\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
    #expect(try await backend(server).list(.root) == RemoteListing())
  }

  // MARK: - Sizes of listings

  @Test func `a listing that is too long and never speaks of its folder is asked for once`() async throws {
    let entries = (0..<60_000).map {
      "<D:response><D:href>/dav/x\($0)</D:href><D:status>HTTP/1.1 200 x</D:status></D:response>"
    }
    let body = "<D:multistatus xmlns:D=\"DAV:\">\(entries.joined())</D:multistatus>"
    let server = try ScriptedServer { _ in .init(207, body: body) }
    let backend = RetryingBackend(try backend(server))

    let error = await failure { () throws(BackendError) in _ = try await backend.list(.root, after: nil) }

    #expect(server.requests.count == 1)
    #expect(error?.code == .tooLarge && error?.recovery == Remedy.emptyFolder.rawValue)
    #expect(error?.detail.contains("too long") == true)
  }

  // MARK: - Servers that stop

  @Test(.timeLimit(.minutes(5)), arguments: [false, true])
  func `a file that never comes, or never comes whole, is waited for twice`(_ begins: Bool) async throws {
    let server = try ScriptedServer { request in
      guard request.method == "GET" else { return .listing(request.path) }
      let half = [UInt8](repeating: 7, count: 50_000)
      return begins ? Answer(200, [("ETag", "\"v\"")], body: half, length: "100000") : nil
    }
    let backend = RetryingBackend(
      try backend(server, stallLimit: .seconds(1)), policy: RetryPolicy(firstPause: .milliseconds(1)))
    let folder = try TemporaryFolder()
    let file = try path("file")

    let error = await failure { () throws(BackendError) in
      try await backend.download(file, toFile: folder.file("target"))
    }

    #expect(error?.code == .unreachable && error?.timedOut == true)
    #expect(server.requests.filter { $0.method == "GET" }.count == 2)
  }

  @Test(.timeLimit(.minutes(5)))
  func `of several files that never come, one is waited for twice, another once, and the rest not at all`()
    async throws
  {
    let server = try ScriptedServer { request in
      request.method == "GET"
        ? nil : .init(request.method == "PROPFIND" ? 207 : 201, body: Answer.folder(request.path))
    }
    let policy = RetryPolicy(firstPause: .milliseconds(1), patience: .seconds(2))
    let backend = RetryingBackend(try backend(server, stallLimit: .seconds(1)), policy: policy)

    // Nothing is asked for between them, so that what hung is not forgotten meanwhile.
    for number in 0..<20 {
      let file = try path("file\(number)")
      let error = await failure { () throws(BackendError) in _ = try await backend.download(file, limit: 9) }
      #expect(error?.code == .unreachable && error?.path == file && error?.timedOut == true)
    }

    #expect(server.requests.filter { $0.method == "GET" }.count == 3)
  }

  @Test func `a folder that stays locked is asked for fifteen times at most, and then anew`() async throws {
    let isLocked = Locked(true)
    let server = try ScriptedServer { request in
      switch request.method {
      case "MKCOL": .init(isLocked.withLock { $0 } ? 423 : 201)
      default: request.path == "/dav/" || !isLocked.withLock { $0 } ? .listing(request.path) : .init(404)
      }
    }
    let policy = RetryPolicy(firstPause: .milliseconds(1))
    let plain = try backend(server)
    let folder = try path("folder")

    for _ in 0..<2 {
      let before = server.requests.count
      let error = await failure { () throws(BackendError) in
        try await RetryingBackend(plain, policy: policy).makeDirectory(folder)
      }
      #expect(error?.code == .locked && error?.path == folder)
      #expect(server.requests.count - before <= 15)
    }

    isLocked.withLock { $0 = false }
    try await plain.makeDirectory(folder)
    isLocked.withLock { $0 = true }
    let before = server.requests.count
    _ = await failure { () throws(BackendError) in try await plain.makeDirectory(folder) }
    #expect(server.requests.dropFirst(before).filter { $0.method == "MKCOL" }.count == 3)
  }

  // MARK: - What is said

  @Test(arguments: [["NTLM", "Negotiate oYG"], ["Negotiate"], []])
  func `a way to log in that is not known is told, for no password was refused`(_ schemes: [String])
    async throws
  {
    let server = try ScriptedServer { _ in .init(401, schemes.map { ("WWW-Authenticate", $0) }) }
    let backend = try backend(server, .password(user: "me", password: "geheim"))
    let error = await failure { () throws(BackendError) in _ = try await backend.list(.root) }
    #expect(error?.code == .unauthorised && error?.recovery == Remedy.offerLogin.rawValue)
    for scheme in schemes {
      let name = scheme.prefix { $0 != " " }.lowercased()
      #expect(error?.detail.contains(name) == true)
    }
    #expect(server.requests.allSatisfy { $0.fields["authorization"] == nil })
  }

  @Test func `no proxy is blamed where there is none, however a host is written`() async throws {
    let server = try ScriptedServer { _ in .init(302, [("Location", "http://2130706433:1/")]) }
    let backend = try backend(server)
    let error = await failure { () throws(BackendError) in _ = try await backend.list(.root) }
    #expect(error?.code == .unreachable && error?.recovery == Remedy.checkServer.rawValue)
  }

  @Test(arguments: ["PUT", "MOVE", "MKCOL"])
  func `an answer to a change that makes no sense is the server's fault`(_ method: String) async throws {
    let server = try ScriptedServer { request in
      if request.method == method {
        return .init(raw: "HTTP/1.1 201 x\r\nContent-Length: 5\r\n\r\nab", closes: true)
      }
      if request.method != "PROPFIND" { return .init(201) }
      return request.path == "/dav/" ? .listing(request.path) : .init(404)
    }
    let backend = try backend(server)
    let entry = try path("entry")
    let error = await failure { () throws(BackendError) in
      if method == "MKCOL" {
        try await backend.makeDirectory(entry)
      } else {
        try await backend.upload([1], to: entry)
      }
    }
    #expect(
      error?.code == .damaged && error?.recovery == Remedy.expectAnswer.rawValue,
      "\(String(describing: error))")
  }

  @Test func `a test of a server that sends away whoever writes says so`() async throws {
    let other = try ScriptedServer { _ in .init(401, [("WWW-Authenticate", "Basic realm=\"b\"")]) }
    let place = other.address
    let server = try ScriptedServer { request in
      guard request.method == "MKCOL" else {
        return request.path == "/dav/" ? .listing(request.path) : .init(404)
      }
      return .init(308, [("Location", place + request.path)])
    }
    let backend = try backend(server, .password(user: "me", password: "geheim"))
    let error = await failure { () throws(BackendError) in _ = try await backend.probe() }
    #expect(error?.recovery == Remedy.followRedirection.rawValue)
    #expect(error?.detail.contains("asks for credentials") == true)
  }

  @Test(.timeLimit(.minutes(5)))
  func `who cancels does not wait until everything is unpacked that came in few bytes`() async throws {
    let faults = try await FaultyServer()
    var configuration = HTTPConfiguration()
    configuration.proxy = .none
    let backend = WebDAVBackend(try HTTPAddress(faults.address), configuration: configuration)
    // 200 MB, of which 128 are read.
    try await faults.plan("PROPFIND bomb")
    let listing = Task { try await backend.list(.root) }
    while try await faults.left() != 0 { try await Task.sleep(for: .milliseconds(10)) }
    try await Task.sleep(for: .milliseconds(200))

    listing.cancel()
    let start = ContinuousClock.now
    let error = await #expect(throws: BackendError.self) { try await listing.value }

    #expect(error?.code == .cancelled)
    #expect(start.duration(to: .now) < .seconds(4))
  }
}
