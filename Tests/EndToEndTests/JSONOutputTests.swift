import Foundation
import ProcessTesting
import Testing

/// What `--json` prints, verb by verb, against `Docs/Tools/notebook.md`; texts from standard input, and the store that is not named.
@Suite struct JSONOutputTests {
  private func keys(_ text: String) -> [String] {
    text.matches(of: /(?m)^  "(\w+)":/).map { String($0.1) }
  }

  /// Runs a verb, and compares the outermost keys of what it prints with those that are expected, and with the document.
  @discardableResult
  private func check(_ device: Device, _ words: [String], _ expected: [String]) async throws -> String {
    let output = try await device.succeed(words + ["--json"])
    #expect(keys(output) == expected, "\(words): \(output)")
    let document = try String(
      contentsOf: Checkout.root.appending(path: "Docs/Tools/notebook.md"), encoding: .utf8)
    let name = words[0] == "password" && words[1] == "list" ? "password list" : words[0]
    let row = document.split(separator: "\n").first { $0.hasPrefix("| `") && $0.contains("`\(name) --json`") }
    for key in expected { #expect(row?.contains("`\(key)`") == true, "\(words): \(key)") }
    return output
  }

  @Test func `each verb that changes or shows notes prints an object`() async throws {
    let sandbox = try Sandbox()
    let alice = Device(name: "alice", sandbox: sandbox)
    try await check(
      alice,
      [
        "init", "--remote", sandbox.remote.path, "--client", "alice", "--password-file",
        sandbox.passwordFile.path,
      ],
      ["created", "others", "wholeStoreSets", "isKeyMissing", "notices"])
    let full = ["syncID", "title", "content", "tags", "notArrived", "created", "modified"]
    let added = try await check(alice, ["add", "--title", "t", "--content", "c"], full)
    let note = try #require(try ProgramJSON.object(added)["syncID"] as? String)
    try await check(alice, ["edit", note, "--title", "u"], full)
    try await check(alice, ["tag", note, "x"], full)
    #expect(try await check(alice, ["show", note], full).contains("\"x\""))
    try await check(alice, ["untag", note, "x"], full)
    try await check(alice, ["export"], ["version", "notes"])
    let sync = [
      "pushed", "pulled", "applied", "conflicts", "warnings", "requests", "bytes", "seconds", "details",
    ]
    #expect(keys(try await alice.succeed("sync", "--json")) == sync)
    try await check(
      alice, ["history", note], ["syncID", "lacksBeginning", "unread", "changes", "unlisted", "missing"])
    try await check(alice, ["delete", note], ["syncID", "deleted"])
    let folder = sandbox.folder.appending(path: "texts")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await check(
      alice, ["import", folder.path],
      ["imported", "changed", "unchanged", "newerHere", "incomplete", "skipped"])
    try await check(alice, ["remote"], ["remote"])
    try await check(alice, ["upload-store"], ["name", "uploaded", "bytes", "sets", "sync"])
    let other = sandbox.path("other-password")
    try Data("another one\n".utf8).write(to: URL(filePath: other))
    try await check(
      alice, ["password", "add", "--new-password-file", other], ["version", "action", "recoveryCode"])
    let code = try await check(alice, ["password", "recovery"], ["version", "action", "recoveryCode"])
    #expect(try ProgramJSON.object(code)["recoveryCode"] is String)
    #expect(keys(try await alice.succeed("refill", "--yes", "--json")) == sync)
    #expect(keys(try await alice.succeed("rejoin", "--json")) == sync)
    try await check(
      alice, ["delete-document", "--yes"], ["document", "deleted", "othersOfTheName", "unknownKeys"])
  }

  @Test func `what becomes of devices prints an object`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await sandbox.device("bob")
    let renamed = try await check(alice, ["rename-device", "Kitchen"], ["name"])
    #expect(try ProgramJSON.object(renamed)["name"] as? String == "Kitchen")
    let removed = try await check(alice, ["remove-device", "bob"], ["device", "documents"])
    #expect(try ProgramJSON.object(removed)["documents"] as? [String] == ["notes"])
  }

  @Test func `an undo prints an object`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    for device in [alice, bob] { _ = try await device.sync() }
    _ = try await bob.add("new")
    for device in [bob, alice] { _ = try await device.sync() }
    try await check(alice, ["undo"], ["objects", "changes", "kept", "awaited"])
  }

  @Test func `a text comes from standard input, and the store from the environment`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let text = "line one\nzwei 🙂\n\n"
    let added = try await alice.run("add", "--title", "t", "--content", "-", input: text)
    #expect(added.ending == .exited(0), "\(added.errors)")
    #expect(try await alice.notes().map(\.content) == [text])
    let note = added.output.trimmingCharacters(in: .newlines)
    _ = try await alice.run("edit", note, "--content", "-", input: "other")
    #expect(try await alice.notes().map(\.content) == ["other"])

    let environment = ["NOTEBOOK_STORE": alice.store.path]
    let listed = try await Subprocess.run([Device.program, "list"], environment: environment)
    #expect(listed.output.contains(note))
    // What is said goes before what is set.
    let elsewhere = try await Subprocess.run(
      [Device.program, "list", "--store", sandbox.path("nowhere")], environment: environment)
    #expect(elsewhere.ending == .exited(5))
    let neither = try await Subprocess.run([Device.program, "list"], environment: ["NOTEBOOK_STORE": ""])
    #expect(neither.ending == .exited(2))
    #expect(neither.errors.contains("NOTEBOOK_STORE"))
  }
}
