import Foundation
import ProcessTesting
import Testing

/// Taking back the last merge, through the program.
@Suite struct UndoTests {
  @Test func `the last merge is taken back once, and the other device sees it`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    let (kept, gone) = (
      try await alice.add("kept", content: "mine"), try await alice.add("gone", tags: ["x"])
    )
    for device in [alice, bob, alice] { _ = try await device.sync() }
    let before = try await alice.notes()
    #expect(try await alice.run("undo").ending == .exited(5))

    try await bob.succeed("edit", kept, "--content", "theirs")
    try await bob.succeed("delete", gone)
    let new = try await bob.add("new")
    _ = try await bob.sync()
    _ = try await alice.sync()
    // A sync that changes nothing leaves the last merge the last.
    _ = try await alice.sync()
    #expect(try await alice.notes() == bob.notes())

    let output = try await alice.succeed("undo")
    #expect(output.contains("the note “kept” (\(kept)) has its former content"))
    #expect(output.contains("the note “gone” (\(gone)) had been deleted, and is back"))
    #expect(output.contains("the note “new” (\(new)) had come, and is gone again"))
    #expect(output.contains("took back "))
    #expect(try await alice.notes() == before)
    #expect(try await alice.run("undo").ending == .exited(5))
    for device in [alice, bob] { _ = try await device.sync() }
    #expect(try await bob.notes() == before)
  }

  @Test func `a tag that came stays for whoever uses it, and each note gets its own tags back`() async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)
    let bob = try await sandbox.device("bob", encrypted: false)
    let shared = try await alice.add("shared", tags: ["own"])
    for device in [alice, bob, alice] { _ = try await device.sync() }
    // With the merge a tag comes, on a note that was there and on one that was not.
    try await alice.succeed("tag", shared, "work")
    try await alice.succeed("untag", shared, "own")
    _ = try await alice.add("new", tags: ["work"])
    _ = try await alice.sync()
    _ = try await bob.sync()
    let mine = try await bob.add("of bob", tags: ["own"])

    let undone = try await bob.succeed("undo")
    let later = try await alice.add("written after the undo", tags: ["work"])
    for device in [bob, alice, bob] { _ = try await device.sync() }

    let notes = try await bob.notes()
    #expect(try await alice.notes() == notes)
    func tags(_ note: String) -> [String]? { notes.first { $0.syncID == note }?.tags }
    #expect(tags(shared) == ["own"] && tags(mine) == ["own"] && tags(later) == ["work"], "\(notes)")
    #expect(!notes.contains { $0.title == "new" })
    #expect(!undone.contains("kept:") && !undone.contains("the tag “work”"), "\(undone)")
  }

  @Test func `what was changed since the merge stays, and is said`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    let note = try await alice.add("title", content: "first")
    for device in [alice, bob, alice] { _ = try await device.sync() }
    try await bob.succeed("edit", note, "--content", "second", "--title", "title of bob")
    _ = try await bob.sync()
    _ = try await alice.sync()
    try await alice.succeed("edit", note, "--content", "third")

    let undone = try ProgramJSON.object(try await alice.succeed("undo", "--json"))

    let left = try #require(undone["kept"] as? [[String: Any]])
    #expect(Set(left.compactMap { $0["key"] as? String }) == ["content", "modified"])
    #expect(try await alice.notes().map(\.title) == ["title"])
    #expect(try await alice.notes().map(\.content) == ["third"])
  }

  @Test func `a merge that the file does not know of is not taken for the last one`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    let file = alice.store.appending(path: "notebook.undo")
    let note = try await alice.add("title", content: "first")
    for device in [alice, bob, alice] { _ = try await device.sync() }
    func merge(_ content: String) async throws {
      try await bob.succeed("edit", note, "--content", content)
      for device in [bob, alice] { _ = try await device.sync() }
    }
    try await merge("second")
    let former = try Data(contentsOf: file)
    #expect(
      try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    try await merge("third")
    // As if the process had been killed before it wrote the file.
    try former.write(to: file)
    #expect(try await alice.run("undo").ending == .exited(5))
    #expect(try await alice.notes().map(\.content) == ["third"])

    try Data("torn".utf8).write(to: file)
    let result = try await alice.run("undo")
    #expect(result.ending == .exited(9))
    #expect(result.errors.contains("notebook.undo"))
    // Neither hinders the next merge.
    try await merge("fourth")
    try await alice.succeed("undo")
    #expect(try await alice.notes().map(\.content) == ["third"])
  }

  @Test func `a sync that cannot keep how it is taken back succeeds, and says so`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    for device in [alice, bob] { _ = try await device.sync() }
    _ = try await bob.add("new")
    _ = try await bob.sync()
    let obstacle = alice.store.appending(path: "notebook.undo/in the way")
    try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)

    let result = try await alice.run("sync")

    #expect(result.ending == .exited(0))
    #expect(result.errors.contains("cannot be taken back"))
    #expect(try await alice.notes().map(\.title) == ["new"])
  }
}
