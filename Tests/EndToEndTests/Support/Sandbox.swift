import Foundation
import ProcessTesting

/// A folder of its own with a remote in it; removed when the last reference goes.
final class Sandbox: Sendable {
  let folder: URL
  let remote: URL
  let passwordFile: URL
  private let cheapKeyFile: CheapKeyFile?

  /// - Parameter isPasswordCheap: whether the first device to join with the password finds a key file that opens at hardly any cost, instead
  ///   of making one.
  init(password: String = "correct horse", isPasswordCheap: Bool = true) throws {
    cheapKeyFile = isPasswordCheap ? CheapKeyFile(password: password) : nil
    folder = FileManager.default.temporaryDirectory.appending(path: "end-to-end-\(UUID().uuidString)")
    remote = folder.appending(path: "remote")
    passwordFile = folder.appending(path: "password")
    try FileManager.default.createDirectory(at: remote, withIntermediateDirectories: true)
    try Data("\(password)\n".utf8).write(to: passwordFile)
  }

  deinit {
    // Tests take permissions away; without them the folder could not be removed.
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    for case let file as URL in files ?? .init() {
      try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
    }
    try? FileManager.default.removeItem(at: folder)
  }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// A device that has joined the remote.
  func device(_ name: String, encrypted: Bool = true) async throws -> Device {
    if encrypted { try cheapKeyFile?.found(remote) }
    let device = Device(name: name, sandbox: self)
    let protection = encrypted ? ["--password-file", passwordFile.path] : ["--no-encryption"]
    try await device.succeed(["init", "--remote", remote.path, "--client", name] + protection)
    return device
  }

  /// A remote with one set of “alice”, seen by “bob”.
  static func twoDevices() async throws -> Sandbox {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    _ = try await alice.add("title to find", tags: ["a tag"])
    _ = try await alice.sync()
    _ = try await bob.sync()
    return sandbox
  }

  /// A remote with one set each of “alice”, seen by “bob”, and of “bob”.
  ///
  /// - Parameter content: that of the note of “alice”.
  static func bothWriting(content: String? = nil) async throws -> Sandbox {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    _ = try await alice.add("title of alice", content: content, tags: ["a tag"])
    _ = try await alice.sync()
    _ = try await bob.sync()
    _ = try await bob.add("title of bob")
    _ = try await bob.sync()
    return sandbox
  }

  /// Runs `ticds-inspect` on the remote.
  func inspect(_ words: String..., password: Bool = true) async throws -> Subprocess.Result {
    try await inspect(words, password: password)
  }

  /// Runs `ticds-inspect` on the remote.
  func inspect(_ words: [String], password: Bool = true) async throws -> Subprocess.Result {
    let protection = password ? ["--password-file", passwordFile.path] : []
    let program = Checkout.program("ticds-inspect").path
    return try await Subprocess.run([program, words[0], remote.path] + words.dropFirst() + protection)
  }
}

/// One device: a store folder, and the program that works on it as a process of its own.
struct Device: Sendable {
  let name: String
  let sandbox: Sandbox

  var store: URL { sandbox.folder.appending(path: name) }
  static var program: String { Checkout.program("notebook").path }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  func words(_ words: [String]) -> [String] {
    [Self.program, words[0], "--store", store.path] + words.dropFirst()
  }

  @discardableResult
  func run(_ words: String..., input: String = "") async throws -> Subprocess.Result {
    try await Subprocess.run(self.words(words), input: input)
  }

  @discardableResult
  func run(_ words: [String]) async throws -> Subprocess.Result {
    try await Subprocess.run(self.words(words))
  }

  /// Runs a command that must succeed, and returns its output.
  @discardableResult
  func succeed(_ words: [String]) async throws -> String {
    let result = try await Subprocess.run(self.words(words))
    guard result.ending == .exited(0) else {
      throw Failure(description: "\(name) \(words): \(result.ending) \(result.errors)")
    }
    return result.output
  }

  @discardableResult
  func succeed(_ words: String...) async throws -> String { try await succeed(words) }

  /// Adds a note and returns its sync ID.
  func add(_ title: String, content: String? = nil, tags: [String] = []) async throws -> String {
    let output = try await succeed(
      ["add", "--title", title] + (content.map { ["--content", $0] } ?? []) + tags.flatMap { ["--tag", $0] })
    return output.trimmingCharacters(in: .newlines)
  }

  func sync(_ words: String...) async throws -> SyncOutput {
    try SyncOutput(try await succeed(["sync", "--json"] + words))
  }

  func list() async throws -> String { try await succeed("list", "--json") }

  func notes() async throws -> [NoteOutput] {
    try JSONDecoder().decode([NoteOutput].self, from: Data(try await list().utf8))
  }

  func status() async throws -> StatusOutput {
    try JSONDecoder().decode(StatusOutput.self, from: Data(try await succeed("status", "--json").utf8))
  }
}
