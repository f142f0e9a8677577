import Foundation
import ProcessTesting
import Testing

/// What became of a note, as `notebook history` tells it.
@Suite struct NoteHistoryTests {
  private func changes(_ device: Device, _ note: String) async throws -> [[String: Any]] {
    let output = try ProgramJSON.object(try await device.succeed("history", note, "--json"))
    return try #require(output["changes"] as? [[String: Any]])
  }

  private func values(_ changes: [[String: Any]], of key: String) -> [String] {
    changes.filter { $0["key"] as? String == key }.map {
      "\($0["device"] ?? "") \($0["value"] ?? "") \(($0["remains"] as? Bool) == true ? "remains" : "overruled")"
    }
  }

  @Test(arguments: [true, false])
  func `the history of a note has every value, who wrote it, and which one remains`(encrypted: Bool)
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    let note = try await alice.add("Milk", content: "two litres", tags: ["shopping"])
    _ = try await alice.sync()
    _ = try await bob.sync()
    let long = String(repeating: "three litres ", count: 2_000)
    try await alice.succeed("edit", note, "--content", long)
    try await bob.succeed("edit", note, "--content", "one litre")
    try await bob.succeed("untag", note, "shopping")
    for device in [alice, bob, alice] { _ = try await device.sync() }

    // When both devices tell of it
    let told = try await changes(alice, note)
    // Then it is the same history, and ends in what both show.
    #expect(try await alice.succeed("history", note, "--json") == bob.succeed("history", note, "--json"))
    let history = values(told, of: "content")
    #expect(
      history == [
        "alice two litres overruled", "alice \(long) overruled", "bob one litre remains",
      ])
    #expect(try await alice.notes().map(\.content) == ["one litre"])
    #expect(values(told, of: "title") == ["alice Milk remains"])
    let tags = told.filter { $0["tag"] is String }
    #expect(tags.map { $0["kind"] as? String } == ["toManyAdded", "toManyRemoved"])
    #expect(tags.allSatisfy { $0["tag"] as? String == "shopping" })
    let overruler = try #require(told.first { $0["key"] as? String == "content" }?["overruledBy"])
    #expect((overruler as? [String: Any])?["device"] as? String == "bob")

    let text = try await bob.succeed("history", note)
    #expect(text.contains("alice  content = “two litres”  (overruled by bob at "))
    #expect(text.contains("bob  content = “one litre”  (remains)"))
    #expect(text.contains("bob  tag “shopping” taken off  (remains)"))
  }

  @Test func `a deleted note has a history, and what was not sent yet is said to be missing`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let note = try await alice.add("Milk")
    let nowhere = try await alice.run("history", note)
    #expect(nowhere.ending == .exited(5))
    #expect(nowhere.errors.contains("has not sent yet is not shown"))
    _ = try await alice.sync()
    try await alice.succeed("delete", note)
    _ = try await alice.sync()
    let result = try await alice.run("history", note)
    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(result.errors.isEmpty)
    #expect(result.output.contains("title = “Milk”  (the latest, but the note was deleted at "))
    #expect(result.output.contains("the note was deleted  (remains)"))
  }

  @Test func `a set that cannot be read is named by a history`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let note = try await alice.add("Milk")
    _ = try await alice.sync()
    let folder = try #require(
      Snapshot(sandbox.remote).entries.first { $0.path.hasSuffix(".set") }?.path)
    // When a set cannot be read
    try Data("torn".utf8).write(to: URL(filePath: folder))
    let result = try await alice.run("history", note)
    // Then it is named.
    #expect(result.ending == .exited(5))
    #expect(result.errors.contains("cannot be read"))
  }
}
