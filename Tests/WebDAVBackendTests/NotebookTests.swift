import Foundation
import ProcessTesting
import TemporaryFolders
import Testing

/// The example application over real servers, each in a process of its own.
@Suite struct NotebookTests {
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
}
