import Foundation
import ProcessTesting
import TemporaryFolders
import Testing

/// The example application over real servers, each in a process of its own.
@Suite struct NotebookTests {
  private func run(_ words: String...) async throws -> Subprocess.Result {
    // Without the person's own files.
    try await Subprocess.run(
      [Checkout.program("notebook").path] + words,
      environment: ["HOME": "/nonexistent", "NETRC": "/nonexistent"])
  }

  private func succeed(_ words: String...) async throws -> String {
    let result = try await Subprocess.run(
      [Checkout.program("notebook").path] + words,
      environment: ["HOME": "/nonexistent", "NETRC": "/nonexistent"])
    try #require(result.ending == .exited(0), "\(words): \(result.errors)")
    return result.output
  }

  @Test(arguments: LocalServer.Kind.allCases)
  func `two devices exchange notes over a server, and a sync with nothing to do takes one request`(
    _ kind: LocalServer.Kind
  ) async throws {
    let server = try await LocalServers.shared.server(kind)
    let remote = "webdav://\(server.place)\(try await server.makeFolder())"
    let folder = try TemporaryFolder()
    let (one, two) = (folder.file("one"), folder.file("two"))
    for store in [one, two] {
      _ = try await succeed("init", "--store", store, "--remote", remote, "--no-encryption")
    }
    _ = try await succeed("add", "--store", one, "--title", "from one")
    _ = try await succeed("add", "--store", two, "--title", "from two")
    for store in [one, two, one, two] { _ = try await succeed("sync", "--store", store) }
    #expect(try await succeed("sync", "--store", one).contains("in 1 request\n"))
    let notes = [
      try await succeed("list", "--store", one), try await succeed("list", "--store", two),
    ]
    #expect(notes[0] == notes[1] && notes[0].contains("from one") && notes[0].contains("from two"))
  }

  @Test func `a password is in no output and in no file but its own`() async throws {
    let server = try await LocalServers.shared.server(.apache, "--auth", "basic")
    let folder = try TemporaryFolder()
    let credentials = folder.file("credentials")
    try Data("ticds:secret\n".utf8).write(to: URL(filePath: credentials))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: credentials)
    let store = folder.file("store")
    let words = [
      "init", "--store", store, "--remote", "webdav://\(server.place)", "--no-encryption",
      "--credentials-file",
      credentials,
    ]
    let program = Checkout.program("notebook").path
    let refused = try await Subprocess.run([program] + words)
    #expect(refused.ending == .exited(6) && !refused.errors.contains("secret"), "\(refused.errors)")

    let made = try await Subprocess.run([program] + words + ["--allow-plain-http"])
    try #require(made.ending == .exited(0), "\(made.errors)")
    let synced = try await run("sync", "--store", store)
    #expect(synced.ending == .exited(0), "\(synced.errors)")
    #expect(![made.output, made.errors, synced.output, synced.errors].joined().contains("secret"))
    let files = FileManager.default.enumerator(atPath: store)?.compactMap { $0 as? String } ?? []
    #expect(files.count > 2)
    for file in files {
      let data = FileManager.default.contents(atPath: store + "/" + file) ?? Data()
      #expect(data.range(of: Data("secret".utf8)) == nil, "\(file)")
    }
  }
}
