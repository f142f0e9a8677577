import Foundation
import ProcessTesting
import Testing

/// `decrypt` and `stats`.
@Suite struct InspectCopyTests {
  private func sample() async throws -> Sandbox {
    try await .bothWriting(content: String(repeating: "long ", count: 5_000))
  }

  @Test func `decrypt writes what can be opened, and nothing onto the remote`() async throws {
    let sandbox = try await sample()
    let before = Snapshot(sandbox.remote)
    let folder = sandbox.path("opened")
    let result = try await sandbox.inspect("decrypt", folder, "--json")
    #expect(result.ending == .exited(0), "\(result.errors)")
    let answer = try ProgramJSON.object(result.output)
    #expect(answer["version"] as? Int == 1)
    let files = Snapshot(URL(filePath: folder)).entries.filter { $0.bytes != nil }
    #expect(answer["written"] as? Int == files.count)
    let sets = files.filter { $0.path.hasSuffix(".set") }
    #expect(sets.count == 2)
    #expect(sets.allSatisfy { $0.bytes?.starts(with: Data("TICDSset".utf8)) == true })
    #expect(
      files.contains {
        $0.path.contains("/LongValues/") && $0.bytes?.starts(with: Data("TICDSval".utf8)) == true
      })
    #expect(!files.contains { $0.path.hasSuffix(".keys") })
    #expect(try await sandbox.inspect("decrypt", folder).ending == .exited(11))
    #expect(try await sandbox.inspect("decrypt", sandbox.path("other"), password: false).ending == .exited(4))
    let within = sandbox.remote.appending(path: "opened").path
    #expect(try await sandbox.inspect("decrypt", within).ending == .exited(2))
    #expect(Snapshot(sandbox.remote) == before)
  }

  @Test func `decrypt names what it cannot open, and writes the rest`() async throws {
    let sandbox = try await sample()
    let set = try #require(Snapshot(sandbox.remote).entries.first { $0.path.hasSuffix(".set") })
    var bytes = try #require(set.bytes)
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: URL(filePath: set.path))
    let result = try await sandbox.inspect("decrypt", sandbox.path("opened"), "--json")
    #expect(result.ending == .exited(14))
    let left = try #require(try ProgramJSON.object(result.output)["left"] as? [[String: Any]])
    let paths = left.compactMap { $0["path"] as? String }
    #expect(paths.contains { set.path.hasSuffix($0) })
    // A set that cannot be read does not tell how the long values that it mentions are opened.
    #expect(paths.allSatisfy { set.path.hasSuffix($0) || $0.contains("/LongValues/") })
  }

  @Test func `stats counts the sets, changes and bytes that are there`() async throws {
    let sandbox = try await sample()
    let result = try await sandbox.inspect("stats", "--json")
    #expect(result.ending == .exited(0), "\(result.errors)")
    let answer = try ProgramJSON.object(result.output)
    let sets = Snapshot(sandbox.remote).entries.filter { $0.path.hasSuffix(".set") }
    let total = try #require(answer["total"] as? [String: Int])
    #expect(total["sets"] == sets.count)
    #expect(total["bytes"] == sets.compactMap { $0.bytes?.count }.reduce(0, +))
    for key in ["devices", "months"] {
      let parts = try #require(answer[key] as? [[String: Any]])
      for amount in ["sets", "changes", "bytes"] {
        #expect(parts.compactMap { $0[amount] as? Int }.reduce(0, +) == total[amount], "\(key) \(amount)")
      }
    }
    let entities = try #require(answer["entities"] as? [[String: Any]])
    let notes = try #require(entities.first { $0["entity"] as? String == "Note" })
    #expect(notes["inserted"] as? Int == 2)
    #expect(try await sandbox.inspect("stats").output.contains("“alice”"))
  }

  @Test func `a repair that takes a password back says that it is done, and how to go on`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("one")
    _ = try await alice.sync()
    let old = sandbox.folder.appending(path: "old")
    try FileManager.default.copyItem(at: sandbox.remote, to: old)
    let new = sandbox.path("new-password")
    try Data("another horse\n".utf8).write(to: URL(filePath: new))
    try await alice.succeed(
      "password", "change", "--password-file", sandbox.passwordFile.path, "--new-password-file", new)
    let copy = sandbox.path("copy")
    try FileManager.default.moveItem(atPath: sandbox.remote.path, toPath: copy)
    try FileManager.default.moveItem(at: old, to: sandbox.remote)

    let repaired = try await sandbox.inspect(
      "repair", "--from", copy, "--apply", "--quarantine", sandbox.path("kept"))

    #expect(repaired.ending == .exited(4), "\(repaired)")
    #expect(repaired.output.contains("Done.") && repaired.output.contains("--undo"), "\(repaired.output)")
    #expect(repaired.errors.contains("the repair is done"), "\(repaired.errors)")
    #expect(!repaired.errors.contains("--from"), "\(repaired.errors)")
  }

  @Test func `a file under a name of no program of ours is shown where the tree lists it`() async throws {
    let sandbox = try await sample()
    let set = try #require(Snapshot(sandbox.remote).entries.first { $0.path.hasSuffix(".set") })
    let copy = set.path.replacing(".set", with: " (1).set")
    try FileManager.default.copyItem(atPath: set.path, toPath: copy)
    let place = String(copy.dropFirst(sandbox.remote.path.count + 1))

    let shown = try await Subprocess.run(
      [
        Checkout.program("ticds-inspect").path, "show", place, "--in", sandbox.remote.path, "--json",
        "--password-file", sandbox.passwordFile.path,
      ])

    #expect(!shown.errors.contains("no file"), "\(shown)")
    #expect(shown.output.contains("\"kind\""), "\(shown)")
  }
}
