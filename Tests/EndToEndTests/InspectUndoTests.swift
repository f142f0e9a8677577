import Foundation
import ProcessTesting
import Testing

/// `ticds-inspect repair --undo` where not everything is as the repair left it.
@Suite struct InspectUndoTests {
  private func contents(_ sandbox: Sandbox) -> [String: Data?] {
    Dictionary(uniqueKeysWithValues: Snapshot(sandbox.remote).entries.map { ($0.path, $0.bytes) })
  }

  /// A remote whose text for people was changed and one of whose sets was torn, repaired.
  private func repaired() async throws -> (sandbox: Sandbox, kept: String, before: [String: Data?]) {
    let sandbox = try await Sandbox.twoDevices()
    for entry in Snapshot(sandbox.remote).entries {
      guard let bytes = entry.bytes else { continue }
      if entry.path.hasSuffix("ReadMe.txt") { try Data("else".utf8).write(to: URL(filePath: entry.path)) }
      if entry.path.hasSuffix(".set") {
        try bytes.prefix(bytes.count / 2).write(to: URL(filePath: entry.path))
      }
    }
    let before = contents(sandbox)
    let kept = sandbox.path("kept")
    _ = try await sandbox.inspect("repair", "--apply", "--quarantine", kept)
    return (sandbox, kept, before)
  }

  @Test func `a link in the place of a copy publishes nothing, and all else is undone`() async throws {
    let (sandbox, kept, before) = try await repaired()
    let secret = sandbox.path("secret")
    try Data("a secret of this device".utf8).write(to: URL(filePath: secret))
    let copy = URL(filePath: kept).appending(path: "1")
    let bytes = try Data(contentsOf: copy)
    try FileManager.default.removeItem(at: copy)
    try FileManager.default.createSymbolicLink(atPath: copy.path, withDestinationPath: secret)

    let undone = try await sandbox.inspect("repair", "--undo", kept, "--json")

    #expect(undone.ending == .exited(14), "\(undone)")
    let left = try #require(try ProgramJSON.object(undone.output)["left"] as? [[String: Any]])
    let path = try #require(left.first?["path"] as? String)
    let different = Set(before.keys).filter { before[$0] != contents(sandbox)[$0] }
    #expect(left.count == 1 && different.allSatisfy { $0.hasSuffix(path) }, "\(undone)")
    #expect(!contents(sandbox).values.contains(Data("a secret of this device".utf8)))

    try FileManager.default.removeItem(at: copy)
    try bytes.write(to: copy)
    #expect(try await sandbox.inspect("repair", "--undo", kept).ending == .exited(0))
    #expect(contents(sandbox) == before)
  }

  @Test func `an empty log does not count as undone`() async throws {
    let (sandbox, kept, _) = try await repaired()
    try Data().write(to: URL(filePath: "\(kept)/repair.log"))
    let after = contents(sandbox)
    let undone = try await sandbox.inspect("repair", "--undo", kept)
    #expect(undone.ending == .exited(14) && !undone.output.contains("The remote is as it was"), "\(undone)")
    #expect(contents(sandbox) == after)
  }

  @Test func `in another remote nothing is undone`() async throws {
    // The quarantine lies in its folder.
    let (sandbox, kept, _) = try await repaired()
    defer { withExtendedLifetime(sandbox) {} }
    let other = try await Sandbox.twoDevices()
    let before = contents(other)
    let undone = try await other.inspect("repair", "--undo", kept)
    #expect(undone.ending == .exited(5) && undone.errors.contains("is not the remote that was repaired"))
    #expect(contents(other) == before)
  }

  @Test
  func `a document made anew is not taken back from devices that have merged it, unless somebody says so`()
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    for number in 1...3 {
      _ = try await alice.add("note \(number)")
      _ = try await alice.sync()
      if number == 1 { _ = try await bob.sync() }
    }
    let set = Snapshot(sandbox.remote).entries.map(\.path).filter { $0.hasSuffix(".set") }.sorted()[1]
    try FileManager.default.removeItem(atPath: set)
    let before = contents(sandbox)
    let model = alice.store.appending(path: "notebook.sqlite").path
    let kept = sandbox.path("kept")
    _ = try await sandbox.inspect(
      "repair", "--rebuild", "notes", "--model", model, "--apply", "--quarantine", kept)
    #expect(contents(sandbox) != before)
    _ = try await bob.sync()
    let after = contents(sandbox)

    let refused = try await sandbox.inspect("repair", "--undo", kept)

    #expect(refused.ending == .exited(10), "\(refused)")
    #expect(refused.errors.contains("devices have synchronised since") && refused.errors.contains("“bob”"))
    #expect(contents(sandbox) == after)
    let undone = try await sandbox.inspect("repair", "--undo", kept, "--yes")
    #expect([.exited(0), .exited(15)].contains(undone.ending), "\(undone)")
    #expect(contents(sandbox) != after)
  }

  @Test func `where nothing could be done no quarantine is left, and it is not said that it was`()
    async throws
  {
    let sandbox = try await Sandbox.twoDevices()
    let readMe = sandbox.remote.appending(path: "ticds.notebook/ReadMe.txt")
    try FileManager.default.removeItem(at: readMe)
    try FileManager.default.createDirectory(at: readMe, withIntermediateDirectories: false)
    #expect(mkfifo(readMe.appending(path: "pipe").path, 0o600) == 0)
    let kept = sandbox.path("kept")
    let applied = try await sandbox.inspect("repair", "--apply", "--quarantine", kept)
    #expect(applied.ending == .exited(14), "\(applied)")
    #expect(
      !applied.output.contains("Done.") && applied.errors.contains("Move that away yourself"), "\(applied)")
    #expect(!FileManager.default.fileExists(atPath: kept))
  }

  @Test func `a source that gives nothing is named with the reason`() async throws {
    let (sandbox, _, _) = try await repaired()
    let other = try await Sandbox.twoDevices()
    func plan(_ source: String) async throws -> Subprocess.Result {
      try await sandbox.inspect("repair", "--from", source)
    }
    let itself = try await plan(sandbox.remote.path)
    #expect(itself.ending == .exited(2) && itself.errors.contains("is the remote itself"), "\(itself)")
    #expect(try await plan(other.remote.path).output.contains("it is one of another remote"))
    let store = other.folder.appending(path: "alice")
    #expect(
      try await plan("store:\(store.appending(path: "notebook.sqlite").path)").output
        .contains("The store gives nothing"))
    let folder = try await plan("store:\(store.path)")
    #expect(folder.ending == .exited(5) && folder.errors.contains("notebook.sqlite”"), "\(folder)")
  }
}
