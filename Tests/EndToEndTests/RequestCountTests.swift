import Foundation
import Testing

@Suite struct RequestCountTests {
  @Test(arguments: [true, false])
  func `a sync with nothing to do makes one request and touches nothing on the remote`(encrypted: Bool)
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    for number in 1...10 {
      _ = try await alice.add("note \(number)")
      _ = try await alice.sync()
    }
    for device in [bob, alice, bob, alice] { _ = try await device.sync() }
    let before = Snapshot(sandbox.remote)

    for device in [alice, bob, alice] {
      let report = try await device.sync()
      #expect(report.requests == 1)
      #expect(report.pushed == 0 && report.pulled == 0 && report.applied == 0)
    }

    #expect(Snapshot(sandbox.remote) == before)
  }

  @Test func `reading commands need no remote`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let note = try await alice.add("a", tags: ["t"])
    _ = try await alice.sync()
    try FileManager.default.removeItem(at: sandbox.remote)

    try await alice.succeed("list")
    try await alice.succeed("show", note)
    #expect(try await alice.status().pending == 0)
    _ = try await alice.add("b")
    #expect(try await alice.status().pending > 0)
  }
}
