import Foundation
import ProcessTesting
import Testing

/// `info`, `documents`, `devices`, and what `changes` leaves out.
@Suite struct InspectOverviewTests {
  @Test func `info sums up what lies there, with a password and without`() async throws {
    let sandbox = try await Sandbox.bothWriting()
    let result = try await sandbox.inspect("info")
    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(result.output.contains("encrypted, and the password opens it"))
    #expect(result.output.contains("“alice”, “bob”") || result.output.contains("“bob”, “alice”"))
    let locked = try ProgramJSON.object(try await sandbox.inspect("info", "--json", password: false).output)
    #expect(locked["version"] as? Int == 1)
    let application = try #require((locked["applications"] as? [[String: Any]])?.first)
    #expect(application["protection"] as? String == "locked")
    let document = try #require((application["documents"] as? [[String: Any]])?.first)
    #expect((document["sets"] as? [String: Any])?["files"] as? Int == 2)
    let files = Snapshot(sandbox.remote).entries.filter { $0.bytes != nil }.count
    #expect((application["files"] as? [String: Any])?["files"] as? Int == files)
  }

  @Test func `devices tells who has not seen what`() async throws {
    let sandbox = try await Sandbox.bothWriting()
    let result = try await sandbox.inspect("devices")
    let rows = result.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(rows.contains { $0.prefix(3) == ["“alice”", "1", "1"] }, "\(result.output)")
    #expect(rows.contains { $0.prefix(3) == ["“bob”", "1", "0"] }, "\(result.output)")
    let devices =
      try ProgramJSON.object(try await sandbox.inspect("devices", "--json").output)["devices"]
      as? [[String: Any]]
    let unseen = try #require(devices).map { "\($0["description"] ?? "") \($0["unseen"] ?? "")" }
    #expect(unseen.sorted() == ["alice 1", "bob 0"])
    let documents = try ProgramJSON.object(try await sandbox.inspect("documents", "--json").output)[
      "documents"]
    #expect((documents as? [[String: Any]])?.count == 1)
  }

  @Test func `changes are left out by device, entity, object, property, kind and time`() async throws {
    let sandbox = try await Sandbox.bothWriting()
    func changes(_ words: String...) async throws -> [[String: Any]] {
      let program = Checkout.program("ticds-inspect").path
      let result = try await Subprocess.run(
        [program, "changes", sandbox.remote.path, "--json", "--password-file", sandbox.passwordFile.path]
          + words)
      #expect(result.ending == .exited(0), "\(result.errors)")
      return try ProgramJSON.objects(result.output)
    }
    let all = try await changes()
    for (option, key) in [
      ("--device", "clientDescription"), ("--entity", "entity"), ("--object", "syncID"),
      ("--property", "key"),
      ("--kind", "kind"), ("--document", "document"),
    ] {
      let values = Set(all.compactMap { $0[key] as? String })
      #expect(!values.isEmpty)
      for value in values {
        let some = try await changes(option, value)
        #expect(some.count == all.filter { $0[key] as? String == value }.count, "\(option) \(value)")
      }
      guard option != "--kind" else { continue }
      let unmet = try await sandbox.inspect("changes", option, "nobody")
      #expect(unmet.ending == .exited(5) && unmet.output.isEmpty)
      #expect(unmet.errors.contains("\(option) “nobody”"))
    }
    #expect(try await changes("--kind", "objectDeleted").isEmpty)
    let times = all.compactMap { $0["time"] as? String }.sorted()
    let middle = try #require(times.last)
    let before = try await changes("--until", middle).count
    #expect(try await changes("--since", middle).count == all.count - before)
    #expect(try await changes("--since", "2000-01-01").count == all.count)
    #expect(try await changes("--until", "2000-01-01").isEmpty)
    #expect(try await sandbox.inspect("changes", "--since", "yesterday").ending == .exited(2))
    #expect(try await sandbox.inspect("changes", "--kind", "written").ending == .exited(2))
  }

  @Test func `history tells which of two edits prevails, and agrees with what devices show`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    let note = try await alice.add("first title", tags: ["a tag"])
    _ = try await alice.sync()
    _ = try await bob.sync()
    // While apart: bob's edit is the later one, and arrives first.
    try await alice.succeed("edit", note, "--title", "title of alice")
    try await bob.succeed("edit", note, "--title", "title of bob")
    for device in [bob, alice, bob] { _ = try await device.sync() }
    func history(_ words: String...) async throws -> Subprocess.Result {
      let program = Checkout.program("ticds-inspect").path
      return try await Subprocess.run(
        [program, "history", sandbox.remote.path] + words + ["--password-file", sandbox.passwordFile.path])
    }
    let documents = try ProgramJSON.object(try await sandbox.inspect("documents", "--json").output)[
      "documents"]
    let document = try #require((documents as? [[String: Any]])?.first?["document"] as? String)
    let result = try await history(document, note, "--property", "title", "--json")
    #expect(result.ending == .exited(0), "\(result.errors)")
    let changes = try #require(try ProgramJSON.object(result.output)["changes"] as? [[String: Any]])
    let titles = changes.filter { $0["key"] as? String == "title" }
    #expect(titles.map { $0["value"] as? String } == ["first title", "title of alice", "title of bob"])
    #expect(titles.map { $0["prevails"] as? Bool } == [false, false, true])
    for device in [alice, bob] { #expect(try await device.notes().map(\.title) == ["title of bob"]) }
    #expect(try await history(document, note).output.contains("overruled by bob at"))
    // The tag has recorded the link.
    #expect(try await history(document, note).output.contains("toManyAdded"))
    #expect(try await history(document, "nobody").ending == .exited(5))
  }
}
