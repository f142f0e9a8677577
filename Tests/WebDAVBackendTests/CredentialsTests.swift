import Foundation
import ProcessTesting
import TemporaryFolders
import Testing

/// The tools over a server that asks for credentials: nothing shows them, wherever one looks.
@Suite struct CredentialsTests {
  /// A way to give credentials.
  enum Way: String, CaseIterable, Sendable { case password, token, netrc }

  @Test(arguments: Way.allCases)
  func `credentials are in no output, file, head, property or list of processes, whatever goes well or wrong`(
    _ way: Way
  ) async throws {
    let desk = try Desk(way)
    let server = try await FaultyServer(credentials: desk.accepted)
    let remote = server.address.replacing("http://", with: "webdav://")
    let store = desk.folder.file("store")
    let reach = desk.words + ["--allow-plain-http"]

    // Without leave to go through the clear, before anything is sent.
    try await desk.run("notebook", ["init", "--store", store, "--remote", remote] + desk.words, 6)
    try await desk.run(
      "notebook", ["init", "--store", store, "--remote", remote, "--no-encryption"] + reach, 0)
    try await desk.run("notebook", ["add", "--store", store, "--title", "a note"], 0)
    try await desk.run("notebook", ["sync", "--store", store], 0)
    try await desk.run("notebook", ["sync", "--store", store, "--json"], 0)
    try await desk.run("notebook", ["status", "--store", store, "--json"], 0)
    for verb in ["probe", "tree", "verify", "changes"] {
      try await desk.run("ticds-inspect", [verb, remote] + reach, 0)
      try await desk.run("ticds-inspect", [verb, remote, "--json"] + reach, 0)
    }
    try await lookWhileSyncing(desk, server, store)
    for fault in ["401", "503", "423", "portal", "reset", "cut", "entities", "endless-head", "twice"] {
      try await server.plan("* \(fault) 99")
      try await desk.run("notebook", ["sync", "--store", store])
      try await desk.run("ticds-inspect", ["probe", remote] + reach)
    }
    try await server.plan("")
    try await desk.run("ticds-inspect", ["tree", "webdav://127.0.0.1:1/"] + reach, 3)
    try await refusals(desk, remote, store)

    #expect(try await server.leakCount() == 0)
    try desk.look(in: server.folder)
    try desk.look(in: desk.folder.path)
    try desk.lookAtModes(in: store)
  }

  /// Looks at all processes while a request is under way.
  private func lookWhileSyncing(_ desk: Desk, _ server: FaultyServer, _ store: String) async throws {
    try await server.plan("* hold")
    let program = try desk.start("notebook", ["sync", "--store", store])
    try await server.waitUntilHeld()
    try desk.lookAtProcesses(one: store)
    try await server.plan("")
    try desk.check(try await program.result(), 0)
  }

  /// Credentials that are wrong, or cannot be read.
  private func refusals(_ desk: Desk, _ remote: String, _ store: String) async throws {
    let wrong = try desk.write("me:\(desk.secret)x\n", "wrong")
    try await desk.run(
      "ticds-inspect", ["tree", remote, "--allow-plain-http", "--credentials-file", wrong], 6)
    for (text, mode) in [
      ("\(desk.secret)\n", 0o600), ("bearer a \(desk.secret)", 0o600), ("me:\(desk.secret)", 0o644),
    ] {
      let bad = try desk.write(text, "bad", mode: mode)
      try await desk.run(
        "ticds-inspect", ["tree", remote, "--allow-plain-http", "--credentials-file", bad])
      try await desk.run(
        "notebook",
        ["init", "--store", store + "2", "--remote", remote, "--allow-plain-http", "--credentials-file", bad])
    }
  }
}

/// A folder with credentials, and the tools that are run with them.
private struct Desk: Sendable {
  struct Leak: Error { let place: String }

  let folder: TemporaryFolder
  /// Nothing else anywhere holds it.
  let secret = "geheim-\(UUID().uuidString)"
  /// What the server takes.
  let accepted: String
  let words: [String]
  private let environment: [String: String]

  init(_ way: CredentialsTests.Way) throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("temporary"), withIntermediateDirectories: true)
    accepted = folder.file("credentials")
    let line = way == .token ? "bearer \(secret)" : "me:\(secret)"
    try Self.write(line + "\n", accepted)
    var environment = [
      "HOME": "/nonexistent", "NETRC": "/nonexistent", "TMPDIR": folder.file("temporary"), "no_proxy": "*",
    ]
    if way == .netrc {
      try Self.write("machine 127.0.0.1 login me password \(secret)\n", folder.file("netrc"))
      environment["NETRC"] = folder.file("netrc")
    }
    words = way == .netrc ? [] : ["--credentials-file", accepted]
    self.environment = environment
  }

  private static func write(_ text: String, _ file: String, mode: Int = 0o600) throws {
    try Data(text.utf8).write(to: URL(filePath: file))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
  }

  func write(_ text: String, _ name: String, mode: Int = 0o600) throws -> String {
    try Self.write(text, folder.file(name), mode: mode)
    return folder.file(name)
  }

  func start(_ tool: String, _ arguments: [String]) throws -> Subprocess {
    try Subprocess([Checkout.program(tool).path] + arguments, environment: environment)
  }

  /// Runs a tool; any failure is one when no code is told.
  func run(_ tool: String, _ arguments: [String], _ code: Int32? = nil) async throws {
    try check(try await start(tool, arguments).result(), code)
  }

  func check(_ result: Subprocess.Result, _ code: Int32? = nil) throws {
    if let code { try #require(result.ending == .exited(code), "\(result.errors)") }
    guard case .exited = result.ending else { throw Leak(place: "\(result.ending)") }
    for text in [result.output, result.errors] where isLeak(Data(text.utf8)) { Issue.record("\(text)") }
  }

  /// The secret as it is, and as Basic writes it; the last bytes of that depend on what follows.
  private func isLeak(_ data: Data) -> Bool {
    let encoded = Data(Data("me:\(secret)".utf8).base64EncodedString().utf8.prefix(40))
    return [Data(secret.utf8), encoded].contains { data.range(of: $0) != nil }
  }

  /// Searches all files below a folder, but for those that credentials were written into.
  func look(in place: String) throws {
    let own: Set = ["credentials", "netrc", "wrong", "bad"]
    let enumerator = FileManager.default.enumerator(atPath: place)
    let files = (enumerator?.compactMap { $0 as? String } ?? []).filter { !own.contains($0) }
    #expect(files.count > 3)
    for file in files {
      #expect(
        !isLeak(Data(file.utf8))
          && !isLeak(FileManager.default.contents(atPath: "\(place)/\(file)") ?? Data()), "\(file)")
    }
  }

  /// What is remembered of the remote is for its owner alone.
  func lookAtModes(in store: String) throws {
    let attributes = try FileManager.default.attributesOfItem(atPath: store + "/remote.json")
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  /// Searches what every user may read of processes, and what their owner may. One of them has a word on its command line.
  func lookAtProcesses(one word: String) throws {
    let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
    var isSeen = false
    for process in processes {
      for file in ["cmdline", "environ", "comm"] {
        let data = FileManager.default.contents(atPath: "/proc/\(process)/\(file)") ?? Data()
        #expect(!isLeak(data), "\(file) of a process shows credentials")
        isSeen = isSeen || data.range(of: Data(word.utf8)) != nil
      }
    }
    #expect(isSeen)
  }
}
