import Foundation
import ProcessTesting
import Testing

/// Every failure: one sentence, one documented exit code, store and remote as they were.
@Suite struct FailureTests {
  /// Runs a command that must fail, and compares what it said and what it left. The store may note why nothing goes on (`isNoted`).
  func expectFailure(
    _ code: Int32, saying part: String, of device: Device, _ words: [String], prefix: [String] = [],
    isNoted: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let before = Snapshot(device.sandbox.folder).contents
    let result = try await Subprocess.run(prefix + device.words(words))
    #expect(result.ending == .exited(code), "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.output == "", sourceLocation: sourceLocation)
    #expect(result.errors.hasPrefix("notebook: "), sourceLocation: sourceLocation)
    #expect(result.errors.hasSuffix(".\n"), sourceLocation: sourceLocation)
    #expect(
      result.errors.filter { $0 == "\n" }.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
    #expect(result.errors.contains(part), "\(result.errors)", sourceLocation: sourceLocation)
    let after = Snapshot(device.sandbox.folder).contents
    let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
    let noted = isNoted ? [device.store.appending(path: "notebook.sqlite").path] : []
    #expect(changed == noted, sourceLocation: sourceLocation)
  }

  /// Words that run a program as root would be without its power over permissions; nothing for others.
  static let withoutPowers =
    geteuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []

  @Test func `a wrong password`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("secret")
    _ = try await alice.sync()
    let wrong = sandbox.path("wrong")
    try Data("incorrect\n".utf8).write(to: URL(filePath: wrong))
    let bob = Device(name: "bob", sandbox: sandbox)

    try await expectFailure(
      4, saying: "password", of: bob, ["init", "--remote", sandbox.remote.path, "--password-file", wrong])
    #expect(!FileManager.default.fileExists(atPath: bob.store.path))
    let inspection = try await Subprocess.run([
      Checkout.program("ticds-inspect").path, "verify", sandbox.remote.path, "--password-file", wrong,
    ])
    #expect(inspection.ending == .exited(4))
    #expect(inspection.errors.hasPrefix("ticds-inspect: "))
  }

  @Test func `no password for an encrypted remote, or one for a remote that is not encrypted`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.sync()
    let bob = Device(name: "bob", sandbox: sandbox)
    try await expectFailure(
      4, saying: "encrypted", of: bob, ["init", "--remote", sandbox.remote.path, "--no-encryption"])

    let open = try Sandbox()
    let carol = try await open.device("carol", encrypted: false)
    _ = try await carol.sync()
    let dave = Device(name: "dave", sandbox: open)
    try await expectFailure(
      2, saying: "encrypted", of: dave,
      ["init", "--remote", open.remote.path, "--password-file", open.passwordFile.path])
  }

  @Test(arguments: ["", "  "])
  func `a name that says nothing`(_ nothing: String) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let note = try await alice.add("a")
    let bob = Device(name: "bob", sandbox: sandbox)
    try await expectFailure(2, saying: "--title is empty", of: alice, ["add", "--title", nothing])
    try await expectFailure(2, saying: "--title is empty", of: alice, ["edit", note, "--title", nothing])
    try await expectFailure(
      2, saying: "--client is empty", of: bob,
      ["init", "--remote", sandbox.remote.path, "--client", nothing, "--no-encryption"])
  }

  @Test(arguments: [
    (String(repeating: "x", count: 101), "more than 100 characters"), ("two\nlines", "no single line"),
    ("a\tb", "U+0009"), ("\u{1B}[31mred", "U+001B"), ("a\u{202E}b", "U+202E"),
  ])
  func `a name of a device that would not fit into a sentence`(_ name: String, _ reason: String) async throws
  {
    let sandbox = try Sandbox()
    try await expectFailure(
      2, saying: "--client", of: Device(name: "bob", sandbox: sandbox),
      ["init", "--remote", sandbox.remote.path, "--client", name, "--no-encryption"])
    let alice = try await sandbox.device("alice")
    for result in [
      try await alice.run("rename-device", name),
      try await Device(name: "carol", sandbox: sandbox).run("init", "--client", name),
    ] {
      #expect(result.ending == .exited(2) && result.errors.contains(reason), "\(result.errors)")
    }
  }

  @Test func `a value that was forgotten, and a tag that says nothing`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let note = try await alice.add("a")
    try await expectFailure(2, saying: "write --title=…", of: alice, ["add", "--title", "--content"])
    try await expectFailure(2, saying: "--tag is empty", of: alice, ["add", "--title", "a", "--tag", " "])
    try await expectFailure(2, saying: "TAG is empty", of: alice, ["tag", note, " "])
    try await alice.succeed("add", "--title=--content")
    #expect(try await alice.notes().map(\.title).sorted() == ["--content", "a"])
  }

  @Test func `a command line that is not UTF-8`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let script = #"exec "$0" add --store "$1" --title "$(printf 'caf\351')""#
    let result = try await Subprocess.run(["sh", "-c", script, Device.program, alice.store.path])
    #expect(result.ending == .exited(2))
    #expect(result.errors.contains("not UTF-8"))
    #expect(try await alice.notes().isEmpty)
  }

  @Test func `a remote that is missing`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("a")
    try FileManager.default.removeItem(at: sandbox.remote)

    try await expectFailure(3, saying: sandbox.remote.path, of: alice, ["sync"], isNoted: true)
    #expect(try await alice.notes().map(\.title) == ["a"])
    let bob = Device(name: "bob", sandbox: sandbox)
    try await expectFailure(
      3, saying: sandbox.remote.path, of: bob,
      ["init", "--remote", sandbox.remote.path, "--no-encryption"])
  }

  @Test func `a remote that is a file`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("a")
    try FileManager.default.removeItem(at: sandbox.remote)
    try Data("file".utf8).write(to: sandbox.remote)

    try await expectFailure(3, saying: sandbox.remote.path, of: alice, ["sync"], isNoted: true)
    let bob = Device(name: "bob", sandbox: sandbox)
    try await expectFailure(
      3, saying: sandbox.remote.path, of: bob,
      ["init", "--remote", sandbox.remote.path, "--no-encryption"])
  }

  @Test func `a remote folder that may not be read or not be written`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.sync()
    _ = try await alice.add("a")
    for mode in [0o000, 0o555] {
      let folders = FileManager.default.enumerator(
        at: sandbox.remote, includingPropertiesForKeys: [.isDirectoryKey])
      for case let folder as URL in folders ?? .init()
      where try folder.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
      }
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: sandbox.remote.path)
      let result = try await Subprocess.run(Self.withoutPowers + alice.words(["sync"]))
      #expect(result.ending == .exited(6), "\(result.errors)")
      #expect(result.errors.filter { $0 == "\n" }.count == 1)
    }
    for case let file as URL in FileManager.default.enumerator(
      at: sandbox.remote, includingPropertiesForKeys: nil) ?? .init()
    {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: sandbox.remote.path)
    #expect(try await alice.status().pending > 0)
    #expect(try await alice.sync().details.pushedSets == 1)
  }

  @Test func `a folder to import that may not be read`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let folder = sandbox.path("closed")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder)

    try await expectFailure(6, saying: folder, of: alice, ["import", folder], prefix: Self.withoutPowers)
    try await expectFailure(5, saying: "absent", of: alice, ["import", sandbox.path("absent")])
  }

  @Test func `a store or note that does not exist`() async throws {
    let sandbox = try Sandbox()
    let nobody = Device(name: "nobody", sandbox: sandbox)
    try await expectFailure(5, saying: nobody.store.path, of: nobody, ["list"])
    try await expectFailure(5, saying: nobody.store.path, of: nobody, ["sync"])
    let file = Device(name: "password", sandbox: sandbox)
    try await expectFailure(5, saying: file.store.path, of: file, ["list"])

    let alice = try await sandbox.device("alice")
    let note = try await alice.add("a")
    let other = try await alice.add("b")
    try await expectFailure(5, saying: "FFFF", of: alice, ["show", "FFFF"])
    let shared = String(zip(note, other).prefix { $0 == $1 }.map(\.0))
    try await expectFailure(2, saying: "two notes", of: alice, ["delete", shared])
    try await alice.succeed("show", note.lowercased())
  }

  @Test func `a document that does not exist`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("a")
    _ = try await alice.sync()
    let documents = FileManager.default.enumerator(at: sandbox.remote, includingPropertiesForKeys: nil)
    for case let file as URL in documents ?? .init() where file.lastPathComponent == "Documents" {
      try FileManager.default.removeItem(at: file)
    }
    _ = try await alice.add("b")

    try await expectFailure(5, saying: "document", of: alice, ["sync"], isNoted: true)
  }

  @Test func `a store that another process is writing`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let note = try await alice.add("a")
    let before = try await alice.list()
    let ready = sandbox.path("ready")
    let script = """
      import sqlite3, sys, time
      database = sqlite3.connect(sys.argv[1], isolation_level=None)
      database.execute("BEGIN IMMEDIATE")
      open(sys.argv[2], "w").close()
      time.sleep(600)
      """
    let writer = try Subprocess([
      "python3", "-c", script, alice.store.appending(path: "notebook.sqlite").path, ready,
    ])
    while !FileManager.default.fileExists(atPath: ready) { try await Task.sleep(for: .milliseconds(20)) }

    for words in [["add", "--title", "b"], ["edit", note, "--title", "c"], ["sync"]] {
      let result = try await Subprocess.run(alice.words(words))
      #expect(result.ending == .exited(8), "\(result.errors)")
      #expect(result.output == "")
      #expect(result.errors.filter { $0 == "\n" }.count == 1)
    }
    #expect(try await alice.list() == before)

    writer.send(9)
    _ = try await writer.result()
    #expect(try await alice.sync().details.pushedSets == 1)
  }

  @Test func `a store that lies in the remote`() async throws {
    let sandbox = try Sandbox()
    let inside = Device(name: "remote/alice", sandbox: sandbox)
    try await expectFailure(
      2, saying: "lies in the remote", of: inside,
      ["init", "--remote", sandbox.remote.path, "--no-encryption"])

    let alice = try await sandbox.device("alice", encrypted: false)
    try FileManager.default.moveItem(at: alice.store, to: inside.store)
    try await expectFailure(2, saying: "lies in the remote", of: inside, ["sync"])
  }

  @Test func `a remote that lies in the store`() async throws {
    let sandbox = try Sandbox()
    let bob = Device(name: "bob", sandbox: sandbox)
    try await bob.succeed("init")
    let inside = bob.store.appending(path: "inside")
    let alice = try await sandbox.device("alice", encrypted: false)
    _ = try await alice.sync()
    let within = alice.store.appending(path: "within")
    for folder in [inside, within] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    try await expectFailure(
      2, saying: "lies in the notebook's folder", of: bob,
      ["init", "--remote", inside.path, "--no-encryption"])
    try await expectFailure(
      2, saying: "lies in the notebook's folder", of: alice, ["remote", "--remote", within.path])
    let part = sandbox.remote.appending(path: "ticds.notebook")
    try await expectFailure(2, saying: "lies within a remote", of: alice, ["remote", "--remote", part.path])
    _ = try await alice.sync()
  }

  @Test(arguments: ["password", "aaaaaaaaaa", "12345678"])
  func `a password that everybody tries first`(_ password: String) async throws {
    let sandbox = try Sandbox(password: password)
    try await expectFailure(
      4, saying: "one of the first that are tried", of: Device(name: "bob", sandbox: sandbox),
      ["init", "--remote", sandbox.remote.path, "--password-file", sandbox.passwordFile.path])
  }

  @Test func `a store that exists already is not made again`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    try await expectFailure(
      11, saying: alice.store.path, of: alice,
      ["init", "--remote", sandbox.remote.path, "--no-encryption"])
  }

  @Test func `a store file that is no database`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(at: alice.store.appending(path: "notebook.sqlite\(suffix)"))
    }
    try Data(repeating: 0x41, count: 8192).write(to: alice.store.appending(path: "notebook.sqlite"))
    try await expectFailure(9, saying: "notebook.sqlite", of: alice, ["list"])
  }
}
