import Foundation
import ProcessTesting
import Testing

/// A copy of the objects of a notebook's store in the place of the store: it does not know what was synchronised.
@Suite struct ReplacedStoreTests {
  @Test func `a copy says that it is no backup, and in the store's place leads to export and import`()
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("title", content: "text", tags: ["a tag"])
    _ = try await alice.sync()
    let notes = try await alice.succeed("list")
    let store = alice.store.appending(path: "notebook.sqlite")
    let copy = sandbox.path("copy.sqlite")

    let copied = try await Subprocess.run([Checkout.program("ticds-store").path, "copy", store.path, copy])
    #expect(copied.ending == .exited(0))
    #expect(
      copied.errors.contains("the copy is not") && copied.errors.contains("notebook export"), "\(copied)")

    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.path + suffix) }
    try FileManager.default.copyItem(atPath: copy, toPath: store.path)
    for verb in ["sync", "rejoin"] {
      let result = try await alice.run(verb)
      #expect(result.ending == .exited(5), "\(result)")
      for word in ["ticds-store copy", "notebook export", "notebook init", "notebook import"] {
        #expect(result.errors.contains(word), "\(result)")
      }
    }

    let exported = try await alice.run("export")
    #expect(exported.ending == .exited(0))
    let again = try await sandbox.device("again")
    let file = sandbox.path("notes.json")
    try Data(exported.output.utf8).write(to: URL(filePath: file))
    try await again.succeed("import", file)
    _ = try await again.sync()
    #expect(try await again.succeed("list") == notes)
  }

  @Test func `a copy of a store that nobody synchronises says nothing`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let store = alice.store.appending(path: "notebook.sqlite").path
    let program = Checkout.program("ticds-store").path
    _ = try await Subprocess.run([program, "copy", store, sandbox.path("first")])
    let second = try await Subprocess.run([program, "copy", sandbox.path("first"), sandbox.path("second")])
    #expect(second.ending == .exited(0) && second.errors.isEmpty, "\(second)")
  }
}
