import Foundation
import ProcessTesting
import Testing

/// Passwords changed by who knows one of them and has no device at hand.
@Suite struct InspectPasswordTests {
  private func file(_ password: String, _ sandbox: Sandbox) throws -> String {
    let url = sandbox.folder.appending(path: "password \(UUID().uuidString)")
    try Data((password + "\n").utf8).write(to: url)
    return url.path
  }

  private func join(_ name: String, _ password: String, _ sandbox: Sandbox) async throws -> Subprocess.Ending
  {
    try await Device(name: name, sandbox: sandbox).run(
      "init", "--remote", sandbox.remote.path, "--password-file", file(password, sandbox)
    ).ending
  }

  private func succeed(_ words: [String], _ sandbox: Sandbox, password: String) async throws -> String {
    let words = [Checkout.program("ticds-inspect").path, "password", sandbox.remote.path] + words
    let result = try await Subprocess.run(words + ["--password-file", password])
    #expect(result.ending == .exited(0), "\(words): \(result.errors)")
    return result.output
  }

  @Test func `a password is changed, others are added and removed, and no device appears`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let devices = sandbox.remote.appending(path: "ticds.notebook/ClientDevices")
    let before = try FileManager.default.contentsOfDirectory(atPath: devices.path).sorted()
    let (first, second) = (sandbox.passwordFile.path, try file("the second one", sandbox))
    let third = try file("the third one", sandbox)
    _ = try await succeed(["change", "--new-password-file", second], sandbox, password: first)
    #expect(try await sandbox.inspect("password", "list").ending == .exited(4))
    _ = try await succeed(["add", "--new-password-file", third], sandbox, password: second)
    let slots = try ProgramJSON.objects(try await succeed(["list", "--json"], sandbox, password: third))
    #expect(slots.count == 2 && slots.allSatisfy { $0["kind"] as? String == "password" })
    #expect(try await join("carol", "the third one", sandbox) == .exited(0))
    _ = try await succeed(["remove", "--old-password-file", third], sandbox, password: second)
    #expect(try await join("dave", "the third one", sandbox) == .exited(4))

    let last = [Checkout.program("ticds-inspect").path, "password", sandbox.remote.path, "remove"]
    #expect(try await Subprocess.run(last + ["--password-file", second]).ending == .exited(4))
    #expect(try await join("erin", "the second one", sandbox) == .exited(0))
    let after = try FileManager.default.contentsOfDirectory(atPath: devices.path).sorted()
    #expect(after.count == before.count + 2)
  }

  @Test func `after the keys were replaced devices are given the password, and go on`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let (alice, bob) = (
      Device(name: "alice", sandbox: sandbox), Device(name: "bob", sandbox: sandbox)
    )
    let new = try file("another password", sandbox)
    let words = try await succeed(
      ["rotate", "--new-password-file", new], sandbox, password: sandbox.passwordFile.path)
    #expect(words.contains("new password"))
    for device in [alice, bob] { try await device.succeed("sync", "--password-file", new) }
    _ = try await alice.add("after")
    _ = try await alice.sync()
    _ = try await bob.sync()
    #expect(try await alice.list() == bob.list())
    let verified = try await sandbox.inspect("verify", "--password-file", new, password: false)
    #expect(verified.ending == .exited(0), "\(verified.output)")
  }

  @Test func `of keys that were replaced it is said what is missing, and nothing good is put aside`()
    async throws
  {
    let sandbox = try await Sandbox.twoDevices()
    let before = sandbox.path("before")
    try FileManager.default.copyItem(atPath: sandbox.remote.path, toPath: before)
    let new = try file("another password", sandbox)
    _ = try await succeed(
      ["rotate", "--new-password-file", new], sandbox, password: sandbox.passwordFile.path)
    func inspect(_ words: String...) async throws -> Subprocess.Result {
      try await sandbox.inspect(words + ["--password-file", new], password: false)
    }
    // A copy of before has the former password, and the remote the former key.
    let set = try #require(
      Snapshot(sandbox.remote).entries.map(\.path).first { $0.hasSuffix(".set") })
    let bytes = try Data(contentsOf: URL(filePath: set))
    try FileManager.default.removeItem(atPath: set)
    let restored = try await inspect(
      "repair", "--from", before, "--apply", "--quarantine", sandbox.path("kept"))
    #expect(restored.ending == .exited(0), "\(restored)")
    #expect(restored.output.contains("it was opened with the keys of the remote"))
    #expect(try Data(contentsOf: URL(filePath: set)) == bytes)

    let rotated = sandbox.path("rotated")
    try FileManager.default.copyItem(atPath: sandbox.remote.path, toPath: rotated)
    let keys = sandbox.remote.appending(path: "ticds.notebook/Encryption")
    let names = try FileManager.default.contentsOfDirectory(atPath: keys.path)
    let wrapped = try #require(names.first { $0.hasSuffix(".wrapped") })
    try FileManager.default.removeItem(at: keys.appending(path: wrapped))
    let found = try ProgramJSON.object(try await inspect("verify", "--json").output)
    let findings = try #require(found["findings"] as? [[String: Any]])
    #expect(findings.compactMap { $0["code"] as? String } == ["wrappedKeyMissing"])
    let advice = try #require(findings.first?["next"] as? String)
    let command = "ticds-inspect repair '\(sandbox.remote.path)' --password-file '\(new)' --from COPY"
    #expect(advice.contains(command), "\(advice)")
    #expect(try await inspect("repair").output.contains("There is nothing to repair."))
    let healed = try await inspect(
      "repair", "--from", rotated, "--apply", "--quarantine", sandbox.path("kept again"))
    #expect(healed.ending == .exited(0), "\(healed)")
    #expect(!healed.output.contains("left: "), "\(healed.output)")

    // Whoever has no password is told of the key that is in use, and not of the one that was replaced.
    let file = try #require(names.first { $0.hasSuffix(".keys") })
    try FileManager.default.removeItem(at: keys.appending(path: file))
    let locked = try ProgramJSON.object(
      try await sandbox.inspect("verify", "--json", password: false).output)
    let missing = try #require(locked["findings"] as? [[String: Any]])
    #expect(missing.map { $0["code"] as? String } == ["keyFileMissing"], "\(missing)")
    #expect((missing.first?["message"] as? String)?.contains(file.prefix(16)) == true)
  }

  @Test func `passwords come from descriptors, each from one of its own`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let new = try file("the second one", sandbox)
    func run(_ numbers: (Int, Int)) async throws -> Subprocess.Result {
      try await Subprocess.run([
        "bash", "-c",
        "exec \"$0\" password \"$1\" change --password-fd \(numbers.0) --new-password-fd \(numbers.1) 3<\"$2\" 4< <(cat \"$3\")",
        Checkout.program("ticds-inspect").path, sandbox.remote.path, sandbox.passwordFile.path, new,
      ])
    }
    #expect(try await run((3, 3)).ending == .exited(2))
    #expect(try await run((3, 9)).ending == .exited(6))
    let changed = try await run((3, 4))
    #expect(changed.ending == .exited(0), "\(changed.errors)")
    #expect(try await join("carol", "the second one", sandbox) == .exited(0))
  }

  @Test func `who sits at a terminal is asked, and no password shows there`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let script = """
      import os, pty, sys
      answers = [b"correct horse", b"the second one", b"the second one"]
      child, terminal = pty.fork()
      if child == 0: os.execvp(sys.argv[1], sys.argv[1:])
      shown = b""
      asked = 0
      while True:
          try: piece = os.read(terminal, 4096)
          except OSError: break
          if not piece: break
          shown += piece
          if asked < len(answers) and shown.count(b": ") > asked:
              os.write(terminal, answers[asked] + b"\\n")
              asked += 1
      os.write(1, shown)
      sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
      """
    let result = try await Subprocess.run([
      "python3", "-c", script, Checkout.program("ticds-inspect").path, "password", sandbox.remote.path,
      "change",
    ])
    #expect(result.ending == .exited(0), "\(result)")
    #expect(result.output.contains("A password of the remote:") && result.output.contains("Once more:"))
    #expect(!result.output.contains("horse") && !result.output.contains("second one"), "\(result.output)")
    #expect(try await join("carol", "the second one", sandbox) == .exited(0))

    let piped = try await Subprocess.run([
      Checkout.program("ticds-inspect").path, "password", sandbox.remote.path, "list",
    ])
    #expect(piped.ending == .exited(2) && piped.errors.contains("--password-file is missing"))
  }

  @Test func `a remote that is not encrypted has no passwords`() async throws {
    let sandbox = try Sandbox()
    _ = try await sandbox.device("alice", encrypted: false)
    let result = try await sandbox.inspect("password", "list")
    #expect(result.ending == .exited(2) && result.errors.contains("not encrypted"), "\(result)")
  }
}
