import Foundation
import TemporaryFolders
import Testing

@testable import CommandLineTool
@testable import TICDSHTTP
@testable import RemoteAccess

@Suite struct RemoteConnectionTests {
  @Test func `a remote may be a folder of a WebDAV server`() throws {
    let plain = try RemoteLocation("webdav://Host:8080/a b/")
    #expect(plain == .webDAV(try HTTPAddress("http://host:8080/a%20b/")))
    #expect(plain.description == "webdav://host:8080/a%20b/")
    #expect(try RemoteLocation("webdavs://host").description == "webdavs://host/")
    #expect(try RemoteLocation(plain.description) == plain)
  }

  @Test(arguments: [
    "webdav://", "webdavs://user:geheim@host/", "webdav://host:99999/", "webdav://host/?geheim",
  ])
  func `an address that is refused is not repeated`(_ text: String) {
    let failure = #expect(throws: ToolFailure.self) { try RemoteLocation(text) }
    #expect(failure.map { "\($0)".contains("geheim") } == false)
  }

  private func write(_ text: String, _ folder: TemporaryFolder, mode: Int = 0o600) throws -> String {
    let file = folder.file("credentials")
    try Data(text.utf8).write(to: URL(filePath: file))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    return file
  }

  private func find(_ file: String?, _ environment: [String: String] = [:]) throws -> String {
    try RemoteCredentials.find(file: file, host: "host", environment: environment).description
  }

  @Test func `credentials come from a file, the environment or netrc`() throws {
    let folder = try TemporaryFolder()
    #expect(try find(nil) == "no credentials")
    #expect(try find(write("me:a:b c\r\n\n", folder)) == "a user name and a password")
    #expect(try find(write("Bearer abc", folder)) == "a bearer token")
    #expect(try find(nil, ["TICDS_CREDENTIALS": "bearer x"]) == "a bearer token")
    let netrc = try write("machine other login a password b\nmachine host login c password d", folder)
    #expect(try find(nil, ["NETRC": netrc]) == "a user name and a password")
    let others = try write("machine other login a password b", folder)
    #expect(try find(nil, ["NETRC": others]) == "no credentials")
  }

  @Test(arguments: [
    ([UInt8]("me:one\nme:two\n".utf8), "more than one line"), ([0x6d, 0x3a, 0xff], "UTF-8"),
    ([0x6d, 0x3a, 0x61, 0x00, 0x62], "control character"), ([0x6d], "neither"),
  ])
  func `a file that holds no credentials, or more, is refused with what to write`(
    _ bytes: [UInt8], _ words: String
  ) throws {
    let folder = try TemporaryFolder()
    let file = try write("", folder)
    try Data(bytes).write(to: URL(filePath: file))
    let failure = #expect(throws: ToolFailure.self) { try find(file) }
    #expect(failure?.status == .damaged && failure?.message.contains(words) == true)
    #expect(failure?.advice?.contains("user:password") == true)
    #expect(failure.map { "\($0)".contains("me:") } == false)
  }

  @Test func `a client certificate is a file with its key, which others cannot read`() throws {
    let folder = try TemporaryFolder()
    let (certificate, key) = ("-----BEGIN CERTIFICATE-----\n", "-----BEGIN PRIVATE KEY-----\n")
    try ClientCertificateFile.check(write(certificate + key, folder))
    for (text, mode, status) in [
      (certificate + key, 0o644, ToolStatus.forbidden), (certificate, 0o600, .damaged),
      (key, 0o600, .damaged),
      (certificate + "-----BEGIN ENCRYPTED PRIVATE KEY-----\n", 0o600, .unsupported),
    ] {
      let file = try write(text, folder, mode: mode)
      let failure = #expect(throws: ToolFailure.self) { try ClientCertificateFile.check(file) }
      #expect(failure?.status == status && failure?.advice != nil)
    }
    let absent = #expect(throws: ToolFailure.self) { try ClientCertificateFile.check(folder.file("absent")) }
    #expect(absent?.status == .notFound && absent?.advice?.contains("--client-certificate") == true)
  }

  @Test(arguments: [
    ("machine host login \"a b\" password \"c\\\"d\\\\e\"", "a b", "c\"d\\e"),
    ("# machine host login no password no\nmachine host\n\tlogin a\n\tpassword #b", "a", "#b"),
    ("macdef init\ncd /x\nmachine host login no password no\n\nmachine host login a password b", "a", "b"),
    ("machine host login a", "a", ""), ("default login a password b", "a", "b"),
    ("machine HOST password b login a account x", "a", "b"),
    ("machine other login \"machine\" password \"host\" machine host login a password \"b", "a", "b"),
  ])
  func `netrc is read as other programs read it`(_ text: String, _ user: String, _ password: String) throws {
    let found = try #require(Netrc(text).credentials(for: "host"))
    guard case .password(let foundUser, let foundPassword) = found.content else {
      Issue.record("\(found)")
      return
    }
    #expect(foundUser == user && foundPassword == password)
  }

  @Test(arguments: [
    "", "machine", "machine host", "machine host login", "machine host password b", "login a password b",
    "macdef init\nmachine host login a password b", "\"machine\" host login a password b", "machine \"host",
  ])
  func `what is unfinished in netrc proves nothing`(_ text: String) {
    #expect(Netrc(text).credentials(for: "host") == nil)
  }

  @Test func `a netrc file that cannot be used stops nothing, and one that others may read is told`() throws {
    let folder = try TemporaryFolder()
    let entry = "machine host login c password d"
    let open = try write(entry, folder, mode: 0o644)
    #expect(try find(nil, ["NETRC": open]) == "no credentials")
    #expect(RemoteCredentials.ignoredFile(environment: ["NETRC": open]) == open)
    let closed = try write(entry, folder)
    #expect(RemoteCredentials.ignoredFile(environment: ["NETRC": closed]) == nil)
    #expect(try find(nil, ["NETRC": folder.path]) == "no credentials")
    #expect(RemoteCredentials.ignoredFile(environment: ["NETRC": folder.path]) == nil)
  }

  @Test func `a credentials file is read without its byte order mark, and refused with a blank at an end`()
    throws
  {
    let folder = try TemporaryFolder()
    let marked = try write("\u{FEFF}bearer abc\r\n", folder)
    #expect(try find(marked) == "a bearer token")
    for text in ["me:geheim ", " me:geheim", "me:geheim\t\n", "", "\n"] {
      let file = try write(text, folder)
      let failure = #expect(throws: ToolFailure.self) { try find(file) }
      #expect(
        failure?.message.contains("blank") == true && failure.map { "\($0)".contains("geheim") } == false)
    }
    let directory = #expect(throws: ToolFailure.self) { try find(folder.path) }
    #expect(directory?.message.contains("is a directory") == true)
  }

  @Test func `what is said of a server is refused where the remote is a folder`() throws {
    let command = Command("test", "Tests.", RemoteConnection.parameters) { _, _ in }
    for words in [
      ["--credentials-file", "f"], ["--ca-file", "f"], ["--pin", "p"], ["--client-certificate", "f"],
      ["--allow-plain-http"],
    ] {
      let arguments = try ArgumentParser(command: command).parse(words)
      for remote in ["/a", "ubiquity:/a"] {
        let failure = #expect(throws: ToolFailure.self) { try RemoteConnection(remote, arguments) }
        #expect(failure?.status == .usage && failure?.message.contains(words[0]) == true)
      }
    }
  }

  @Test func `a server is trusted for one reason, and who gives two is told so`() throws {
    let command = Command("test", "Tests.", RemoteConnection.parameters) { _, _ in }
    let arguments = try ArgumentParser(command: command).parse(["--ca-file", "f", "--pin", "p"])
    let failure = #expect(throws: ToolFailure.self) { try RemoteConnection("webdavs://host/", arguments) }
    #expect(failure?.status == .usage)
    #expect(failure?.message.contains("--ca-file") == true && failure?.message.contains("--pin") == true)
  }

  @Test
  func `what is said anew of a remote is kept beside what was said before, unless the remote is another`()
    throws
  {
    var former = RemoteConnection(try RemoteLocation("webdavs://host/"))
    (former.credentialsFile, former.authoritiesFile) = ("/old", "/authorities")
    former.clientCertificateFile = "/certificate"
    var same = RemoteConnection(try RemoteLocation("webdavs://host/"))
    same.credentialsFile = "/new"
    #expect(same.keeping(former).credentialsFile == "/new")
    #expect(same.keeping(former).authoritiesFile == "/authorities")
    #expect(same.keeping(former).clientCertificateFile == "/certificate")
    let other = RemoteConnection(try RemoteLocation("webdavs://other/"))
    #expect(other.keeping(former) == other)
  }

  @Test func `a pipe is not waited for where a file with credentials belongs`() throws {
    let folder = try TemporaryFolder()
    let pipe = folder.file("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    #expect(throws: ToolFailure.self) {
      try RemoteCredentials.find(file: pipe, host: "host", environment: [:])
    }
    _ = try RemoteCredentials.find(file: nil, host: "host", environment: ["NETRC": pipe])
  }

  @Test func `a file that others may read, or that holds something else, is refused without its content`()
    throws
  {
    let folder = try TemporaryFolder()
    for (text, mode) in [
      ("me:geheim", 0o644), ("geheim", 0o600), (":geheim", 0o600), ("bearer a geheim", 0o600),
    ] {
      let file = try write(text, folder, mode: mode)
      let failure = #expect(throws: ToolFailure.self) { try find(file) }
      #expect(failure.map { "\($0)".contains("geheim") } == false)
    }
  }

  @Test func `a connection is remembered without its secrets`() throws {
    let folder = try TemporaryFolder()
    var connection = RemoteConnection(try RemoteLocation("webdav://host/"))
    connection.credentialsFile = try write("me:geheim", folder)
    connection.allowsPlainHTTP = true
    let file = folder.url.appending(path: "remote.json")
    try connection.write(to: file)
    #expect(try RemoteConnection(contentsOf: file, remote: "") == connection)
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("geheim"))
    for _ in 0..<2 {
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
      #expect(mode?.intValue == 0o600)
      try connection.write(to: file)
    }
    #expect(try folder.names == ["credentials", "remote.json"])
    let absent = folder.url.appending(path: "absent")
    #expect(try RemoteConnection(contentsOf: absent, remote: "/a").remote == "/a")
  }
}
