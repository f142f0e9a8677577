import Foundation
import ProcessTesting
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Devices that create one remote at the same time, or while its files are on their way.
@Suite struct FoundingTests {
  /// Adds what one folder has and another has not, as a replicator does when two copies meet.
  private func merge(_ source: URL, into destination: URL) throws {
    let prefix = source.resolvingSymlinksInPath().path
    let files = FileManager.default.enumerator(at: source, includingPropertiesForKeys: [.isDirectoryKey])
    for case let file as URL in files ?? .init() {
      let name = file.resolvingSymlinksInPath().path.dropFirst(prefix.count + 1)
      let target = destination.appending(path: String(name))
      if FileManager.default.fileExists(atPath: target.path) { continue }
      if try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      } else {
        try FileManager.default.copyItem(at: file, to: target)
      }
    }
  }

  private func keyFile(_ remote: URL) throws -> URL {
    let folder = remote.appending(path: "ticds.notebook/Encryption")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return try #require(files.first { $0.pathExtension == "keys" })
  }

  @Test(arguments: [true, false])
  func `two devices that create a remote at once share their notes`(encrypted: Bool) async throws {
    let sandbox = try Sandbox(isPasswordCheap: false)
    async let first = sandbox.device("alice", encrypted: encrypted)
    async let second = sandbox.device("bob", encrypted: encrypted)
    let (alice, bob) = (try await first, try await second)
    _ = try await alice.add("by alice")
    _ = try await bob.add("by bob")
    for _ in 0..<3 { for device in [alice, bob] { _ = try await device.sync() } }
    #expect(Set(try await alice.notes().map(\.title)) == ["by alice", "by bob"])
    #expect(try await alice.list() == bob.list())
    #expect(try await sandbox.inspect("verify", password: encrypted).ending == .exited(0))
  }

  @Test func `remotes that were created with two passwords become one when somebody gives both`() async throws
  {
    let (here, there) = (
      try Sandbox(password: "the password here", isPasswordCheap: false),
      try Sandbox(password: "the password there", isPasswordCheap: false)
    )
    let alice = try await here.device("alice")
    _ = try await alice.add("by alice")
    _ = try await alice.sync()
    let elsewhere = try await there.device("bob")
    _ = try await elsewhere.add("by bob")
    _ = try await elsewhere.sync()
    try merge(there.remote, into: here.remote)
    try merge(here.remote, into: there.remote)

    let told = try await alice.succeed("sync")
    #expect(told.contains("with a key of their own"), "\(told)")
    _ = try await alice.sync("--password-file", there.passwordFile.path)
    try merge(here.remote, into: there.remote)
    for _ in 0..<3 {
      _ = try await elsewhere.sync()
      try merge(there.remote, into: here.remote)
      _ = try await alice.sync()
      try merge(here.remote, into: there.remote)
    }
    #expect(Set(try await alice.notes().map(\.title)) == ["by alice", "by bob"])
    #expect(try await alice.list() == elsewhere.list())
    // Newcomers use either password.
    let carol = try await here.device("carol")
    _ = try await carol.sync()
    #expect(try await carol.list() == alice.list())
  }

  @Test func `who lacks a key is told by exit code and status until the other password is given`()
    async throws
  {
    let (here, there) = (
      try Sandbox(password: "the password here", isPasswordCheap: false),
      try Sandbox(password: "the password there", isPasswordCheap: false)
    )
    let alice = try await here.device("alice")
    let bob = try await there.device("bob")
    _ = try await bob.add("by bob")
    _ = try await bob.sync()
    try merge(there.remote, into: here.remote)

    var endings: [Subprocess.Ending] = []
    for _ in 0..<4 { endings.append(try await alice.run("sync").ending) }

    #expect(endings == [.exited(0), .exited(0), .exited(13), .exited(13)])
    #expect(try await alice.succeed("status").contains("devices with a key of their own"))
    let told = try await alice.run("sync").output
    #expect(!told.contains("are ignored"), "\(told)")
    _ = try await alice.sync("--password-file", there.passwordFile.path)
    #expect(try await !alice.succeed("status").contains("devices with a key of their own"))
  }

  @Test func `a notebook in the clear that meets an encrypted one is told what can be done`()
    async throws
  {
    let (here, there) = (try Sandbox(isPasswordCheap: false), try Sandbox(isPasswordCheap: false))
    let alice = try await here.device("alice", encrypted: false)
    _ = try await alice.sync()
    _ = try await there.device("bob").sync()
    try merge(there.remote, into: here.remote)

    for _ in 1...3 { _ = try await alice.run("sync") }
    let status = try await alice.run("status")

    #expect(status.output.contains("“notebook export” and “notebook import”"), "\(status.output)")
    #expect(!status.output.contains("--password-file") && !status.output.contains("has everything"))
  }

  @Test func `init says whether it created or joined, and with whom`() async throws {
    let sandbox = try Sandbox(isPasswordCheap: false)
    let alice = Device(name: "alice", sandbox: sandbox)
    let bob = Device(name: "bob", sandbox: sandbox)
    let words = ["init", "--remote", sandbox.remote.path, "--password-file", sandbox.passwordFile.path]
    #expect(try await alice.succeed(words + ["--client", "alice"]).hasPrefix("created: nobody else"))
    _ = try await alice.add("a")
    _ = try await alice.sync()
    #expect(try await bob.succeed(words).hasPrefix("joined: 1 other device takes part: “alice”"))
  }

  @Test(arguments: ["ticds.notebook", "ticds.notebook/Documents/notes"])
  func `a remote is not founded in a folder of a remote`(_ folder: String) async throws {
    let sandbox = try Sandbox(isPasswordCheap: false)
    _ = try await sandbox.device("alice")
    let bob = Device(name: "bob", sandbox: sandbox)
    let inner = sandbox.remote.appending(path: folder).path
    let before = try FileManager.default.subpathsOfDirectory(atPath: sandbox.remote.path).sorted()

    let result = try await bob.run("init", "--remote", inner, "--no-encryption")

    #expect(result.ending == .exited(2))
    #expect(result.errors.contains("above this one"), "\(result.errors)")
    #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.remote.path).sorted() == before)
  }

  @Test func `a password that lies in the remote is refused, and nothing is made`() async throws {
    let sandbox = try Sandbox(isPasswordCheap: false)
    let file = sandbox.remote.appending(path: "password").path
    try Data("a password for this test\n".utf8).write(to: URL(filePath: file))

    let result = try await Subprocess.run([
      Checkout.program("notebook").path, "init", "--store", sandbox.path("alice"), "--remote",
      sandbox.remote.path, "--password-file", file,
    ])

    #expect(result.ending == .exited(2) && result.errors.contains("lies in the remote"), "\(result)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.remote.path) == ["password"])
  }

  @Test func `a folder that holds a notebook is no remote`() async throws {
    let sandbox = try Sandbox(isPasswordCheap: false)
    let alice = try await sandbox.device("alice")
    let bob = Device(name: "bob", sandbox: sandbox)
    let result = try await bob.run("init", "--remote", alice.store.path, "--no-encryption")
    #expect(result.ending == .exited(2))
  }

  @Test(arguments: ["WholeStore", "DeletedClients"])
  func `a link in place of a folder that joining can do without keeps nobody out`(_ folder: String)
    async throws
  {
    let sandbox = try Sandbox(isPasswordCheap: false)
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("a")
    _ = try await alice.sync()
    let path = sandbox.remote.appending(path: "ticds.notebook/Documents/notes/\(folder)").path
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
    let bob = try await sandbox.device("bob")
    _ = try await bob.sync()
    #expect(try await bob.list() == alice.list())
  }

  private enum Downgrade: CaseIterable {
    case removed, link, pipe, folderRemoved
  }

  @Test(arguments: Downgrade.allCases)
  private func `without key files nobody joins in the clear`(_ downgrade: Downgrade) async throws {
    let sandbox = try Sandbox(isPasswordCheap: false)
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("secret")
    _ = try await alice.sync()
    let file = try keyFile(sandbox.remote)
    let copy = sandbox.path("copy")
    try FileManager.default.copyItem(atPath: file.path, toPath: copy)
    try FileManager.default.removeItem(at: file)
    switch downgrade {
    case .removed: break
    case .link: try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: copy)
    case .pipe: try #require(mkfifo(file.path, 0o600) == 0)
    case .folderRemoved:
      for folder in ["Encryption", "Founding"] {
        try FileManager.default.removeItem(at: sandbox.remote.appending(path: "ticds.notebook/\(folder)"))
      }
    }
    let before = Snapshot(sandbox.remote)
    let bob = Device(name: "bob", sandbox: sandbox)
    for words in [["--no-encryption"], ["--password-file", sandbox.passwordFile.path]] {
      let result = try await bob.run(["init", "--remote", sandbox.remote.path] + words)
      #expect(result.ending == .exited(5), "\(result.errors)")
      #expect(!result.errors.contains("not encrypted"), "\(result.errors)")
      #expect(Snapshot(sandbox.remote) == before)
    }
  }

  @Test func `a new remote needs a password that cannot be guessed at once`() async throws {
    let sandbox = try Sandbox(password: "x", isPasswordCheap: false)
    let alice = Device(name: "alice", sandbox: sandbox)
    let result = try await alice.run(
      ["init", "--remote", sandbox.remote.path, "--password-file", sandbox.passwordFile.path])
    #expect(result.ending == .exited(4))
    #expect(result.errors.contains("fewer than 8 characters"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.remote.path).isEmpty)
  }
}
