import Foundation
import ProcessTesting
import Testing

@Suite struct ConflictTests {
  /// Two devices that wrote different titles into the same note; the second one's is later and not pushed.
  func conflict() async throws -> (Sandbox, alice: Device, bob: Device, note: String) {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    let note = try await alice.add("first")
    _ = try await alice.sync()
    _ = try await bob.sync()
    try await alice.succeed("edit", note, "--title", "from alice")
    try await bob.succeed("edit", note, "--title", "from bob")
    _ = try await alice.sync()
    return (sandbox, alice, bob, note)
  }

  @Test(arguments: [("latest", "from bob"), ("local", "from bob"), ("remote", "from alice")])
  func `both devices end with the value that was chosen`(choice: String, title: String) async throws {
    let (_, alice, bob, note) = try await conflict()

    let report = try await bob.sync("--on-conflict", choice)
    _ = try await alice.sync()
    _ = try await bob.sync()

    #expect(report.details.conflicts.filter { $0.key == "title" }.map(\.syncID) == [note])
    #expect(try await bob.notes().map(\.title) == [title])
    #expect(try await alice.list() == bob.list())
  }

  @Test(arguments: [
    ("local", "what this device wrote remains"), ("remote", "what “alice” wrote took its place"),
  ])
  func `a conflict names the note and the other device, once for all that was changed in it`(
    choice: String, outcome: String
  ) async throws {
    let (_, _, bob, note) = try await conflict()

    let lines = try await bob.succeed("sync", "--on-conflict", choice).split(separator: "\n")

    let title = try #require(try await bob.notes().first?.title)
    let conflicts = lines.filter { $0.hasPrefix("conflict: ") }
    #expect(conflicts.count == 1)
    let line = try #require(conflicts.first)
    #expect(line.hasPrefix("conflict: ") && line.contains("title"))
    #expect(line.contains("of note “\(title)” (\(note)) was changed here and by “alice”; \(outcome)"))
  }

  @Test func `an edit that a deletion took away is told with the title of the note`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    let note = try await alice.add("a note of both")
    _ = try await alice.sync()
    _ = try await bob.sync()
    try await bob.succeed("edit", note, "--content", "by bob")
    try await alice.succeed("delete", note)
    _ = try await alice.sync()

    let lines = try await bob.succeed("sync").split(separator: "\n")

    let warnings = lines.filter { $0.hasPrefix("warning: ") }
    #expect(warnings.contains { $0.contains("“a note of both” (\(note))") }, "\(lines)")
  }

  @Test func `a conflict with a device of the same name as another tells which one`() async throws {
    let sandbox = try Sandbox()
    let devices = [
      try await sandbox.device("alice"), try await sandbox.device("bob"), try await sandbox.device("carol"),
    ]
    let note = try await devices[0].add("first")
    for device in devices { _ = try await device.sync() }
    for device in devices.prefix(2) { try await device.succeed("rename-device", "laptop") }
    for _ in 0..<2 { for device in devices { _ = try await device.sync() } }
    for (number, device) in devices.enumerated() {
      try await device.succeed("edit", note, "--title", "from \(number)")
    }
    for device in devices.prefix(2) { _ = try await device.sync("--on-conflict", "local") }

    let lines = try await devices[2].succeed("sync", "--on-conflict", "local").split(separator: "\n")

    let conflicts = lines.filter { $0.hasPrefix("conflict: ") }
    #expect(!conflicts.isEmpty && conflicts.allSatisfy { $0.contains("by “laptop” (") }, "\(lines)")
  }

  @Test func `asking without a terminal changes nothing and says so`() async throws {
    let (sandbox, _, bob, _) = try await conflict()
    let remote = Snapshot(sandbox.remote)
    let before = try await bob.list()

    let result = try await bob.run("sync", "--on-conflict", "ask")

    #expect(result.ending == .exited(10))
    #expect(result.errors.hasPrefix("notebook: "))
    #expect(result.errors.filter { $0 == "\n" }.count == 1)
    #expect(Snapshot(sandbox.remote).contents == remote.contents)
    #expect(try await bob.list() == before)
  }

  @Test func `asking at a terminal takes the answer`() async throws {
    let (_, alice, bob, _) = try await conflict()
    let command = bob.words(["sync", "--on-conflict", "ask"]).map { "'\($0)'" }.joined(separator: " ")

    // script(1) runs the program at a terminal of its own.
    let result = try await Subprocess.run(
      ["script", "--quiet", "--return", "--command", command, "/dev/null"], input: "remote\nremote\nremote\n")
    _ = try await alice.sync()

    #expect(result.ending == .exited(0), "\(result.output)")
    #expect(try await bob.notes().map(\.title) == ["from alice"])
    #expect(try await alice.list() == bob.list())
  }

  @Test func `Control-C instead of an answer changes nothing`() async throws {
    let (sandbox, _, bob, _) = try await conflict()
    let remote = Snapshot(sandbox.remote)
    let before = try await bob.list()
    let command = bob.words(["sync", "--on-conflict", "ask"]).map { "'\($0)'" }.joined(separator: " ")

    // The terminal turns the character into SIGINT, once the question is on the screen.
    let script = #"""
      touch "$1"
      (until grep -q "Which one" "$1"; do sleep 0.05; done; printf '\003'; sleep 0.2) \
        | script --quiet --flush --return --command "$0" "$1"
      """#
    let result = try await Subprocess.run(["bash", "-c", script, command, sandbox.path("screen")])

    #expect(result.ending == .exited(130), "\(result.output)")
    #expect(result.output.contains("Which one remains"))
    #expect(Snapshot(sandbox.remote).contents == remote.contents)
    #expect(try await bob.list() == before)
    #expect(try await bob.sync().details.conflicts.isEmpty == false)
  }
}
