import Foundation
import ProcessTesting
import Testing

/// `ticds-inspect repair`, as a person uses it.
@Suite struct InspectRepairTests {
  /// A remote with one set of “alice”, seen by “bob”, whose text for people was changed and whose set was torn.
  private func damaged() async throws -> (sandbox: Sandbox, alice: Device) {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    _ = try await alice.add("a title")
    _ = try await alice.sync()
    _ = try await bob.sync()
    for entry in Snapshot(sandbox.remote).entries {
      guard let bytes = entry.bytes else { continue }
      if entry.path.hasSuffix("ReadMe.txt") { try Data("else".utf8).write(to: URL(filePath: entry.path)) }
      if entry.path.hasSuffix(".set") {
        try bytes.prefix(bytes.count / 2).write(to: URL(filePath: entry.path))
      }
    }
    return (sandbox, alice)
  }

  private func actions(_ output: String) throws -> [[String: Any]] {
    let report = try ProgramJSON.object(output)
    return try #require(report["actions"] as? [[String: Any]])
  }

  private func contents(_ sandbox: Sandbox) -> [String: Data?] {
    Dictionary(uniqueKeysWithValues: Snapshot(sandbox.remote).entries.map { ($0.path, $0.bytes) })
  }

  @Test func `a plan changes nothing, applying heals with the devices, and undoing gives back every byte`()
    async throws
  {
    let (sandbox, alice) = try await damaged()
    let before = Snapshot(sandbox.remote)
    let plan = try await sandbox.inspect("repair", "--json")
    #expect(plan.ending == .exited(0), "\(plan.errors)")
    #expect(
      try actions(plan.output).map { $0["change"] as? String } == ["putAside", "putAside", "write", "write"])
    #expect(Snapshot(sandbox.remote) == before)

    let bytes = contents(sandbox)
    let quarantine = sandbox.path("kept")
    let applied = try await sandbox.inspect("repair", "--apply", "--quarantine", quarantine)
    // The set is not there yet.
    #expect(applied.ending == .exited(1), "\(applied.errors)")
    #expect(applied.output.contains("--undo '\(quarantine)'"))
    let undone = try await sandbox.inspect("repair", "--undo", quarantine)
    #expect(undone.ending == .exited(0), "\(undone.output) \(undone.errors)")
    #expect(contents(sandbox) == bytes)

    _ = try await sandbox.inspect("repair", "--apply", "--quarantine", sandbox.path("kept again"))
    _ = try await alice.sync()
    #expect(try await sandbox.inspect("verify").ending == .exited(0))
    // What was asked for has come, and the request was taken away.
    #expect(try await sandbox.inspect("repair").output.contains("There is nothing to repair."))
  }

  @Test
  func `undoing a repair that was killed while it wrote leaves nothing of it, and what others write alone`()
    async throws
  {
    let (sandbox, _) = try await damaged()
    let heads = sandbox.remote.appending(path: "ticds.notebook/Documents/notes/RecentSyncs")
    try Data().write(to: heads.appending(path: ".ticds-0123456789abcdef.part"))
    let before = contents(sandbox)
    let kept = sandbox.path("kept")
    _ = try await sandbox.inspect("repair", "--apply", "--quarantine", kept)
    let log = try String(contentsOfFile: "\(kept)/repair.log", encoding: .utf8)
    // Each line begins with the hash of the rest.
    let first = try #require(log.split(separator: "\n").first?.split(separator: " ", maxSplits: 1).last)
    let mark = try #require(try ProgramJSON.object(String(first))["path"] as? String)
    try Data().write(to: heads.appending(path: ".ticds-\(mark)-1.part"))

    let undone = try await sandbox.inspect("repair", "--undo", kept)

    #expect(undone.ending == .exited(0), "\(undone)")
    #expect(contents(sandbox) == before)
  }

  @Test(.enabled("strace is missing, or may not follow programs here") { await FatalRequest.isPossible })
  func `a repair killed before any of its steps on disk is undone byte for byte`() async throws {
    let (sandbox, _) = try await damaged()
    let before = contents(sandbox)
    let program = Checkout.program("ticds-inspect").path
    var killed = 0
    // Each thread counts by itself. What is published is renamed by a call that nothing else uses.
    for call in ["?fsync", "?renameat2", "?unlinkat"] {
      for number in 1...4 {
        let kept = sandbox.path("kept \(call.dropFirst()) \(number)")
        let ending = try await Subprocess.run([
          "strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(call):signal=KILL:when=\(number)",
          program,
          "repair", sandbox.remote.path, "--apply", "--quarantine", kept, "--password-file",
          sandbox.passwordFile.path,
        ]).ending
        if ending == .killed(SIGKILL) { killed += 1 }
        let undone = try await sandbox.inspect("repair", "--undo", kept)
        #expect(undone.ending == .exited(0), "\(undone)")
        #expect(contents(sandbox) == before, "\(call) \(number)")
      }
    }
    #expect(killed >= 3)
  }

  @Test func `a quarantine that is there already is refused, whatever it holds`() async throws {
    let (sandbox, _) = try await damaged()
    let before = contents(sandbox)
    let place = sandbox.path("there")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: URL(filePath: place).appending(path: "file"))

    let result = try await sandbox.inspect("repair", "--apply", "--quarantine", place)

    #expect(result.ending == .exited(11), "\(result)")
    #expect(result.errors.contains("“\(place)” is there already"))
    #expect(contents(sandbox) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["file"])
  }

  @Test func `a copy that cannot be used is named, and not the remote`() async throws {
    let (sandbox, _) = try await damaged()
    let missing = sandbox.path("nothing there")
    let result = try await sandbox.inspect("repair", "--from", missing)
    #expect(result.ending == .exited(3), "\(result)")
    #expect(result.errors.contains("the copy “\(missing)” cannot be used"))
    #expect(!result.errors.contains("“\(sandbox.remote.path)”"))
  }

  @Test func `the description of a device comes back from another copy of the remote`() async throws {
    let (sandbox, _) = try await damaged()
    let copy = sandbox.path("copy")
    try FileManager.default.copyItem(atPath: sandbox.remote.path, toPath: copy)
    let description = try #require(
      Snapshot(sandbox.remote).entries.map(\.path).first { $0.hasSuffix("deviceInfo.plist") })
    let bytes = try #require(contents(sandbox)[description] ?? nil)
    try FileManager.default.removeItem(atPath: description)
    #expect(try await sandbox.inspect("verify").output.contains("deviceUndescribed"))
    let applied = try await sandbox.inspect(
      "repair", "--from", copy, "--apply", "--quarantine", sandbox.path("kept"))
    #expect(applied.errors.isEmpty)
    #expect(contents(sandbox)[description] == bytes)
  }

  @Test(arguments: [true, false])
  func `a document that is lost as a whole comes back from another copy of the remote, and goes again`(
    encrypted: Bool
  ) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    _ = try await alice.add("note", content: String(repeating: "long ", count: 4_000))
    for device in [alice, bob, alice] { _ = try await device.sync() }
    let copy = sandbox.path("copy")
    try FileManager.default.copyItem(atPath: sandbox.remote.path, toPath: copy)
    let before = contents(sandbox)
    try FileManager.default.removeItem(at: sandbox.remote.appending(path: "ticds.notebook/Documents/notes"))
    let without = contents(sandbox)

    let applied = try await sandbox.inspect(
      "repair", "--from", copy, "--apply", "--quarantine", sandbox.path("kept"), password: encrypted)

    #expect(applied.errors.isEmpty, "\(applied)")
    #expect(contents(sandbox) == before)
    #expect(try await sandbox.inspect("verify", password: encrypted).ending == .exited(0))
    _ = try await bob.add("later")
    for device in [bob, alice] { _ = try await device.sync() }
    #expect(try await alice.list() == bob.list())
    _ = try await sandbox.inspect("repair", "--undo", sandbox.path("kept"), password: encrypted)
    #expect(Set(without.keys).isSubset(of: contents(sandbox).keys))
    #expect(
      before.keys.filter { $0.hasSuffix(".founding") && $0.contains("/notes/") }.allSatisfy {
        contents(sandbox)[$0] == nil
      })
  }

  @Test(arguments: [true, false])
  func `an application of which nothing is left comes back from another copy of the remote, and goes again`(
    encrypted: Bool
  ) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    _ = try await alice.add("note")
    _ = try await alice.sync()
    let copy = sandbox.path("copy")
    try FileManager.default.copyItem(atPath: sandbox.remote.path, toPath: copy)
    let before = contents(sandbox)
    try FileManager.default.removeItem(at: sandbox.remote.appending(path: "ticds.notebook"))

    let applied = try await sandbox.inspect(
      "repair", "--from", copy, "--apply", "--quarantine", sandbox.path("kept"), password: encrypted)

    #expect(applied.ending == .exited(0), "\(applied)")
    #expect(contents(sandbox) == before)
    _ = try await alice.add("later")
    _ = try await alice.sync()
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    _ = try await bob.sync()
    #expect(try await bob.list() == alice.list())
    try FileManager.default.removeItem(at: sandbox.remote.appending(path: "ticds.notebook"))
    #expect(
      try await sandbox.inspect("repair", "--undo", sandbox.path("kept"), password: encrypted).ending
        == .exited(0))
    #expect(!contents(sandbox).keys.contains { $0.contains("ticds.notebook") })
  }

  @Test func `a document that was deleted is not put back from a copy of earlier`() async throws {
    let (sandbox, alice) = try await damaged()
    let copy = sandbox.path("copy")
    try FileManager.default.copyItem(atPath: sandbox.remote.path, toPath: copy)
    _ = try await alice.succeed("delete-document", "--yes")

    let plan = try await sandbox.inspect("repair", "--from", copy)

    #expect(!plan.output.contains(".founding"), "\(plan.output)")
  }

  @Test(arguments: [true, false])
  func `sets and long values that are lost come back from the store of the device that made them`(
    encrypted: Bool
  ) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    for number in 1...3 {
      _ = try await alice.add("note \(number)", content: String(repeating: "long \(number) ", count: 4_000))
      _ = try await alice.sync()
    }
    let before = contents(sandbox)
    let sets = before.keys.filter { $0.hasSuffix(".set") }.sorted()
    let value = try #require(before.keys.first { $0.hasSuffix(".value") })
    for path in [sets[1], value] { try FileManager.default.removeItem(atPath: path) }
    #expect(try await sandbox.inspect("verify", password: encrypted).ending == .exited(1))
    let store = "store:" + alice.store.appending(path: "notebook.sqlite").path
    // Which value the lost set mentions shows when the set is back.
    for quarantine in ["kept", "kept again"] {
      _ = try await sandbox.inspect(
        "repair", "--from", store, "--apply", "--quarantine", sandbox.path(quarantine), password: encrypted)
    }
    let healed = try await sandbox.inspect("verify", password: encrypted)
    #expect(healed.ending == .exited(0), "\(healed.output)")
    #expect(contents(sandbox)[sets[1]] == before[sets[1]])
    #expect(contents(sandbox).keys.contains(value))
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    _ = try await bob.sync()
    #expect(try await bob.list() == alice.list())
    let missing = try await sandbox.inspect(
      "repair", "--from", "store:" + sandbox.path("nothing"), password: encrypted)
    #expect(missing.ending == .exited(5))
  }

  @Test func `without the password nothing is put aside that nobody can be asked for`() async throws {
    let (sandbox, _) = try await damaged()
    let plan = try await sandbox.inspect("repair", "--json", password: false)
    #expect(plan.ending == .exited(0), "\(plan.errors)")
    #expect(try actions(plan.output).allSatisfy { ($0["path"] as? String)?.hasSuffix("ReadMe.txt") == true })
    #expect(plan.output.contains("damagedFile"))
    for name in ["first", "second"] {
      let applied = try await sandbox.inspect(
        "repair", "--apply", "--quarantine", sandbox.path(name), password: false)
      #expect(applied.ending == .exited(1), "\(applied.errors)")
    }
    #expect(try await sandbox.inspect("repair", "--undo", sandbox.path("none")).ending == .exited(5))
  }

  @Test func `what is no quarantine is named, be it a file or a folder`() async throws {
    let sandbox = try Sandbox()
    for path in [sandbox.passwordFile.path, sandbox.folder.path] {
      let undone = try await sandbox.inspect("repair", "--undo", path, password: false)
      #expect(undone.ending == .exited(5))
      #expect(undone.errors.contains("“\(path)” is no quarantine of a repair; name the folder"))
    }
  }

  @Test func `of a quarantine in which nothing was noted yet nothing needs to be undone`() async throws {
    let sandbox = try Sandbox()
    let path = sandbox.path("kept")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let undone = try await sandbox.inspect("repair", "--undo", path, password: false)
    #expect(undone.ending == .exited(0), "\(undone.errors)")
    #expect(undone.output.contains("Nothing was done yet."))
  }

  @Test func `a repair says what it does and who is to go on, and not how it would be done`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let set = try #require(contents(sandbox).keys.first { $0.hasSuffix(".set") })
    let bytes = try #require(contents(sandbox)[set] ?? nil)
    try FileManager.default.removeItem(atPath: set)
    #expect(try await sandbox.inspect("repair").output.contains("1 change; --apply makes it."))
    let asked = try await sandbox.inspect("repair", "--apply", "--quarantine", sandbox.path("asked"))
    #expect(!asked.output.contains("--apply"), "\(asked.output)")
    #expect(asked.output.contains("Done. Nothing was removed;"))
    #expect(asked.output.contains("Synchronise the devices now"))

    let words = String(set.dropLast(".set".count)) + " (Anna's conflicted copy 2026-11-23).set"
    try bytes.write(to: URL(filePath: words))
    let plan = try await sandbox.inspect("repair", "--json")
    #expect(try actions(plan.output).map { $0["change"] as? String }.contains("restoreCopy"))
    _ = try await sandbox.inspect("repair", "--apply", "--quarantine", sandbox.path("restored"))
    #expect(contents(sandbox)[set] == bytes)
    let carol = try await sandbox.device("carol")
    _ = try await carol.sync()
    #expect(try await carol.notes().map(\.title) == ["title to find"])
  }

  @Test func `a quarantine inside the remote is refused before anything is done`() async throws {
    let (sandbox, _) = try await damaged()
    let before = Snapshot(sandbox.remote)
    let inside = sandbox.remote.appending(path: "kept").path
    #expect(try await sandbox.inspect("repair", "--apply", "--quarantine", inside).ending == .exited(2))
    #expect(Snapshot(sandbox.remote) == before)
  }

  @Test func `a device whose folder was replaced by a file sends its sets again after a repair`() async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("a title")
    _ = try await alice.sync()
    let set = try #require(contents(sandbox).keys.first { $0.hasSuffix(".set") })
    let bytes = try #require(contents(sandbox)[set] ?? nil)
    let folder = URL(filePath: set).deletingLastPathComponent()
    try FileManager.default.removeItem(at: folder)
    try Data("x".utf8).write(to: folder)

    let repaired = try await sandbox.inspect("repair", "--apply", "--quarantine", sandbox.path("kept"))

    let reason = "Something else lies where a folder belongs"
    #expect(repaired.output.contains("\(folder.lastPathComponent)\n  \(reason)"), "\(repaired.output)")
    _ = try await alice.sync()
    #expect(contents(sandbox)[set] == bytes)
    #expect(try await sandbox.inspect("verify").ending == .exited(0))
  }
}
