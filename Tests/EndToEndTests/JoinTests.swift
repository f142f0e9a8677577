import Foundation
import ProcessTesting
import Testing

/// A notebook that holds notes already joins a remote, through the program.
@Suite struct JoinTests {
  private func local(_ name: String, in sandbox: Sandbox) async throws -> Device {
    let device = Device(name: name, sandbox: sandbox)
    #expect(try await device.succeed("init", "--client", name).contains("init --remote"))
    return device
  }

  private func join(_ device: Device, _ words: String...) async throws -> Subprocess.Result {
    try await device.run(
      ["init", "--remote", device.sandbox.remote.path, "--password-file", device.sandbox.passwordFile.path]
        + words)
  }

  @Test(arguments: ["merge", "ours", "theirs"])
  func `a notebook without a remote keeps notes, and joins one with them as was chosen`(choice: String)
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let shared = try await alice.add("shared", content: "of alice")
    let theirs = try await alice.add("of alice")
    _ = try await alice.sync()
    try await alice.succeed("upload-store")
    let export = try await alice.succeed("export")

    let bob = try await local("bob", in: sandbox)
    #expect(try await bob.run("sync").ending == .exited(5))
    let moved = try await bob.run("remote", "--remote", sandbox.remote.path)
    #expect(moved.ending == .exited(5) && moved.errors.contains("init --remote"), "\(moved.errors)")
    _ = try await bob.run("import", "-", input: export)
    try await bob.succeed("delete", theirs)
    try await bob.succeed("edit", shared, "--content", "of bob")
    let own = try await bob.add("of bob")
    // Alice is the last to write.
    try await alice.succeed("edit", shared, "--content", "of alice, later")
    for _ in 0..<2 { _ = try await alice.sync() }

    let result = try await join(bob, "--join", choice)
    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(result.output.contains("joined: 1 other device takes part: “alice”"))
    let replaced = bob.store.appending(path: "notebook.sqlite.replaced/notebook.sqlite").path
    #expect(FileManager.default.fileExists(atPath: replaced) == (choice == "theirs"))
    for device in [bob, alice, bob] { _ = try await device.sync() }
    #expect(!FileManager.default.fileExists(atPath: replaced))
    let notes = try await bob.notes()
    #expect(try await alice.notes() == notes)
    #expect(notes.contains { $0.syncID == own } == (choice != "theirs"))
    #expect(
      notes.first { $0.syncID == shared }?.content == (choice == "ours" ? "of bob" : "of alice, later"))
    #expect(try await sandbox.inspect("verify").ending == .exited(0))
    // A notebook joins once.
    #expect(try await join(bob).ending == .exited(11))
  }

  @Test func `what is to be taken over and is not there is told of, with what helps`() async throws {
    let sandbox = try Sandbox()
    let bob = try await local("bob", in: sandbox)
    _ = try await bob.add("of bob")

    let result = try await join(bob, "--join", "theirs")

    #expect(result.ending == .exited(5) && result.errors.contains("without “--join theirs”"), "\(result)")
    #expect(try await join(bob).ending == .exited(0))
    let other = Device(name: "other", sandbox: sandbox)
    #expect(try await other.run("init", "--client", "other", "--join", "ours").ending == .exited(2))
  }

  @Test func `the status of a notebook without a remote is what it holds and how it joins one`() async throws
  {
    let bob = try await local("bob", in: try Sandbox())
    _ = try await bob.add("of bob")

    let status = try await bob.succeed("status")

    #expect(
      status.contains("remote:    none yet; “notebook init --remote”") && status.contains("pending:   1 "))
    #expect(try await bob.status().pending == 1)
    #expect(try await bob.succeed("status", "--json").contains(#""isLocal": true"#))
  }

  @Test func `a notebook without a remote is made once, and founds a document with what it holds`()
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await local("alice", in: sandbox)
    let note = try await alice.add("mine")
    #expect(try await alice.run("init").ending == .exited(11))
    #expect(try await alice.notes().map(\.syncID) == [note])
    let wrong = try await alice.run("init", "--remote", sandbox.path("nowhere"), "--no-encryption")
    #expect(wrong.ending == .exited(3))
    #expect(try await alice.notes().map(\.syncID) == [note])
    #expect(try await join(alice).output.contains("created"))
    _ = try await alice.sync()
    let bob = try await sandbox.device("bob")
    _ = try await bob.sync()
    #expect(try await bob.list() == alice.list())
  }
}
