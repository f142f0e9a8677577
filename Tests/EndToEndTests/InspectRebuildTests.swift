import Foundation
import ProcessTesting
import Testing

/// `ticds-inspect repair` where something has to be made anew: a whole store of the sets, a document of all that can be read.
@Suite struct InspectRebuildTests {
  private func contents(_ sandbox: Sandbox) -> [String: Data?] {
    Dictionary(uniqueKeysWithValues: Snapshot(sandbox.remote).entries.map { ($0.path, $0.bytes) })
  }

  private func files(_ suffix: String, _ sandbox: Sandbox) -> [String] {
    Snapshot(sandbox.remote).entries.map(\.path).filter { $0.hasSuffix(suffix) }.sorted()
  }

  private func model(_ device: Device) -> String { device.store.appending(path: "notebook.sqlite").path }

  private func titles(_ device: Device) async throws -> [String] {
    try await device.notes().map(\.title).sorted()
  }

  private func joining(_ name: String, _ sandbox: Sandbox, encrypted: Bool) async throws -> (Device, String) {
    let device = Device(name: name, sandbox: sandbox)
    let protection = encrypted ? ["--password-file", sandbox.passwordFile.path] : ["--no-encryption"]
    let output = try await device.succeed(
      ["init", "--remote", sandbox.remote.path, "--client", name] + protection)
    return (device, output)
  }

  @Test(arguments: [true, false])
  func `where no whole store opens another is made of the sets, and newcomers begin with it`(
    encrypted: Bool
  ) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    for number in 1...3 {
      _ = try await alice.add(
        "note \(number)", content: String(repeating: "long ", count: 8_000), tags: ["t"])
      for device in [alice, bob] { _ = try await device.sync() }
    }
    try await alice.succeed("upload-store", "--json")
    let store = try #require(files(".copy", sandbox).first)
    var bytes = try Data(contentsOf: URL(filePath: store))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(filePath: store))
    let before = contents(sandbox)

    let without = try await sandbox.inspect("repair", password: encrypted)
    #expect(without.output.contains("With --model"), "\(without)")
    let plan = try await sandbox.inspect("repair", "--model", model(bob), password: encrypted)
    #expect(plan.output.contains("write what was made anew:"), "\(plan)")
    #expect(contents(sandbox) == before)

    func apply(_ quarantine: String) async throws {
      let applied = try await sandbox.inspect(
        "repair", "--model", model(bob), "--apply", "--quarantine", sandbox.path(quarantine),
        password: encrypted)
      #expect(applied.ending == .exited(0), "\(applied)")
    }
    try await apply("kept")
    #expect(files(".copy", sandbox).count == 1)
    let undone = try await sandbox.inspect("repair", "--undo", sandbox.path("kept"), password: encrypted)
    #expect(undone.ending == .exited(0), "\(undone)")
    #expect(contents(sandbox) == before)

    try await apply("kept again")
    let (carol, words) = try await joining("carol", sandbox, encrypted: encrypted)
    #expect(words.contains("begins with a whole store of 3 sets"), "\(words)")
    _ = try await carol.sync()
    #expect(try await carol.list() == alice.list())
    _ = try await carol.add("of carol")
    for device in [carol, alice, bob] { _ = try await device.sync() }
    #expect(try await carol.list() == alice.list())
    #expect(try await carol.list() == bob.list())
    #expect(try await sandbox.inspect("verify", password: encrypted).ending == .exited(0))
  }

  @Test func `of sets that do not reach back no whole store is made`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    for number in 1...3 {
      _ = try await alice.add("note \(number)")
      _ = try await alice.sync()
    }
    try await alice.succeed("upload-store", "--json")
    try Data().write(to: URL(filePath: try #require(files(".copy", sandbox).first)))
    try FileManager.default.removeItem(atPath: files(".set", sandbox)[1])

    let plan = try await sandbox.inspect("repair", "--model", model(alice))

    #expect(!plan.output.contains("made anew"), "\(plan)")
    #expect(plan.output.contains("some are missing"))
  }

  /// Three sets of “alice” of which the second is gone, and one of “bob”, who has merged the first alone.
  private func withHole(encrypted: Bool) async throws -> (sandbox: Sandbox, alice: Device, bob: Device) {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    _ = try await alice.add("note 1")
    for device in [alice, bob] { _ = try await device.sync() }
    for number in 2...3 {
      _ = try await alice.add("note \(number)", content: String(repeating: "long \(number) ", count: 8_000))
      _ = try await alice.sync()
    }
    try FileManager.default.removeItem(atPath: files(".set", sandbox)[1])
    _ = try await bob.add("of bob")
    _ = try await bob.sync()
    return (sandbox, alice, bob)
  }

  @Test(arguments: [true, false])
  func `a document whose history has a hole is rebuilt of all that can be read, and all go on and agree`(
    encrypted: Bool
  ) async throws {
    let (sandbox, alice, bob) = try await withHole(encrypted: encrypted)
    #expect(try await titles(bob) == ["note 1", "of bob"])
    let before = contents(sandbox)
    let words = ["repair", "--rebuild", "notes", "--model", model(bob)]
    let plan = try await sandbox.inspect(words, password: encrypted)
    #expect(plan.ending == .exited(0), "\(plan)")
    #expect(plan.output.contains("Missing: set 2 of “alice”"), "\(plan.output)")
    #expect(contents(sandbox) == before)

    func apply(_ quarantine: String) async throws {
      let applied = try await sandbox.inspect(
        words + ["--apply", "--quarantine", sandbox.path(quarantine)], password: encrypted)
      #expect(applied.ending == .exited(0), "\(applied)")
    }
    try await apply("kept")
    let undone = try await sandbox.inspect("repair", "--undo", sandbox.path("kept"), password: encrypted)
    #expect(undone.ending == .exited(0), "\(undone)")
    #expect(contents(sandbox) == before)
    try await apply("kept again")

    _ = try await bob.sync()
    #expect(try await titles(bob) == ["note 1", "note 3", "of bob"])
    let (carol, begun) = try await joining("carol", sandbox, encrypted: encrypted)
    #expect(begun.contains("begins with a whole store"), "\(begun)")
    _ = try await carol.sync()
    _ = try await carol.add("of carol")
    for device in [carol, bob, carol] { _ = try await device.sync() }
    #expect(try await titles(carol) == ["note 1", "note 3", "of bob", "of carol"])
    #expect(try await carol.list() == bob.list())
    let verified = try await sandbox.inspect("verify", password: encrypted)
    #expect(verified.ending == .exited(0), "\(verified)")

    // The device that wrote what is missing comes back, though nobody thought that it would.
    for _ in 1...4 { for device in [alice, bob, carol] { _ = try await device.sync() } }
    #expect(try await titles(alice) == ["note 1", "note 2", "note 3", "of bob", "of carol"])
    #expect(try await alice.list() == bob.list())
    #expect(try await alice.list() == carol.list())
    let (dave, _) = try await joining("dave", sandbox, encrypted: encrypted)
    _ = try await dave.sync()
    #expect(try await dave.list() == alice.list())
  }

  @Test func `what one device alone has merged comes back with it after a document was rebuilt`() async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    for number in 1...4 {
      _ = try await alice.add("note \(number)")
      for device in [alice, bob] { _ = try await device.sync() }
    }
    let sets = files(".set", sandbox)
    // In the middle, and the last one.
    for index in [1, 3] { try FileManager.default.removeItem(atPath: sets[index]) }
    let carol = try await sandbox.device("carol")
    _ = try await carol.sync()
    #expect(try await titles(carol) == ["note 1"])

    let applied = try await sandbox.inspect(
      "repair", "--rebuild", "notes", "--model", model(carol), "--apply", "--quarantine",
      sandbox.path("kept"))
    // That another device has what is missing is told before and after.
    #expect(applied.output.contains("Missing: set 2 of “alice”"), "\(applied.output)")
    #expect(applied.output.contains("As their heads say, these devices have merged it: “bob”"))
    #expect(applied.ending == .exited(1), "\(applied)")
    #expect(applied.output.contains("“bob” has applied set 4"))
    _ = try await carol.sync()
    #expect(try await titles(carol) == ["note 1", "note 3"])

    for _ in 1...6 { for device in [bob, carol] { _ = try await device.sync() } }
    #expect(try await titles(bob) == (1...4).map { "note \($0)" })
    #expect(try await carol.list() == bob.list())
    let (dave, _) = try await joining("dave", sandbox, encrypted: true)
    for _ in 1...3 { _ = try await dave.sync() }
    #expect(try await dave.list() == bob.list())
    let verified = try await sandbox.inspect("verify")
    #expect(verified.ending == .exited(0), "\(verified)")
  }

  @Test(arguments: [true, false])
  func
    `what its author alone has comes to all when it comes back, though they have followed the rebuilt document`(
      encrypted: Bool
    ) async throws
  {
    let (sandbox, alice, bob) = try await withHole(encrypted: encrypted)
    let applied = try await sandbox.inspect(
      [
        "repair", "--rebuild", "notes", "--model", model(bob), "--apply", "--quarantine",
        sandbox.path("kept"),
      ],
      password: encrypted)
    #expect(applied.ending == .exited(0), "\(applied)")

    // Once: what is missing was not looked for again before it is there.
    _ = try await bob.sync()
    for _ in 1...3 { for device in [alice, bob] { _ = try await device.sync() } }

    #expect(try await titles(bob) == ["note 1", "note 2", "note 3", "of bob"])
    #expect(try await alice.list() == bob.list())
  }

  /// A device and a copy of it that have each written a second set under the name of one author, as a replicator brings them together.
  private func withTwins(encrypted: Bool) async throws -> (sandbox: Sandbox, devices: [Device]) {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    _ = try await alice.add("note 1")
    for device in [alice, bob] { _ = try await device.sync() }
    let twin = Device(name: "twin", sandbox: sandbox)
    let (remote, side) = (sandbox.remote.path, sandbox.path("side"))
    let files = FileManager.default
    try files.copyItem(at: alice.store, to: twin.store)
    try files.copyItem(atPath: remote, toPath: side)
    _ = try await alice.add("of alice")
    _ = try await alice.sync()
    try files.moveItem(atPath: remote, toPath: sandbox.path("hers"))
    try files.moveItem(atPath: side, toPath: remote)
    _ = try await twin.add("of twin")
    _ = try await twin.sync()
    for path in try files.subpathsOfDirectory(atPath: sandbox.path("hers"))
    where !files.fileExists(atPath: "\(remote)/\(path)") {
      try files.copyItem(atPath: "\(sandbox.path("hers"))/\(path)", toPath: "\(remote)/\(path)")
    }
    return (sandbox, [alice, twin, bob])
  }

  @Test(arguments: [true, false], [1, 2])
  func
    `of two sets under one number each is missed that is lost, and comes back after the document was rebuilt`(
      encrypted: Bool, lost: Int
    ) async throws
  {
    let (sandbox, devices) = try await withTwins(encrypted: encrypted)
    let rivals = files(".set", sandbox).filter { $0.contains("/0000000002-") }
    try #require(rivals.count == 2)
    for path in rivals.prefix(lost) { try FileManager.default.removeItem(atPath: path) }
    let before = contents(sandbox)
    let found = try await sandbox.inspect("verify", password: encrypted)
    #expect(found.output.contains("(missingSet)"), "\(found)")

    let words = ["repair", "--rebuild", "notes", "--model", model(devices[2]), "--apply", "--quarantine"]
    let applied = try await sandbox.inspect(words + [sandbox.path("kept")], password: encrypted)
    #expect(applied.output.contains("Missing: set 2 of “alice”"), "\(applied)")
    #expect(applied.ending == .exited(0), "\(applied)")
    let undone = try await sandbox.inspect("repair", "--undo", sandbox.path("kept"), password: encrypted)
    #expect(undone.ending == .exited(0), "\(undone)")
    #expect(contents(sandbox) == before)
    _ = try await sandbox.inspect(words + [sandbox.path("kept again")], password: encrypted)

    for _ in 1...5 { for device in devices.reversed() { _ = try await device.sync() } }
    for device in devices { #expect(try await titles(device) == ["note 1", "of alice", "of twin"]) }
    let (zoe, _) = try await joining("zoe", sandbox, encrypted: encrypted)
    // Of two branches that were lost, the second is asked for when the first has come.
    for device in [zoe] + devices + [zoe] { _ = try await device.sync() }
    for device in devices { #expect(try await device.list() == zoe.list()) }
  }

  @Test func `a document of which nothing is missing is not rebuilt, and one without its model neither`()
    async throws
  {
    let whole = try await Sandbox.twoDevices()
    let nothing = try await whole.inspect("repair", "--rebuild", "notes")
    #expect(nothing.ending == .exited(0), "\(nothing)")
    #expect(nothing.output.contains("there is nothing to rebuild"))

    let (sandbox, _, _) = try await withHole(encrypted: true)
    let before = Snapshot(sandbox.remote)
    let nameless = try await sandbox.inspect(
      "repair", "--rebuild", "notes", "--apply", "--quarantine", sandbox.path("kept"))
    #expect(nameless.ending == .exited(14), "\(nameless)")
    #expect(nameless.errors.contains("--model"))
    let other = try await sandbox.inspect("repair", "--rebuild", "nothing")
    #expect(other.ending == .exited(5), "\(other)")
    #expect(Snapshot(sandbox.remote) == before)
  }
}
