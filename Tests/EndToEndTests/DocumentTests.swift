import Foundation
import Testing

/// What a person learns of the documents and devices on a remote, and the end of a document.
@Suite struct DocumentTests {
  @Test(arguments: [true, false])
  func `documents and devices are listed by what people call them`(encrypted: Bool) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    _ = try await alice.add("by alice")
    _ = try await alice.sync()
    _ = try await bob.sync()

    #expect(try await bob.succeed("documents").contains("created by alice (this notebook)"))
    let devices = try await bob.succeed("devices")
    #expect(devices.contains("alice: 1 set, last seen"))
    #expect(devices.contains("(this device)"))
  }

  @Test func `a document that one device deletes leaves the notes of the others alone, and says so`()
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    _ = try await alice.add("by alice")
    _ = try await alice.sync()
    _ = try await bob.sync()

    let unasked = try await alice.run("delete-document")
    #expect(unasked.ending == .exited(10))
    #expect(unasked.errors.contains("--yes"))
    #expect(try await alice.succeed("delete-document", "--yes").contains("is deleted from the remote"))
    let after = Snapshot(sandbox.remote)

    let sync = try await bob.run("sync")
    #expect(sync.ending == .exited(5))
    #expect(sync.errors.contains("was deleted by “alice”"))
    // What this program can do, and nothing that only the library can.
    #expect(sync.errors.contains("“notebook init”") && !sync.errors.contains("create another document"))
    #expect(sync.errors.contains("“notebook export”") && sync.errors.contains("“notebook import”"))
    #expect(try await bob.notes().map(\.title) == ["by alice"])
    #expect(Snapshot(sandbox.remote) == after)
  }

  @Test func `who joins a document that was deleted is told what a device that took part can do`()
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.sync()
    let documents = sandbox.remote.appending(path: "ticds.notebook/Documents")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: documents.path).first)
    let kept = sandbox.path("kept")
    try FileManager.default.copyItem(atPath: documents.appending(path: name).path, toPath: kept)
    try await alice.succeed("delete-document", "--yes")
    try FileManager.default.moveItem(atPath: kept, toPath: documents.appending(path: name).path)

    let late = Device(name: "late", sandbox: sandbox)
    let refused = try await late.run(
      "init", "--remote", sandbox.remote.path, "--password-file", sandbox.passwordFile.path)

    #expect(refused.ending == .exited(5), "\(refused)")
    #expect(refused.errors.contains("on a device that took part, “notebook delete-document”"), "\(refused)")
    try await alice.succeed("delete-document", "--yes")
    try await late.succeed(
      "init", "--remote", sandbox.remote.path, "--password-file", sandbox.passwordFile.path)
  }
}
