import Foundation
import ProcessTesting
import Testing

@Suite struct InspectTests {
  @Test func `tree names every file, its author and what is foreign`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    try Data().write(to: sandbox.remote.appending(path: "conflicted copy\u{1b}[31m"))

    let result = try await sandbox.inspect("tree")

    #expect(result.ending == .exited(0))
    #expect(result.output.contains("set 1 of “alice”, encrypted"))
    #expect(result.output.contains("head of “bob”: pushed 0, seen 1, encrypted"))
    #expect(result.output.contains(#"conflicted copy\u{1b}[31m  FOREIGN"#))
    let names = Snapshot(sandbox.remote).entries.dropFirst().map { ($0.path as NSString).lastPathComponent }
    for name in names where !name.contains("\u{1b}") { #expect(result.output.contains(name), "\(name)") }

    let tree = try ProgramJSON.objects(try await sandbox.inspect("tree", "--json").output)
    #expect(tree.compactMap { $0["role"] as? String }.sorted() == ["application", "foreign"])
  }

  @Test(arguments: [
    ("ticds.notebook", "above this one"), ("ticds.notebook/ClientDevices", "above this one"),
    ("ticds.notebook/ClientDevices/CLIENT", "above this one"),
    ("ticds.notebook/Encryption", "above this one"),
    ("ticds.notebook/Founding", "above this one"), ("ticds.notebook/Documents", "above this one"),
    ("ticds.notebook/Documents/notes", "above this one"),
    ("ticds.notebook/Documents/notes/IntegrityKey", "above this one"),
    ("ticds.notebook/Documents/notes/SyncChanges", "above this one"),
    ("ticds.notebook/Documents/notes/SyncChanges/AUTHOR", "above this one"),
    ("ticds.notebook/Documents/notes/RecentSyncs", "above this one"),
    ("..", "around the remote “remote”"),
  ])
  func `a folder too deep or too high is named, and nothing in it is taken for nobody's`(
    _ folder: String, _ words: String
  ) async throws {
    let sandbox = try await Sandbox.twoDevices()
    func first(in folder: String) throws -> String {
      let path = sandbox.remote.appending(path: folder).path
      return try #require(try FileManager.default.contentsOfDirectory(atPath: path).sorted().first)
    }
    let inner = folder.replacing(
      "AUTHOR", with: try first(in: "ticds.notebook/Documents/notes/SyncChanges")
    ).replacing("CLIENT", with: try first(in: "ticds.notebook/ClientDevices"))
    let place = sandbox.remote.appending(path: inner).standardizedFileURL.path
    for verb in ["verify", "info", "repair", "changes", "stats", "devices"] + (folder == ".." ? [] : ["tree"])
    {
      let result = try await Subprocess.run([
        Checkout.program("ticds-inspect").path, verb, place, "--password-file", sandbox.passwordFile.path,
      ])
      #expect(result.ending == .exited(5), "\(verb)")
      #expect(result.errors.contains(words) && result.output == "", "\(verb): \(result)")
    }
  }

  @Test func `a remote is one whatever lies beside the application`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let author = String(repeating: "a", count: 16)
    let set = "0000000001-\(String(repeating: "b", count: 32)).set"
    for file in [
      "deviceInfo.plist", set, "ReadMe.txt", "photos/2024/x.jpg", "\(author)/\(set)",
      "SyncChanges/\(author)/\(set)",
      "old/documentInfo.plist",
    ] {
      let url = sandbox.remote.appending(path: file)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("x".utf8).write(to: url)
    }

    for verb in ["verify", "tree", "info"] {
      let result = try await sandbox.inspect(verb)
      #expect(result.ending != .exited(5) && !result.output.isEmpty, "\(verb): \(result)")
    }
  }

  @Test func `a remote whose only document is lost is not called healthy, unless it was deleted`()
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("note")
    _ = try await alice.sync()
    #expect(try await sandbox.inspect("verify").ending == .exited(0))
    let folder = sandbox.remote.appending(path: "ticds.notebook/Documents/notes")
    let aside = sandbox.folder.appending(path: "aside")
    try FileManager.default.moveItem(at: folder, to: aside)

    let lost = try await sandbox.inspect("verify")

    #expect(lost.ending == .exited(15), "\(lost)")
    #expect(lost.output.contains("A device is registered, and there is no document"))
    try FileManager.default.moveItem(at: aside, to: folder)
    _ = try await alice.succeed("delete-document", "--yes")
    #expect(try await !sandbox.inspect("verify").output.contains("there is no document"))
  }

  @Test func `a key file that was changed without its key is named`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let file = try #require(Snapshot(sandbox.remote).entries.first { $0.path.hasSuffix(".keys") })
    var bytes = try #require(file.bytes)
    // The authentication code lies before the hash of the file.
    bytes[bytes.count - 33] ^= 1
    bytes.replaceSubrange((bytes.count - 32)..., with: try await sha256(bytes.dropLast(32), sandbox))
    try bytes.write(to: URL(filePath: file.path))

    let result = try await sandbox.inspect("verify")

    #expect(result.output.contains("was changed by somebody who does not have its key"), "\(result.output)")
    #expect(result.ending == .exited(1))
  }

  private func sha256(_ bytes: Data, _ sandbox: Sandbox) async throws -> Data {
    let file = sandbox.path("to hash")
    try bytes.write(to: URL(filePath: file))
    let digits = try await Subprocess.run(["sha256sum", file]).output.prefix(64)
    return Data(
      stride(from: 0, to: 64, by: 2).compactMap { start in
        UInt8(digits.dropFirst(start).prefix(2), radix: 16)
      })
  }

  @Test func `what devices with another password have written counts as locked`() async throws {
    let (here, there) = (
      try Sandbox(password: "the password here"), try Sandbox(password: "the password there")
    )
    for (sandbox, name) in [(here, "alice"), (there, "bob")] {
      let device = try await sandbox.device(name)
      _ = try await device.add("by \(name)")
      _ = try await device.sync()
    }
    _ = try await Subprocess.run(["cp", "-Rn", there.remote.path + "/.", here.remote.path])

    let result = try await here.inspect("verify")

    #expect(
      !result.output.contains("error:") && !result.output.contains("not at hand. Next"), "\(result.output)")
    #expect(result.output.contains("was not looked at"))
  }

  @Test func `changes tells who wrote what and when`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let output = try await sandbox.inspect("changes", "--json").output
    let changes = try ProgramJSON.objects(output)
    let title = try #require(changes.first { $0["key"] as? String == "title" })
    #expect(title["value"] as? String == "title to find")
    #expect(title["clientDescription"] as? String == "alice")
    #expect(title["kind"] as? String == "attributeChanged")
    #expect(title["sequence"] as? Int == 1)
    #expect((title["time"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    #expect(changes.contains { $0["kind"] as? String == "toManyAdded" })

    let locked = try await sandbox.inspect("changes", password: false)
    #expect(locked.ending == .exited(4))
    #expect(locked.output == "")
  }

  @Test func `verify ends with 0 for a sound remote and with 1 for a damaged one`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let sound = try await sandbox.inspect("verify")
    #expect(sound.ending == .exited(0), "\(sound.output)")
    #expect(try await sandbox.inspect("verify", password: false).ending == .exited(0))

    let set = try #require(Snapshot(sandbox.remote).entries.first { $0.path.hasSuffix(".set") })
    var bytes = try #require(set.bytes)
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: URL(filePath: set.path))

    let damaged = try await sandbox.inspect("verify", "--json")
    #expect(damaged.ending == .exited(1))
    let report = try ProgramJSON.object(damaged.output)
    #expect(report["clean"] as? Bool == false)
    let findings = try #require(report["findings"] as? [[String: Any]])
    #expect(findings.map { $0["kind"] as? String } == ["damagedFile"])
    #expect(findings.allSatisfy { ($0["next"] as? String)?.isEmpty == false })
    #expect(try await sandbox.inspect("verify").output.contains("Next: "))
  }

  @Test(arguments: ["tree", "changes", "verify"])
  func `a remote that is missing or a file is one sentence`(command: String) async throws {
    let sandbox = try Sandbox()
    for name in ["absent", "password"] {
      let program = Checkout.program("ticds-inspect").path
      let result = try await Subprocess.run([program, command, sandbox.path(name)])
      #expect(result.ending == .exited(3))
      #expect(result.output == "")
      #expect(result.errors.hasPrefix("ticds-inspect: "))
      #expect(result.errors.filter { $0 == "\n" }.count == 1)
    }
  }
}
