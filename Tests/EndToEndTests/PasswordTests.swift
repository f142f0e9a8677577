import Foundation
import ProcessTesting
import Testing

/// Passwords as a person changes them: through the programs.
@Suite struct PasswordTests {
  private func file(_ password: String, _ sandbox: Sandbox) throws -> String {
    let url = sandbox.folder.appending(path: "password \(UUID().uuidString)")
    try Data(password.utf8).write(to: url)
    return url.path
  }

  private func join(_ name: String, _ password: String, _ sandbox: Sandbox) async throws -> Subprocess.Ending
  {
    let device = Device(name: name, sandbox: sandbox)
    return try await device.run(
      "init", "--remote", sandbox.remote.path, "--password-file", file(password, sandbox)
    ).ending
  }

  @Test func `a device is gone with its key: its heads are told of until its author is removed`() async throws
  {
    let sandbox = try Sandbox()
    let (alice, bob) = (try await sandbox.device("alice"), try await sandbox.device("bob"))
    try await alice.succeed(
      "password", "rotate", "--new-password-file", try file("lost horse battery", sandbox))
    _ = try await alice.add("nobody reads this")
    _ = try await alice.sync()
    let encryption = sandbox.remote.appending(path: "ticds.notebook/Encryption")
    for name in try FileManager.default.contentsOfDirectory(atPath: encryption.path)
    where name.hasSuffix(".keys") || name.hasSuffix(".wrapped") {
      try FileManager.default.removeItem(at: encryption.appending(path: name))
    }
    _ = try await bob.run("sync")
    try await bob.succeed(
      "password", "rotate", "--new-password-file", try file("third horse battery", sandbox))
    let told = try await bob.run("sync").output
    let author = try #require(
      told.firstMatch(of: /such as “([0-9a-f]+)\.[^”]*” among the heads/)?.1, "\(told)")
    #expect(try await bob.run("status").output.contains("has only what it can read"))

    try await bob.succeed("remove-device", String(author))

    #expect(try await !bob.run("sync").output.contains("among the heads"))
    #expect(try await !bob.run("status").output.contains("among the heads"))
  }

  @Test func `a member that knows what holds lists it though storage has gone back`() async throws {
    let sandbox = try Sandbox()
    let (alice, bob) = (try await sandbox.device("alice"), try await sandbox.device("bob"))
    let before = sandbox.folder.appending(path: "before")
    try FileManager.default.copyItem(at: sandbox.remote, to: before)
    try await alice.succeed(
      "password", "change", "--password-file", sandbox.passwordFile.path, "--new-password-file",
      try file("another horse battery", sandbox))
    let known = try await bob.succeed("password", "list", "--json")
    try FileManager.default.removeItem(at: sandbox.remote)
    try FileManager.default.moveItem(at: before, to: sandbox.remote)

    let listed = try await bob.succeed("password", "list", "--json")

    #expect(listed == known && listed.contains("slot"), "\(listed)")
  }

  @Test(arguments: [
    ["list", "--password-file"], ["add", "--password-file"], ["recovery", "--new-password-file"],
    ["remove", "--new-password-file"], ["rotate", "--slot"],
  ])
  func `what an action has no use for is refused`(words: [String]) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")

    let result = try await alice.run(["password"] + words + [sandbox.passwordFile.path])

    #expect(result.ending == .exited(2) && result.errors.contains(words[1]), "\(result)")
  }

  @Test func `a password is changed, another is added and removed, and a recovery code opens`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("a note")
    _ = try await alice.sync()
    let (second, third) = (try file("the second one", sandbox), try file("the third one", sandbox))
    try await alice.succeed(
      "password", "change", "--password-file", sandbox.passwordFile.path, "--new-password-file", second)
    try await alice.succeed("password", "add", "--new-password-file", third)
    let code = try await alice.succeed("password", "recovery").trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(try await alice.succeed("password", "list").split(separator: "\n").count == 3)
    try await alice.succeed("password", "remove", "--password-file", third)

    #expect(try await join("bob", "the third one", sandbox) == .exited(4))
    #expect(try await join("carol", "the second one", sandbox) == .exited(0))
    #expect(try await join("dave", code, sandbox) == .exited(0))
    try await alice.succeed("password", "remove", "--password-file", file(code, sandbox))
    #expect(try await alice.run("password", "remove", "--password-file", second).ending == .exited(4))
    #expect(try await alice.run("password", "forget").ending == .exited(2))
    #expect(try await sandbox.inspect("tree", password: false).output.contains("opens nothing any more"))
  }

  @Test func `adding a password that opens the remote already says that nothing was added`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let again = try await alice.run("password", "add", "--new-password-file", sandbox.passwordFile.path)
    #expect(again.ending == .exited(0) && again.errors.contains("opens the remote already"))
    let new = try await alice.run("password", "add", "--new-password-file", file("a new one", sandbox))
    #expect(new.ending == .exited(0) && new.errors == "")
  }

  @Test func `after the keys were replaced the other device is given the password, and both go on`()
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    let new = try file("another password", sandbox)
    #expect(
      try await alice.succeed("password", "rotate", "--new-password-file", new).contains("--password-file"))
    _ = try await alice.add("after")
    _ = try await alice.sync()
    try await bob.succeed("sync", "--password-file", new)
    _ = try await bob.add("of bob")
    _ = try await bob.sync()
    _ = try await alice.sync()
    #expect(try await alice.list() == bob.list())
    #expect(try await alice.notes().count == 2)
    let verified = try await sandbox.inspect("verify", "--password-file", new, password: false)
    #expect(verified.ending == .exited(0), "\(verified.output)")
    // Nobody was first at once with anybody.
    #expect(verified.output.contains(" 0 hints"), "\(verified.output)")
  }
}
