import Foundation
import Testing

/// Who takes part in a notebook: what a person sees of the devices, renames, and removes.
@Suite struct MemberTests {
  private struct Member: Decodable {
    let author: String
    let name: String?
    let client: String?
    let isThisDevice: Bool
    let lacks: Int?
    let state: String
    let removedBy: String?
  }

  private func members(_ device: Device) async throws -> [Member] {
    try JSONDecoder().decode(
      [Member].self, from: Data(try await device.succeed("devices", "--json").utf8))
  }

  private func meet(encrypted: Bool = true) async throws -> (sandbox: Sandbox, alice: Device, bob: Device) {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    _ = try await alice.add("by alice")
    _ = try await alice.sync()
    _ = try await bob.sync()
    return (sandbox, alice, bob)
  }

  @Test func `devices are listed with what they lack`() async throws {
    let (_, alice, _) = try await meet()
    _ = try await alice.add("another")
    _ = try await alice.sync()
    let text = try await alice.succeed("devices")
    #expect(text.contains("alice: 2 sets, last seen"))
    #expect(text.contains("lacks 1 set"))
    let listed = try await members(alice)
    #expect(listed.first { !$0.isThisDevice }?.lacks == 1)
    #expect(listed.allSatisfy { $0.state == "present" && $0.removedBy == nil })
  }

  /// Gives a device the store of before its last synchronisation, with which it goes on.
  ///
  /// - Returns: the author that it was until then.
  private func restore(_ device: Device, in sandbox: Sandbox, seenBy other: Device) async throws -> String {
    let backup = sandbox.folder.appending(path: "backup")
    try FileManager.default.copyItem(at: device.store, to: backup)
    _ = try await device.add("after the backup")
    _ = try await device.sync()
    let former = try #require(try await members(device).first { $0.isThisDevice }?.author)
    try FileManager.default.removeItem(at: device.store)
    try FileManager.default.moveItem(at: backup, to: device.store)
    _ = try await device.add("after the return")
    _ = try await device.sync()
    _ = try await other.sync()
    return former
  }

  @Test func `a device whose store was restored is listed for each of its selves, and that is said`()
    async throws
  {
    let (sandbox, alice, bob) = try await meet()
    _ = try await restore(alice, in: sandbox, seenBy: bob)

    let lines = try await bob.succeed("devices").split(separator: "\n")

    let selves = lines.filter { $0.hasPrefix("alice [") }
    #expect(selves.count == 2)
    #expect(
      selves.allSatisfy {
        $0.contains("whose store was restored or copied, or that began anew, is listed for each")
      })
    #expect(lines.allSatisfy { $0.hasPrefix("alice [") || !$0.contains("restored") })
  }

  @Test func `what a device was before its store was restored is removed by itself, and the device goes on`()
    async throws
  {
    let (sandbox, alice, bob) = try await meet()
    let former = try await restore(alice, in: sandbox, seenBy: bob)

    let removed = try await bob.succeed("remove-device", former)
    let again = try await bob.succeed("remove-device", former)

    #expect(removed.contains("takes part as before"), "\(removed)")
    #expect(again.contains("was removed already"), "\(again)")
    _ = try await alice.sync()
    #expect(try await alice.run("sync").ending == .exited(0))
  }

  @Test(arguments: [true, false])
  func `a device that is renamed bears the new name everywhere`(encrypted: Bool) async throws {
    let (_, alice, bob) = try await meet(encrypted: encrypted)
    #expect(try await alice.succeed("rename-device", " Kitchen ").contains("“Kitchen”"))
    _ = try await bob.sync()
    #expect(try await Set(members(bob).map(\.name)) == ["Kitchen", "bob"])
    let status = try await bob.succeed("status")
    #expect(status.contains("Kitchen") && !status.contains("alice"))
    #expect(try await bob.succeed("documents").contains("created by Kitchen"))
  }

  @Test func `devices of one name are told apart by what remove-device takes, and init warns`() async throws {
    let sandbox = try Sandbox()
    let first = try await sandbox.device("one")
    let second = Device(name: "two", sandbox: sandbox)
    let joined = try await second.run(
      "init", "--remote", sandbox.remote.path, "--client", "one", "--password-file",
      sandbox.passwordFile.path)
    #expect(joined.ending == .exited(0))
    #expect(joined.errors.contains("another device is called “one” as well"), "\(joined.errors)")

    let lines = try await first.succeed("devices").split(separator: "\n")
    let beginnings = lines.compactMap { $0.firstMatch(of: /^one \[([0-9a-f]+)\]:/)?.1 }
    #expect(lines.count == 2 && Set(beginnings).count == 2, "\(lines)")
    let other = try #require(lines.first { !$0.contains("(this device)") })
    let beginning = try #require(other.firstMatch(of: /\[([0-9a-f]+)\]/)?.1)
    #expect(try await first.run("remove-device", "one").ending == .exited(2))
    try await first.succeed("remove-device", String(beginning))
    #expect(try await members(first).filter { $0.state == "removed" }.map(\.isThisDevice) == [false])
  }

  @Test(arguments: ["", "  ", "two\nlines", String(repeating: "a", count: 101)])
  func `what is no name is refused`(_ name: String) async throws {
    let (_, alice, _) = try await meet()
    #expect(try await alice.run("rename-device", name).ending == .exited(2))
    #expect(try await members(alice).contains { $0.name == "alice" })
  }

  @Test func `without the remote the name is kept, and told later`() async throws {
    let (sandbox, alice, bob) = try await meet()
    let aside = sandbox.folder.appending(path: "aside")
    try FileManager.default.moveItem(at: sandbox.remote, to: aside)
    let result = try await alice.run("rename-device", "Kitchen")
    #expect(result.ending == .exited(3))
    #expect(result.errors.contains("is called “Kitchen” from now on"))
    try FileManager.default.moveItem(at: aside, to: sandbox.remote)
    _ = try await alice.sync()
    _ = try await bob.sync()
    #expect(try await Set(members(bob).map(\.name)) == ["Kitchen", "bob"])
  }

  @Test(arguments: [true, false])
  func `a device that another removes is told by whom, keeps its notes, and comes back`(encrypted: Bool)
    async throws
  {
    let (sandbox, alice, bob) = try await meet(encrypted: encrypted)
    _ = try await bob.add("not sent")
    #expect(try await alice.succeed("remove-device", "bob").contains("“bob” is removed"))
    #expect(try await members(alice).first { $0.client == "bob" || $0.name == "bob" }?.removedBy == "alice")
    for _ in 0..<2 {
      let sync = try await bob.run("sync")
      #expect(sync.ending == .exited(13))
      #expect(
        sync.errors.contains("was removed from the document") && sync.errors.contains("by “alice” on 20"))
      #expect(sync.errors.contains("“notebook rejoin” brings it back"))
    }
    #expect(try await bob.succeed("status").contains("was removed from the document"))
    #expect(try await bob.notes().map(\.title).sorted() == ["by alice", "not sent"])
    #expect(try await bob.run("remove-device", "alice").ending == .exited(13))
    #expect(try await alice.sync().pulled == 0)

    _ = try await bob.succeed("rejoin")
    _ = try await alice.sync()
    #expect(try await alice.notes().map(\.title).sorted() == ["by alice", "not sent"])
    #expect(try await members(alice).filter { $0.state == "present" }.count == 2)
    let verify = try await sandbox.inspect("verify", password: encrypted)
    #expect(verify.ending == .exited(0), "\(verify.output)")
  }

  @Test(arguments: [true, false])
  func `a device that was removed comes back by rejoin, and by nothing else`(encrypted: Bool) async throws {
    let (_, alice, bob) = try await meet(encrypted: encrypted)
    try await alice.succeed("remove-device", "bob")
    _ = try await bob.run("sync")

    let refill = try await bob.run("refill", "--yes")

    #expect(refill.ending == .exited(13) && refill.errors.contains("rejoin"), "\(refill)")
    #expect(try await members(alice).count { $0.state == "present" } == 1)
    try await bob.succeed("rejoin")
  }

  @Test func `who was removed is not counted among those that a newcomer meets`() async throws {
    let (sandbox, alice, _) = try await meet(encrypted: false)
    _ = try await alice.succeed("remove-device", "bob")
    let carol = Device(name: "carol", sandbox: sandbox)
    let joined = try await carol.succeed(
      "init", "--remote", sandbox.remote.path, "--client", "carol", "--no-encryption")
    #expect(joined.contains("joined: 1 other device takes part: “alice”"), "\(joined)")
  }

  @Test func `from all documents a device is removed at once`() async throws {
    let (sandbox, alice, bob) = try await meet()
    #expect(try await alice.succeed("remove-device", "bob", "--all-documents").contains("is removed from"))
    #expect(try await bob.run("sync").ending == .exited(13))
    let verify = try await sandbox.inspect("verify")
    #expect(verify.ending == .exited(0), "\(verify.output)")
  }

  @Test func `who is not there, or asks, is not removed`() async throws {
    let (_, alice, _) = try await meet()
    let unknown = try await alice.run("remove-device", "carol")
    #expect(unknown.ending == .exited(5) && unknown.errors.contains("no device is called “carol”"))
    let itself = try await alice.run("remove-device", "alice")
    #expect(itself.ending == .exited(2) && itself.errors.contains("none removes itself"))
  }
}
