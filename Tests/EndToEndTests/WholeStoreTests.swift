import Foundation
import ProcessTesting
import Testing

/// Whole stores as a person meets them: through the programs.
@Suite struct WholeStoreTests {
  private func stores(_ sandbox: Sandbox) -> [URL] {
    Snapshot(sandbox.remote).entries.map(\.path).filter { $0.hasSuffix(".copy") }
      .map { URL(filePath: $0) }
  }

  private func joining(_ name: String, _ sandbox: Sandbox) async throws -> (Device, Subprocess.Result) {
    let device = Device(name: name, sandbox: sandbox)
    let result = try await device.run(
      "init", "--remote", sandbox.remote.path, "--client", name, "--password-file", sandbox.passwordFile.path)
    return (device, result)
  }

  @Test func `a notebook begins with a whole store, and its next sync gets what came after`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    for number in 1...5 {
      _ = try await alice.add(
        "note \(number)", content: String(repeating: "text ", count: 20_000), tags: ["t"])
      _ = try await alice.sync()
    }
    #expect(try await alice.succeed("upload-store").contains("Uploaded a whole store of 5 sets"))
    #expect(try await alice.succeed("upload-store").contains("nothing was changed since"))
    let before = try await alice.notes()
    _ = try await alice.add("after the copy")
    _ = try await alice.sync()

    let (bob, result) = try await joining("bob", sandbox)
    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(result.output.contains("begins with a whole store of 5 sets"))
    #expect(try await bob.notes().map(\.title).sorted() == before.map(\.title).sorted())
    #expect(try await bob.sync().pulled > 0)
    #expect(try await bob.list() == alice.list())
    _ = try await bob.add("of bob")
    _ = try await bob.sync()
    _ = try await alice.sync()
    #expect(try await bob.list() == alice.list())

    #expect(try await sandbox.inspect("tree").output.contains("whole store of “alice”: 5 sets, encrypted"))
    let verified = try await sandbox.inspect("verify")
    #expect(verified.ending == .exited(0), "\(verified.output)")
    #expect(verified.output.contains("1 whole store"))
  }

  @Test func `a whole store that is damaged is named, and the notebook gets everything by its first sync`()
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("a note")
    try await alice.succeed("upload-store", "--json")
    let store = try #require(stores(sandbox).first)
    var bytes = try Data(contentsOf: store)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: store)

    let (bob, result) = try await joining("bob", sandbox)
    #expect(result.ending == .exited(0))
    #expect(result.errors.contains("is not used: its bytes are not those that its name tells"))
    #expect(try await bob.notes().isEmpty)
    _ = try await bob.sync()
    #expect(try await bob.list() == alice.list())
    let verified = try await sandbox.inspect("verify")
    #expect(verified.ending == .exited(1))
    #expect(verified.output.contains(store.lastPathComponent))
  }

  @Test func `rejoin takes over a whole store, keeps what was not sent, and leaves a sound remote`()
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    _ = try await alice.add("old", content: String(repeating: "long ", count: 8_000), tags: ["t"])
    for device in [alice, bob] { _ = try await device.sync() }
    _ = try await bob.add("not sent yet")
    _ = try await alice.add("of alice")
    try await alice.succeed("upload-store")
    let told = try await bob.succeed("rejoin")
    #expect(told.contains("has taken over a whole store of “alice”"), "\(told)")
    for device in [alice, bob, alice] { _ = try await device.sync() }
    #expect(try await bob.list() == alice.list())
    #expect(try await bob.notes().map(\.title).sorted() == ["not sent yet", "of alice", "old"])
    let verified = try await sandbox.inspect("verify")
    #expect(verified.ending == .exited(0), "\(verified.output)")
    #expect(try await bob.sync().requests == 1)
  }

  @Test func `rejoin says so if there is no whole store`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let result = try await alice.run("rejoin")
    #expect(result.ending == .exited(13))
    #expect(result.errors.contains("there is no whole store on the remote"), "\(result.errors)")
  }
}
