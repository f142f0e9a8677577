import Foundation
import ProcessTesting
import Testing

/// What is not all is not shown as if it were.
@Suite struct InspectOmissionTests {
  private func sets(_ sandbox: Sandbox) throws -> [URL] {
    let files = FileManager.default.enumerator(at: sandbox.remote, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "set" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  /// A remote on which “alice” has changed the title of a note three times.
  private func sample() async throws -> (Sandbox, alice: Device, note: String) {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)
    let note = try await alice.add("first")
    _ = try await alice.sync()
    for title in ["second", "third", "fourth"] {
      try await alice.succeed("edit", note, "--title", title)
      _ = try await alice.sync()
    }
    return (sandbox, alice, note)
  }

  @Test(arguments: [1, 3], [["changes"], ["stats"], ["changes", "--json"], ["stats", "--json"]])
  func `a set that is not there is named, and the command ends so`(index: Int, words: [String]) async throws {
    let (sandbox, _, _) = try await sample()
    try FileManager.default.removeItem(at: try sets(sandbox)[index])

    let result = try await sandbox.inspect(words, password: false)

    #expect(result.ending == .exited(14), "\(result)")
    #expect(result.errors.contains("set \(index + 1) of author"), "\(result.errors)")
    if words == ["stats", "--json"] {
      let missing = try ProgramJSON.object(result.output)["missing"] as? [[String: Any]]
      #expect(missing?.map { $0["sequence"] as? Int } == [index + 1])
    }
  }

  @Test func `a property of which nothing is told is not shown as if it had never changed`() async throws {
    let (sandbox, _, note) = try await sample()

    let result = try await sandbox.inspect(
      ["history", "notes", note, "--property", "titel"], password: false)

    #expect(result.ending == .exited(5) && result.output.isEmpty, "\(result)")
    #expect(result.errors.contains("“title”"), "\(result.errors)")
  }

  @Test func `of the store of another document it is said that it is one`() async throws {
    let (sandbox, alice, _) = try await sample()
    let other = Device(name: "other", sandbox: sandbox)
    try await other.succeed(
      "init", "--remote", sandbox.remote.path, "--client", "other", "--document", "others", "--no-encryption")
    _ = try await other.add("of another document")
    _ = try await other.sync()
    func diff(_ device: Device) async throws -> Subprocess.Result {
      let store = "store:" + device.store.appending(path: "notebook.sqlite").path
      return try await sandbox.inspect(
        ["diff", "--document", "notes", "--from", "now", "--to", store], password: false)
    }

    let (own, strange) = (try await diff(alice), try await diff(other))

    #expect(own.ending == .exited(0) && own.errors.isEmpty, "\(own)")
    #expect(strange.ending == .exited(1) && strange.errors.contains("another document"), "\(strange)")
  }

  @Test func `devices of one name are told apart in lines that stand alone`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)
    let note = try await alice.add("first")
    _ = try await alice.sync()
    let copy = Device(name: "copy", sandbox: sandbox)
    try FileManager.default.copyItem(at: alice.store, to: copy.store)
    for (device, title) in [(alice, "original"), (copy, "copied")] {
      try await device.succeed("edit", note, "--title", title)
      _ = try await device.sync()
    }
    for device in [alice, copy, alice] { _ = try await device.sync() }
    let authors = Set(try sets(sandbox).map { $0.deletingLastPathComponent().lastPathComponent })
    try #require(authors.count == 2)

    for words in [["changes", "--property", "title"], ["stats"], ["history", "notes", note]] {
      let result = try await sandbox.inspect(words, password: false)
      for author in authors { #expect(result.output.contains("[\(author)]"), "\(words): \(result.output)") }
    }
  }
}
