import Foundation
import ProcessTesting
import Testing

/// `show`: a file by its path on this device, or by its path within a remote.
@Suite struct InspectShowTests {
  private func show(_ words: String...) async throws -> Subprocess.Result {
    try await Subprocess.run([Checkout.program("ticds-inspect").path, "show"] + words)
  }

  @Test func `a file is shown by either path, and nothing is written`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("title to find", tags: ["a tag"])
    _ = try await alice.sync()
    let before = Snapshot(sandbox.remote)
    let files = before.entries.filter { $0.bytes != nil }.map(\.path)
    let root = sandbox.remote.path + "/"
    for file in files {
      let result = try await show(file, "--password-file", sandbox.passwordFile.path)
      #expect(result.ending == .exited(0), "\(file): \(result.output) \(result.errors)")
    }
    let set = try #require(files.first { $0.hasSuffix(".set") })
    let place = String(set.trimmingPrefix(root))
    for words in [[set], [place, "--in", sandbox.remote.path]] {
      let result = try await Subprocess.run(
        [
          Checkout.program("ticds-inspect").path, "show", "--json", "--password-file",
          sandbox.passwordFile.path,
        ]
          + words)
      let json = try ProgramJSON.object(result.output)
      #expect(json["version"] as? Int == 1)
      #expect(json["kind"] as? String == "changeSet")
      #expect(json["encrypted"] as? Bool == true)
      let changes = try #require(json["changes"] as? [[String: Any]])
      #expect(changes.contains { $0["value"] as? String == "title to find" })
    }
    let locked = try await show(set)
    #expect(locked.ending == .exited(4))
    #expect(locked.output.contains("it is encrypted"))
    #expect(try await show(place + "x", "--in", sandbox.remote.path).ending == .exited(5))
    let hidden = try await show("ticds.notebook/.DS_Store", "--in", sandbox.remote.path)
    #expect(hidden.ending == .exited(5) && hidden.errors.contains("without --in"), "\(hidden.errors)")
    #expect(Snapshot(sandbox.remote) == before)
  }
}
