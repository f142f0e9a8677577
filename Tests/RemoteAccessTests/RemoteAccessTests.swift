import CommandLineTool
import Foundation
import SyncProtocol
import Testing

@testable import TICDSHTTP
@testable import RemoteAccess
@testable import WebDAVBackend

@Suite struct RemoteAccessTests {
  @Test func `a remote is a path or a file URL`() throws {
    #expect(try RemoteLocation("/a/b/") == .folder("/a/b"))
    #expect(try RemoteLocation("/a/../b") == .folder("/b"))
    #expect(try RemoteLocation("file:///a%20b/c") == .folder("/a b/c"))
    #expect(try RemoteLocation("x") == .folder(FileManager.default.currentDirectoryPath + "/x"))
    #expect(try RemoteLocation("file://localhost/a") == .folder("/a"))
    for text in ["https://example.org/x", "file://host/x", "", "ftp://h/x"] {
      #expect(throws: ToolFailure.self) { try RemoteLocation(text) }
    }
  }

  @Test(arguments: [("http", "webdav"), ("https", "webdavs")])
  func `for an address of a web server the one of a share is named`(_ scheme: String, _ webDAV: String) {
    let failure = #expect(throws: ToolFailure.self) { try RemoteLocation("\(scheme)://u:geheim@host/x") }
    let sentence = failure.map { "\($0)" } ?? ""
    #expect(sentence.contains("write \(webDAV):// instead") && !sentence.contains("geheim"))
  }

  @Test(arguments: [
    ("webdavs:/host/x", "two slashes"), ("webdav:/x", "two slashes"), ("file:/x/y", "two slashes"),
    ("sftp:/host/x", "sftp: is no kind of remote"), ("me@host:/path", "ssh and scp"),
    ("me@host:path", "ssh and scp"),
  ])
  func `a folder that is not there and looks like an address is told to be taken for a folder`(
    _ text: String, _ words: String
  ) async throws {
    let connection = RemoteConnection(try RemoteLocation(text))
    let failure = await #expect(throws: ToolFailure.self) { try await connection.tested() }
    #expect(failure?.status == .remoteUnavailable)
    #expect(failure?.advice?.contains(words) == true, "\(String(describing: failure))")
  }

  @Test(arguments: ["/absent/folder", "absent", "/a@b/c", "/a: b/c", "/x/12:30/y"])
  func `other folders that are not there are mere folders`(_ text: String) async throws {
    let connection = RemoteConnection(try RemoteLocation(text))
    let failure = await #expect(throws: ToolFailure.self) { try await connection.tested() }
    #expect(failure?.advice == "check that the folder exists", "\(String(describing: failure))")
  }

  @Test func `where the storage knows better what is not permitted, nobody is sent to look at permissions`() {
    let error = BackendError(
      .forbidden, path: RemotePath("a/b") ?? .root, detail: "Read-only", recovery: "It is mounted read-only.")
    let said = "\(ToolFailure(error, remote: "r"))"
    #expect(said.contains("it is mounted read-only") && !said.contains("permissions"), "\(said)")
    let denied = "\(ToolFailure(BackendError(.forbidden, path: .root), remote: "r"))"
    #expect(denied.contains("check its owner and permissions"))
  }

  @Test func `what would end the path of an address is refused, with what to write in its place`() {
    for (text, encoded) in [("webdav://h/Notes #1", "%23"), ("webdavs://h/why?/x", "%3F")] {
      let failure = #expect(throws: ToolFailure.self) { try RemoteLocation(text) }
      #expect(failure.map { "\($0)" }?.contains(encoded) ?? false)
    }
  }

  @Test(arguments: [
    "file://me:s3cret@h/x", "webdav://me:s3cret@h/x", "https://me:s3cret@h/x", "ftp://me:s3cret@h/x",
  ])
  func `a refused address is not repeated, for it may hold a password`(_ text: String) throws {
    let failure = #expect(throws: ToolFailure.self) { try RemoteLocation(text) }
    #expect(failure.map { !"\($0)".contains("s3cret") } ?? false)
  }

  @Test func `a remote may be a folder whose provider keeps content elsewhere`() throws {
    let location = try RemoteLocation("ubiquity:/a b/")
    #expect(location == .ubiquity("/a b"))
    #expect(try RemoteLocation("\(location)") == location)
    #expect(throws: ToolFailure.self) { try RemoteLocation("ubiquity:") }
  }

  @Test
  func `a password is the first line of its file, with the spaces inside and without a byte order mark`()
    throws
  {
    let file = FileManager.default.temporaryDirectory.appending(path: "password-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    func read(_ bytes: [UInt8]) throws -> String {
      try Data(bytes).write(to: file)
      return try PasswordFile.read(file.path)
    }
    #expect(try read(Array("käse 🧀\r\nsecond".utf8)) == "käse 🧀")
    #expect(try read(Array("\u{FEFF}käse 🧀\r\nsecond".utf8)) == "käse 🧀")
    #expect(try read(Array("one".utf8)) == "one")
    #expect(try read(Array("one\u{B}two\u{2028}three\n".utf8)) == "one\u{B}two\u{2028}three")
    for text in ["one ", " one", "one\t\nsecond"] {
      let blank = #expect(throws: ToolFailure.self) { try read(Array(text.utf8)) }
      #expect(blank?.message.contains("blank") == true)
    }
    for bytes in [[], Array("\nx".utf8), [0xff], [UInt8](repeating: 65, count: 5000)] as [[UInt8]] {
      #expect(throws: ToolFailure.self) { try read(bytes) }
    }
    let missing = #expect(throws: ToolFailure.self) { try PasswordFile.read(file.path + "-absent") }
    #expect(missing?.status == .notFound)
  }

  @Test func `failures of the storage have exit codes by meaning`() {
    let cases: [(BackendError.Code, ToolStatus)] = [
      (.contradictory, .remoteUnavailable), (.alreadyExists, .remoteUnavailable),
      (.unsupported, .unsupported),
      (.unreachable, .remoteUnavailable), (.notADirectory, .remoteUnavailable),
      (.notFound, .remoteUnavailable),
      (.forbidden, .forbidden), (.quotaExceeded, .full), (.locked, .busy), (.cancelled, .interrupted),
      (.damaged, .damaged),
    ]
    for (code, status) in cases {
      #expect(ToolFailure(BackendError(code, path: .root), remote: "r").status == status)
    }
    for (number, status) in [
      (ENOSPC, ToolStatus.full), (EDQUOT, .full), (EFBIG, .full), (EACCES, .forbidden), (EPERM, .forbidden),
      (EROFS, .forbidden), (ENOENT, .notFound), (EIO, .damaged),
    ] {
      let local = ToolFailure(
        BackendError(.localFile, path: .root, detail: "“/a”: words", systemError: number), remote: "r")
      #expect(local.status == status && local.message.contains("“/a”"), "\(local)")
      #expect(local.advice?.isEmpty == false)
    }
    let inner = BackendError(.notFound, path: RemotePath("a/b") ?? .root)
    #expect(ToolFailure(inner, remote: "r").status == .notFound)
  }

  @Test(arguments: Remedy.allCases)
  func `what a server's failure asks for is said with the address and the server's words`(_ remedy: Remedy) {
    let path = RemotePath("a/b") ?? .root
    let error = BackendError(.failed, path: path, detail: "words 1", recovery: remedy.rawValue)
    let failure = ToolFailure(error, remote: "webdav://h/")
    #expect(failure.message.contains("“webdav://h/”") && failure.advice?.isEmpty == false)
    #expect(failure.message.contains("words 1") || remedy == .giveCredentials)
    #expect(failure.status != .unexpected)
  }

  private func sentence(_ failure: Failure) -> (status: ToolStatus, text: String) {
    let said = ToolFailure(failure.error(at: RemotePath("a/b") ?? .root), remote: "webdav://h/")
    return (said.status, "\(said)")
  }

  @Test(arguments: [408, 500, 502, 503, 504, 520])
  func `trouble of the server is no matter of the folder`(_ status: Int) {
    let said = sentence(Failure(status: status))
    #expect(said.status == .remoteUnavailable && said.text.contains("HTTP status \(status)"))
    #expect(said.text.contains("has trouble") && said.text.contains("who runs the server"))
  }

  @Test(arguments: [
    304, 402, 406, 411, 414, 415, 416, 417, 421, 422, 424, 426, 428, 431, 499, 505, 508, 511, 599,
  ])
  func `what the server refuses is told with its status, and is no mistake of the program`(_ status: Int) {
    let said = sentence(Failure(status: status))
    #expect(said.status == .remoteUnavailable && said.text.contains("HTTP status \(status)"))
    #expect(!said.text.contains("redirects") && !said.text.contains("kind of storage"))
    #expect(said.text.contains("log in") == (status == 511))
  }

  @Test func `how long a server wants to be left alone is told`() {
    for (pause, words) in [
      (1, "in 1 second"), (7, "7 seconds"), (600, "10 minutes"), (7_200, "2 hours"),
      (86_400, "a day or more"),
    ] {
      for status in [429, 503] {
        let text = sentence(Failure(status: status, retryAfter: .seconds(pause))).text
        #expect(text.contains(words) && !text.contains("1 seconds"))
      }
    }
  }

  @Test func `a broken answer is the server's, and sends nobody to look for damage`() {
    for code in [HTTPError.Code.malformed, .cutShort] {
      let said = sentence(Failure(HTTPError(code, "half an answer")))
      #expect(said.status == .remoteUnavailable && said.text.contains("does not answer as a server should"))
    }
  }

  @Test func `a folder with too many entries is named with the limit and what to do`() {
    let error = BackendError(
      .tooLarge, path: RemotePath("notes/RecentSyncs") ?? .root, detail: "it has more than 200000 entries",
      recovery: Remedy.emptyFolder.rawValue)
    let sentence = "\(ToolFailure(error, remote: "r"))"
    for word in ["notes/RecentSyncs", "200000", "remove from it"] { #expect(sentence.contains(word)) }
  }

  @Test func `the inspector is not told to ask the inspector`() {
    let error = BackendError(.damaged, path: .root, detail: "half a list")
    #expect("\(ToolFailure(error, remote: "r"))".contains("ticds-inspect verify"))
    let failure = "\(ToolFailure(error, remote: "r", isInspecting: true))"
    #expect(failure.contains("half a list") && !failure.contains("ticds-inspect"))
  }
}
