import Foundation
import ProcessTesting
import Testing

/// One device cannot read what another wrote, or the remote has lost it: scripts and people are told, and it is put right.
@Suite struct BlockedTests {
  private func set(of device: Device) throws -> URL {
    let sets = Snapshot(device.sandbox.remote).entries.filter { $0.path.hasSuffix(".set") }
    return URL(filePath: try #require(sets.first).path)
  }

  @Test
  func
    `a sync that stays blocked exits 13 and says by whom, as its status does, until the author has sent the set again`()
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    _ = try await alice.add("a")
    _ = try await alice.sync()
    let set = try set(of: alice)
    let bytes = try Data(contentsOf: set)
    try FileManager.default.removeItem(at: set)
    try FileManager.default.createSymbolicLink(atPath: set.path, withDestinationPath: "/dev/null")
    _ = try await bob.add("b")

    var endings: [Subprocess.Ending] = []
    for _ in 1...3 { endings.append(try await bob.run("sync").ending) }
    #expect(endings == [.exited(0), .exited(0), .exited(13)])
    #expect(try await bob.status().pending == 0)
    let status = try await bob.succeed("status")
    #expect(status.contains("blocked:") && status.contains("“alice”"), "\(status)")

    let answer = try await alice.run("sync")
    #expect(answer.output.contains("asks for it"), "\(answer.output)")
    #expect(answer.output.contains("sent again"), "\(answer.output)")
    #expect(try await !alice.succeed("status").contains("blocked:"))

    try FileManager.default.removeItem(at: set)
    try bytes.write(to: set)
    for device in [bob, alice, bob] { _ = try await device.sync() }
    #expect(try await bob.list() == alice.list())
    #expect(try await !alice.succeed("status").contains("blocked:"))
  }

  @Test(arguments: [true, false])
  func `a remote that was emptied is refilled after a word of confirmation`(encrypted: Bool) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    _ = try await alice.add("a", tags: ["t"])
    _ = try await alice.sync()
    _ = try await bob.sync()
    _ = try await bob.add("b")
    try FileManager.default.removeItem(at: sandbox.remote.appending(path: "ticds.notebook"))

    let refused = try await bob.run("sync")
    #expect(refused.ending == .exited(5))
    #expect(refused.errors.contains("refill"), "\(refused.errors)")
    #expect(try await bob.run("refill").ending == .exited(10))
    try await bob.succeed("refill", "--yes")

    let carol = try await sandbox.device("carol", encrypted: encrypted)
    for device in [carol, alice, bob, carol] { _ = try await device.sync() }
    #expect(try await carol.notes().map(\.title).sorted() == ["a", "b"])
    #expect(try await alice.list() == carol.list())
    #expect(try await bob.list() == carol.list())
  }

  @Test func `status calls devices by their names`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice in the kitchen")
    let bob = try await sandbox.device("bob")
    _ = try await alice.add("a")
    _ = try await alice.sync()
    _ = try await bob.sync()
    let status = try await bob.succeed("status")
    #expect(status.contains("alice in the kitchen: has everything"), "\(status)")
    #expect(status.contains("1 set of alice in the kitchen"), "\(status)")
  }

  @Test func `what comes from other devices cannot steer a terminal`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    let hostile = "\u{1B}]0;owned\u{7}\u{1B}[31mred\u{202E}"
    let note = try await alice.add(hostile, content: "one\ttwo\nthree\u{1B}[2J", tags: [hostile])
    _ = try await alice.sync()
    _ = try await bob.sync()
    for output in [try await bob.succeed("list"), try await bob.succeed("show", note)] {
      #expect(!output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{7}" || $0 == "\u{202E}" })
      #expect(output.contains("red"))
    }
    #expect(try await bob.succeed("show", note).contains("one\ttwo\nthree"))
    #expect(try await bob.list() == alice.list())
  }
}
