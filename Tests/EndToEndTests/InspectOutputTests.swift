import Foundation
import ProcessTesting
import Testing

/// The places to which `ticds-inspect` writes what was asked for.
@Suite struct InspectOutputTests {
  private func mode(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test(arguments: ["jsonl", "csv", "sqlite", "store"])
  func `only its owner can read what was exported`(_ format: String) async throws {
    let sandbox = try await Sandbox.twoDevices()
    let path = sandbox.path("exported")
    let model = sandbox.folder.appending(path: "alice/notebook.sqlite").path
    let result = try await sandbox.inspect(
      "export", "--as", format, "--output", path, "--model", model)
    #expect(result.ending == .exited(0), "\(result)")
    #expect(try mode(path) & 0o077 == 0)
  }

  @Test func `a report takes the place of a page, and of nothing else`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let page = sandbox.path("page.html")
    try Data("<!DOCTYPE html> of before".utf8).write(to: URL(filePath: page))
    let store = sandbox.folder.appending(path: "alice/notebook.sqlite")
    let before = try Data(contentsOf: store)
    let refused = try await sandbox.inspect("report", "--html", store.path)
    #expect(refused.ending == .exited(11) && refused.errors.contains("is there already"), "\(refused)")
    #expect(try Data(contentsOf: store) == before)
    #expect(try await sandbox.inspect("report", "--html", page).ending == .exited(0))
    #expect(try mode(page) == 0o600)
    #expect(mkfifo(sandbox.path("pipe"), 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: sandbox.path("link"), withDestinationPath: sandbox.path("nothing"))
    try FileManager.default.createDirectory(
      atPath: sandbox.path("folder"), withIntermediateDirectories: false)
    for (name, word) in [("pipe", "a pipe"), ("link", "a link"), ("folder", "a folder")] {
      let result = try await sandbox.inspect("report", "--html", sandbox.path(name))
      #expect(result.ending == .exited(6) && result.errors.contains("is \(word)"), "\(result)")
    }
    for format in ["csv", "sqlite", "store"] {
      let result = try await sandbox.inspect(
        "export", "--as", format, "--output", sandbox.path("link"))
      #expect(result.ending == .exited(11), "\(result)")
    }
    #expect(!FileManager.default.fileExists(atPath: sandbox.path("nothing")))
  }

  @Test(arguments: [
    "2026-02-30", "2026-13-01", "2026-00-10", "2025-02-29", "2026-01-01T25:61:61Z", "2026-01-01T10:00:60Z",
    "2026-01-01T10:00:00+24:00",
  ])
  func `a time that no calendar or clock shows is refused`(_ time: String) async throws {
    let sandbox = try await Sandbox.twoDevices()
    for words in [["at", time], ["changes", "--since", time]] {
      let result = try await sandbox.inspect(words)
      #expect(result.ending == .exited(2) && result.errors.contains("there is no such"), "\(result)")
    }
  }

  @Test func `a tree of a remote that the password does not open has not one line`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    try Data("another word\n".utf8).write(to: sandbox.passwordFile)

    let result = try await sandbox.inspect("tree")

    #expect(result.ending == .exited(4) && result.output.isEmpty, "\(result)")
  }

  @Test func `a pause between looks is refused where nobody looks twice`() async throws {
    let sandbox = try await Sandbox.twoDevices()

    let result = try await sandbox.inspect("changes", "--interval", "5")

    #expect(result.ending == .exited(2) && result.errors.contains("--follow"), "\(result)")
  }

  @Test func `no file that is opened takes the place of a standard stream that is closed`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let files = Snapshot(sandbox.remote)
    let program = Checkout.program("ticds-inspect").path
    let words = [program, "tree", sandbox.remote.path, "--password-file", sandbox.passwordFile.path]

    let result = try await Subprocess.run(["sh", "-c", "exec \"$@\" >&-", "sh"] + words)

    #expect(result.errors.contains("the output could not be written: it is closed"), "\(result)")
    #expect(result.ending != .exited(0))
    #expect(Snapshot(sandbox.remote) == files)
  }
}
