import Foundation
import Testing

@Suite struct TwoDevicesTests {
  @Test(arguments: [true, false])
  func `what two devices add, tag, edit and delete is the same on both after they synced`(encrypted: Bool)
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    let milk = try await alice.add("Milk", content: "two litres", tags: ["shopping", "today"])
    let bread = try await alice.add("Bread")
    let trip = try await bob.add("Trip", content: "äöü 🙂\nline two", tags: ["shopping"])

    _ = try await alice.sync()
    _ = try await bob.sync()
    _ = try await alice.sync()

    let both = try await alice.notes()
    #expect(try await bob.notes() == both)
    #expect(both.map(\.syncID) == [milk, bread, trip].sorted())
    #expect(both.first { $0.syncID == milk }?.tags == ["shopping", "today"])

    try await bob.succeed("edit", milk, "--content", "one litre")
    try await bob.succeed("tag", bread, "today", "bakery")
    try await bob.succeed("untag", milk, "today")
    try await alice.succeed("delete", trip)
    _ = try await bob.sync()
    _ = try await alice.sync()
    _ = try await bob.sync()

    #expect(
      try await alice.notes()
        == [
          NoteOutput(syncID: milk, title: "Milk", content: "one litre", tags: ["shopping"]),
          NoteOutput(syncID: bread, title: "Bread", content: "", tags: ["bakery", "today"]),
        ].sorted { $0.syncID < $1.syncID })
    #expect(try await alice.list() == bob.list())
  }

  @Test(arguments: [true, false])
  func `a note of 100 KB travels beside the sets, once`(encrypted: Bool) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: encrypted)
    let bob = try await sandbox.device("bob", encrypted: encrypted)
    let text = String(repeating: "All work and no play. ", count: 4_600)
    let first = try await alice.add("first", content: text)
    _ = try await alice.add("second", content: text)
    _ = try await alice.sync()
    _ = try await bob.sync()
    #expect(try await bob.notes() == alice.notes())
    #expect(try await bob.notes().allSatisfy { $0.content == text })

    try await bob.succeed("edit", first, "--content", "short")
    _ = try await bob.add("third", content: text)
    _ = try await bob.sync()
    _ = try await alice.sync()
    #expect(try await alice.notes() == bob.notes())
    #expect(Snapshot(sandbox.remote).entries.filter { $0.path.hasSuffix(".value") }.count == 1)
    #expect(try await sandbox.inspect("verify", password: encrypted).ending == .exited(0))
    #expect(try await alice.sync().requests == 1)
  }

  @Test func `the same tag made on two devices is one`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    let one = try await alice.add("one", tags: ["same"])
    let two = try await bob.add("two", tags: ["same"])
    _ = try await alice.sync()
    _ = try await bob.sync()
    _ = try await alice.sync()

    // Taking it off one note leaves it on the other, and a third note finds it.
    try await alice.succeed("untag", one, "same")
    let three = try await bob.add("three", tags: ["same"])
    _ = try await bob.sync()
    _ = try await alice.sync()
    _ = try await bob.sync()

    let notes = try await alice.notes()
    #expect(notes.filter { $0.tags == ["same"] }.map(\.syncID) == [two, three].sorted())
    #expect(try await bob.notes() == notes)
    let changes = try await sandbox.inspect("changes", "--json")
    let insertions = changes.output.matches(
      of: /"kind": "objectInserted",\s*"entity": "Tag",\s*"syncID": "([^"]*)"/)
    #expect(insertions.count == 2)
    #expect(Set(insertions.map(\.1)).count == 1)
  }

  @Test func `a device that joins later has everything after its first sync`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    for number in 1...5 {
      _ = try await alice.add("note \(number)", tags: ["t\(number)"])
      _ = try await alice.sync()
    }
    let bob = try await sandbox.device("bob")
    let report = try await bob.sync()
    #expect(report.details.pulledSets == 5)
    #expect(try await bob.list() == alice.list())
  }

  @Test func `a folder of texts becomes tagged notes on every device`() async throws {
    let sandbox = try Sandbox()
    let texts = sandbox.folder.appending(path: "texts/recipes")
    try FileManager.default.createDirectory(at: texts, withIntermediateDirectories: true)
    try Data("# Soup\nwater".utf8).write(to: texts.appending(path: "a.md"))
    try Data([0xff, 0x00]).write(to: texts.appending(path: "broken.txt"))
    let alice = try await sandbox.device("alice")

    let result = try await alice.run("import", sandbox.path("texts"))

    #expect(result.ending == .exited(0))
    #expect(result.errors.contains("broken.txt"))
    #expect(result.output == "imported 1 note, skipped 1 file\n")
    _ = try await alice.sync()
    let bob = try await sandbox.device("bob")
    _ = try await bob.sync()
    let notes = try await bob.notes()
    #expect(notes.map(\.title) == ["Soup"])
    #expect(notes.map(\.tags) == [["recipes"]])
  }
}
