import Foundation
import ProcessTesting
import TemporaryFolders
import Testing

/// The example application over real servers, each in a process of its own.
@Suite struct NotebookTests {
  private func succeed(_ words: String...) async throws -> String {
    let result = try await Subprocess.run(
      [Checkout.program("notebook").path] + words,
      environment: ["HOME": "/nonexistent", "NETRC": "/nonexistent"])
    try #require(result.ending == .exited(0), "\(words): \(result.errors)")
    return result.output
  }

  @Test(arguments: LocalServer.Kind.allCases)
  func `two devices exchange notes over a server, and a sync with nothing to do takes one request`(
    _ kind: LocalServer.Kind
  ) async throws {
    let server = try await LocalServers.shared.server(kind)
    let remote = "webdav://\(server.place)\(try await server.makeFolder())"
    let folder = try TemporaryFolder()
    let (one, two) = (folder.file("one"), folder.file("two"))
    for store in [one, two] {
      _ = try await succeed("init", "--store", store, "--remote", remote, "--no-encryption")
    }
    _ = try await succeed("add", "--store", one, "--title", "from one")
    _ = try await succeed("add", "--store", two, "--title", "from two")
    for store in [one, two, one, two] { _ = try await succeed("sync", "--store", store) }
    #expect(try await succeed("sync", "--store", one).contains("in 1 request\n"))
    let notes = [
      try await succeed("list", "--store", one), try await succeed("list", "--store", two),
    ]
    #expect(notes[0] == notes[1] && notes[0].contains("from one") && notes[0].contains("from two"))
  }

  /// What a server confirms without doing it.
  static let lies = ["PUT", "MKCOL", "PUT MOVE", "PUT MOVE MKCOL"].flatMap { methods in
    ["hollow", "hollow-ours"].map { fault in
      methods.split(separator: " ").map { "\($0) \(fault) 9999" }.joined(separator: "\n")
    }
  }

  @Test(arguments: lies, [true, false])
  func `a server that confirms what it does not show is told as such, with the file, and nothing is joined`(
    _ lie: String, encrypted: Bool
  ) async throws {
    let faults = try await FaultyServer()
    let folder = try TemporaryFolder()
    let password = folder.file("password")
    try Data("correct horse battery\n".utf8).write(to: URL(filePath: password))
    try await faults.plan(lie)
    let remote = faults.address.replacing("http://", with: "webdav://")

    let result = try await Subprocess.run(
      [Checkout.program("notebook").path, "init", "--store", folder.file("store"), "--remote", remote]
        + (encrypted ? ["--password-file", password] : ["--no-encryption"]),
      environment: ["HOME": "/nonexistent", "NETRC": "/nonexistent"])

    #expect(result.ending == .exited(3), "\(result.errors)")
    let says = ["the storage confirmed that", "the server made no folder"]
    #expect(says.contains { result.errors.contains($0) }, "\(result.errors)")
    #expect(result.errors.contains("“ticds"), "\(result.errors)")
    #expect(result.errors.contains("try again later"), "\(result.errors)")
    #expect(result.errors.filter { $0 == "\n" }.count == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.file("store")))
  }

  @Test(arguments: lies.filter { $0.contains("hollow-ours") })
  func
    `a server that begins to confirm what it does not do later makes no sync end without a documented code`(
      _ lie: String
    ) async throws
  {
    let faults = try await FaultyServer()
    let folder = try TemporaryFolder()
    let store = folder.file("store")
    let remote = faults.address.replacing("http://", with: "webdav://")
    _ = try await succeed("init", "--store", store, "--remote", remote, "--no-encryption")
    try await faults.plan(lie)
    for number in 1...3 {
      _ = try await succeed("add", "--store", store, "--title", "note \(number)")
      let result = try await Subprocess.run([Checkout.program("notebook").path, "sync", "--store", store])
      #expect([0, 3, 13].map { Subprocess.Ending.exited($0) }.contains(result.ending), "\(result.errors)")
    }
    try await faults.plan("")
    for _ in 1...2 { _ = try await succeed("sync", "--store", store) }
    let other = folder.file("other")
    _ = try await succeed("init", "--store", other, "--remote", remote, "--no-encryption")
    _ = try await succeed("sync", "--store", other)
    #expect(try await succeed("list", "--store", other) == succeed("list", "--store", store))
  }

  private func contents(_ folder: String) throws -> [String: Data?] {
    // Servers keep notes of their own beside the files.
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { !$0.contains("/.") }
    return Dictionary(
      uniqueKeysWithValues: paths.map { ($0, FileManager.default.contents(atPath: "\(folder)/\($0)")) })
  }

  @Test(arguments: LocalServer.Kind.allCases)
  func `a document is rebuilt over a server, undone byte for byte, and all go on and agree`(
    _ kind: LocalServer.Kind
  ) async throws {
    let server = try await LocalServers.shared.server(kind)
    let name = try await server.makeFolder()
    let remote = "webdav://\(server.place)\(name)"
    let folder = try TemporaryFolder()
    let (one, two) = (folder.file("one"), folder.file("two"))
    for store in [one, two] {
      _ = try await succeed("init", "--store", store, "--remote", remote, "--no-encryption")
    }
    for number in 1...3 {
      _ = try await succeed("add", "--store", one, "--title", "note \(number)")
      _ = try await succeed("sync", "--store", one)
    }
    let root = "\(server.root)/\(name)/ticds.notebook"
    let lost = try #require(try contents(root).keys.filter { $0.contains("/0000000002-") }.first)
    // Not behind the back of the server, for it may remember what it has listed.
    try await server.remove("\(name)/ticds.notebook/\(lost)")
    let before = try contents(root)

    func inspect(_ words: [String]) async throws -> Subprocess.Result {
      try await Subprocess.run(
        [Checkout.program("ticds-inspect").path, "repair", remote] + words,
        environment: ["HOME": "/nonexistent", "NETRC": "/nonexistent"])
    }
    let rebuild = ["--rebuild", "notes", "--model", "\(two)/notebook.sqlite", "--apply", "--quarantine"]
    let applied = try await inspect(rebuild + [folder.file("kept")])
    #expect(applied.ending == .exited(0), "\(applied)")
    let undone = try await inspect(["--undo", folder.file("kept")])
    #expect(undone.ending == .exited(0), "\(undone)")
    #expect(try contents(root) == before)
    let again = try await inspect(rebuild + [folder.file("kept again")])
    #expect(again.ending == .exited(0), "\(again)")

    _ = try await succeed("sync", "--store", two)
    let known = try await succeed("list", "--store", two)
    #expect(known.contains("note 1") && !known.contains("note 2") && known.contains("note 3"))
    for store in [one, two, one, two] { _ = try await succeed("sync", "--store", store) }
    let notes = [
      try await succeed("list", "--store", one), try await succeed("list", "--store", two),
    ]
    #expect(notes[0] == notes[1] && notes[0].contains("note 2"))
  }

  /// Has a notebook have looked after the remote long ago.
  private func letADayGoBy(_ store: String) async throws {
    let script = """
      import sqlite3, sys
      with sqlite3.connect(sys.argv[1]) as store:
          changed = store.execute("UPDATE TICDS_STATE SET value = CAST('1' AS BLOB) WHERE name = 'remote.lastUpkeep'")
          assert changed.rowcount == 1
      """
    let result = try await Subprocess.run(["python3", "-c", script, store + "/notebook.sqlite"])
    try #require(result.ending == .exited(0), "\(result.errors)")
  }

  @Test func `a remote that has moved is named anew, and what is said of it is where it lies now`()
    async throws
  {
    let server = try await LocalServers.shared.server(.apache)
    let name = try await server.makeFolder()
    let faults = try await FaultyServer()
    let folder = try TemporaryFolder()
    let store = folder.file("store")
    let former = faults.address.replacing("http://", with: "webdav://")
    _ = try await succeed("init", "--store", store, "--remote", former, "--no-encryption")
    _ = try await succeed("add", "--store", store, "--title", "a note")
    _ = try await succeed("sync", "--store", store)

    // The provider moves the files.
    let application = "ticds.notebook"
    try FileManager.default.moveItem(
      atPath: "\(faults.folder)/\(application)", toPath: "\(server.root)/\(name)/\(application)")
    let new = "webdav://\(server.place)\(name)/"
    _ = try await succeed("remote", "--store", store, "--remote", new)
    #expect(try await succeed("status", "--store", store).contains("remote:    \(new)\n"))
    _ = try await succeed("sync", "--store", store)
    for file in ["notebook.json", "remote.json"] {
      #expect(try !String(contentsOfFile: "\(store)/\(file)", encoding: .utf8).contains(former))
    }
    _ = try await succeed("remote", "--store", store, "--allow-plain-http")
    let remembered = try String(contentsOfFile: "\(store)/remote.json", encoding: .utf8)
    #expect(remembered.contains(new) && remembered.contains("\"allowsPlainHTTP\" : true"))

    let refused = try await Subprocess.run(
      [Checkout.program("notebook").path, "remote", "--store", store, "--remote", "webdav://127.0.0.1:1/"])
    #expect(refused.ending == .exited(3))
    #expect(try String(contentsOfFile: "\(store)/remote.json", encoding: .utf8) == remembered)
  }

  @Test func `what tests of the server that were killed have left is removed by the next one, if it is old`()
    async throws
  {
    let server = try await LocalServers.shared.server(.apache)
    let name = try await server.makeFolder()
    let place = "\(server.root)/\(name)"
    let (old, young, other) = ("ticds-probe-608c9ec1499bc86f", "ticds-probe-1", "ticds-probe-other")
    for folder in [old, young, other] {
      // The server owns them.
      try await server.makeFolder("\(name)/\(folder)")
      try await server.makeFolder("\(name)/\(folder)/inner")
      guard folder != young else { continue }
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7_200)], ofItemAtPath: "\(place)/\(folder)")
    }
    let folder = try TemporaryFolder()
    _ = try await succeed(
      "init", "--store", folder.file("one"), "--remote", "webdav://\(server.place)\(name)", "--no-encryption")
    let left = try FileManager.default.contentsOfDirectory(atPath: place).sorted()
    #expect(left == ["ticds-probe-1", "ticds-probe-other", "ticds.notebook"])
  }

  @Test
  func
    `files that say how a remote is reached and are lost stop no status, and can be replaced by other means`()
    async throws
  {
    let server = try await LocalServers.shared.server(.apache)
    let remote = "webdav://\(server.place)\(try await server.makeFolder())"
    let folder = try TemporaryFolder()
    let store = folder.file("store")
    _ = try await succeed("init", "--store", store, "--remote", remote, "--no-encryption")
    let remembered = URL(filePath: "\(store)/remote.json")
    let whole = try String(contentsOf: remembered, encoding: .utf8)
    let gone = "\"authoritiesFile\" : \"/nonexistent/ca.pem\", \"credentialsFile\" : \"/nonexistent/cred\","
    try Data(whole.replacing(/^{/, with: "{ \(gone)").utf8).write(to: remembered)

    #expect(try await succeed("status", "--store", store).contains("remote:    \(remote)"))
    let refused = try await Subprocess.run([Checkout.program("notebook").path, "sync", "--store", store])
    #expect(refused.ending == .exited(5))
    #expect(refused.errors.contains("ca.pem") && refused.errors.contains("“notebook remote”"))

    let credentials = folder.file("credentials")
    try Data("me:secret\n".utf8).write(to: URL(filePath: credentials))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: credentials)
    let pin = "sha256//" + String(repeating: "A", count: 43) + "="
    _ = try await succeed(
      "remote", "--store", store, "--pin", pin, "--credentials-file", credentials, "--allow-plain-http")
    let replaced = try String(contentsOf: remembered, encoding: .utf8)
    #expect(replaced.contains(pin) && !replaced.contains("ca.pem"))
    _ = try await succeed("sync", "--store", store)

    for damage in [Data?.none, Data("{".utf8)] {
      try FileManager.default.removeItem(at: remembered)
      try damage?.write(to: remembered)
      for verb in ["status", "sync", "remote"] {
        let told = try await Subprocess.run([Checkout.program("notebook").path, verb, "--store", store])
        #expect(told.ending == .exited(9))
        #expect(told.errors.contains("remote.json") && told.errors.contains("“notebook remote --remote”"))
      }
      _ = try await succeed("remote", "--store", store, "--remote", remote)
      _ = try await succeed("sync", "--store", store)
    }
  }

  @Test
  func `what an interrupted upload has left among the long values is removed by who writes one a day later`()
    async throws
  {
    let server = try await LocalServers.shared.server(.apache)
    let name = try await server.makeFolder()
    let remote = "webdav://\(server.place)\(name)"
    let folder = try TemporaryFolder()
    let long = String(repeating: "a long text ", count: 8_000)
    for store in ["one", "two"] {
      _ = try await succeed("init", "--store", folder.file(store), "--remote", remote, "--no-encryption")
    }
    _ = try await succeed("add", "--store", folder.file("one"), "--title", "one", "--content", long)
    _ = try await succeed("sync", "--store", folder.file("one"))
    let place = "\(name)/ticds.notebook/Documents/notes/LongValues"
    let (old, young) = ("ticds~0123456789abcdef.tmp", "ticds~fedcba9876543210.tmp")
    for file in [old, young] { try await server.put(file, in: place) }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -90_000)], ofItemAtPath: "\(server.root)/\(place)/\(old)"
    )

    _ = try await succeed("sync", "--store", folder.file("two"))
    try await letADayGoBy(folder.file("two"))
    _ = try await succeed("add", "--store", folder.file("two"), "--title", "two", "--content", long + "too")
    _ = try await succeed("sync", "--store", folder.file("two"))

    let names = try FileManager.default.contentsOfDirectory(atPath: "\(server.root)/\(place)")
    #expect(!names.contains(old) && names.contains(young) && names.count == 3)
  }
}
