import Foundation
import ProcessTesting
import Testing

/// Files of a device that are lost or damaged, and what a person is told to do about it.
@Suite struct LostFilesTests {
  enum Loss: CaseIterable { case removed, emptied, cut }

  private func lose(_ file: URL, _ loss: Loss) throws {
    switch loss {
    case .removed: try FileManager.default.removeItem(at: file)
    case .emptied: try Data().write(to: file)
    case .cut: try Data(contentsOf: file).prefix(20).write(to: file)
    }
  }

  @Test(arguments: Loss.allCases)
  func `keys that are lost come back with the password, and what was not sent goes out`(
    _ loss: Loss
  ) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    _ = try await alice.add("unsent")
    try lose(alice.store.appending(path: "notebook.keys"), loss)

    let refused = try await alice.run("sync")
    #expect(refused.errors.contains("sync --password-file"), "\(refused.errors)")
    #expect(try await alice.succeed("status").contains("sync --password-file"))
    let wrong = sandbox.folder.appending(path: "wrong")
    try Data("incorrect horse\n".utf8).write(to: wrong)
    #expect(try await alice.run("sync", "--password-file", wrong.path).ending == .exited(4))

    _ = try await alice.sync("--password-file", sandbox.passwordFile.path)
    _ = try await alice.sync()
    _ = try await bob.sync()
    #expect(try await bob.notes().map(\.title) == ["unsent"])
  }

  @Test func `init with the password puts lost keys right as well, and nothing else`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("unsent")
    let again = [
      "init", "--remote", sandbox.remote.path, "--client", "alice", "--password-file",
      sandbox.passwordFile.path,
    ]
    #expect(try await alice.run(again).ending == .exited(11))
    try lose(alice.store.appending(path: "notebook.keys"), .removed)
    try await alice.succeed(again)
    _ = try await alice.sync()
    #expect(try await alice.notes().map(\.title) == ["unsent"])
    #expect(try await alice.succeed("devices").split(separator: "\n").count == 1)
  }

  @Test func `keys of another remote are put right with the password`() async throws {
    let (sandbox, elsewhere) = (try Sandbox(), try Sandbox(password: "another password"))
    let alice = try await sandbox.device("alice")
    let other = try await elsewhere.device("other")
    let keys = alice.store.appending(path: "notebook.keys")
    try FileManager.default.removeItem(at: keys)
    try FileManager.default.copyItem(at: other.store.appending(path: "notebook.keys"), to: keys)
    #expect(try await alice.run("sync").ending == .exited(4))
    _ = try await alice.sync("--password-file", sandbox.passwordFile.path)
    _ = try await alice.sync()
  }

  @Test func `with lost keys and a lost remote, the password and a word of confirmation bring all back`()
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("precious")
    _ = try await alice.sync()
    try FileManager.default.removeItem(at: sandbox.remote.appending(path: "ticds.notebook"))
    try lose(alice.store.appending(path: "notebook.keys"), .removed)
    #expect(try await alice.run("sync", "--password-file", sandbox.passwordFile.path).ending == .exited(5))
    let status = try await alice.succeed("status")
    #expect(status.contains("stopped:") && status.contains("refill"), "\(status)")
    try await alice.succeed("refill", "--yes")
    let bob = try await sandbox.device("bob")
    _ = try await bob.sync()
    #expect(try await bob.notes().map(\.title) == ["precious"])
    #expect(try await !alice.succeed("status").contains("stopped:"))
  }

  @Test(arguments: [true, false])
  func `on a remote that holds another notebook, nothing is advised or done that would mix the two`(
    encrypted: Bool
  ) async throws {
    let (sandbox, elsewhere) = (try Sandbox(), try Sandbox())
    let alice = try await sandbox.device("alice")
    let other = try await elsewhere.device("other", encrypted: encrypted)
    for device in [alice, other] {
      _ = try await device.add("of \(device.name)")
      _ = try await device.sync()
    }
    try await alice.succeed("remote", "--remote", elsewhere.remote.path)
    let before = Snapshot(elsewhere.remote)
    let sync = try await alice.run("sync")
    #expect(sync.ending == .exited(5), "\(sync.errors)")
    #expect(sync.errors.contains("“notebook remote”") && !sync.errors.contains("refill"), "\(sync.errors)")
    let refill = try await alice.run("refill", "--yes")
    #expect(refill.ending == .exited(5), "\(refill.errors)")
    #expect(refill.errors.contains("nother document “notes” lies on the remote"), "\(refill.errors)")
    #expect(Snapshot(elsewhere.remote) == before)
    #expect(try await alice.succeed("status").contains("“notebook remote”"))

    try await alice.succeed("remote", "--remote", sandbox.remote.path)
    _ = try await alice.sync()
    #expect(try await alice.notes().map(\.title) == ["of alice"])
  }

  @Test func `where a drive is not mounted, that is named before refilling`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("a")
    _ = try await alice.sync()
    try FileManager.default.removeItem(at: sandbox.remote.appending(path: "ticds.notebook"))
    let sync = try await alice.run("sync")
    #expect(sync.ending == .exited(5))
    let (drive, refill) = (sync.errors.range(of: "not mounted"), sync.errors.range(of: "refill"))
    #expect(try #require(drive).lowerBound < #require(refill).lowerBound, "\(sync.errors)")
  }

  @Test(arguments: [true, false])
  func `a text that has not come is not shown as none, and is told of`(encrypted: Bool) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    let note = try await alice.add("long", content: String(repeating: "x", count: 100_000))
    _ = try await alice.sync()
    let value = try #require(Snapshot(sandbox.remote).entries.first { $0.path.hasSuffix(".value") })
    try FileManager.default.removeItem(atPath: value.path)

    var endings: [Subprocess.Ending] = []
    for _ in 1...3 { endings.append(try await bob.run("sync").ending) }
    #expect(endings == [.exited(0), .exited(0), .exited(13)])
    #expect(try await bob.succeed("show", note).contains("has not arrived"))
    #expect(try await bob.succeed("list").contains("not all of it has arrived"))
    #expect(try await bob.notes().map(\.notArrived) == [["content"]])
    let status = try await bob.succeed("status")
    #expect(
      status.contains("blocked:") && status.contains("“long”") && status.contains("“alice”"), "\(status)")

    for device in [alice, bob] { _ = try await device.sync() }
    #expect(try await bob.list() == alice.list())
    #expect(try await !bob.succeed("status").contains("blocked:"))
  }
}
