import Foundation
import ProcessTesting
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A notebook that is kept in step by itself.
@Suite(.timeLimit(.minutes(10))) struct WatchTests {
  private func wait(until isSo: () async throws -> Bool) async throws {
    while try await !isSo() { try await Task.sleep(for: .milliseconds(100)) }
  }

  @Test func `a watch sends what other commands save, gets what others send, and ends with Control-C`()
    async throws
  {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    let bob = try await sandbox.device("bob")
    let watch = try Subprocess(alice.words(["watch", "--json", "--rest", "0", "--interval", "1"]))
    // What alice saves arrives at bob, though she never says sync.
    let mine = try await alice.add("of alice")
    try await wait {
      _ = try await bob.run("sync")
      return try await bob.notes().map(\.syncID).contains(mine)
    }
    // What bob sends arrives at alice.
    let theirs = try await bob.add("of bob")
    _ = try await bob.sync()
    try await wait { try await alice.notes().map(\.syncID).contains(theirs) }

    watch.send(SIGINT)
    let result = try await watch.result()
    #expect(result.ending == .exited(130), "\(result.errors)")
    let lines = try result.output.split(separator: "\n").map { try ProgramJSON.object(String($0)) }
    #expect(lines.count >= 2)
    #expect(
      lines.allSatisfy { $0["time"] is String && ($0["sync"] is [String: Any] || $0["failure"] is String) })
    // Nothing is left half done, and the lock is free.
    _ = try await alice.sync()
    _ = try await bob.sync()
    #expect(try await alice.list() == bob.list())
    #expect(try await sandbox.inspect("verify").ending == .exited(0))
  }

  @Test func `a watch without its remote says so, and goes on until it is told to end`() async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)
    let away = sandbox.path("away")
    try FileManager.default.moveItem(atPath: sandbox.remote.path, toPath: away)
    let watch = try Subprocess(
      alice.words(["watch", "--json", "--rest", "0", "--interval", "1"]), isAnnouncing: true)
    let first = try ProgramJSON.object(try #require(await watch.announcement()))
    #expect((first["failure"] as? String)?.contains(sandbox.remote.path) == true)
    watch.send(SIGTERM)
    #expect(try await watch.result().ending == .exited(143))
  }

  @Test(arguments: [
    #""$BIN/ticds-inspect" watch remote --interval 1"#,
    #""$BIN/ticds-inspect" changes remote --follow --interval 1"#,
    #""$BIN/notebook" watch --store alice --rest 0 --interval 1"#,
  ])
  func `who would go on for ever ends once nobody reads any more`(command: String) async throws {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)
    let script = #"cd "$ROOT"; { \#(command); echo $? >code; } | head -n 1 >first"#
    let watch = try Subprocess(
      ["bash", "-c", script],
      environment: [
        "BIN": Checkout.program("notebook").deletingLastPathComponent().path, "ROOT": sandbox.folder.path,
      ])

    try await wait {
      _ = try await alice.add("another")
      // A watch may be at it just now.
      _ = try await alice.run("sync")
      return FileManager.default.fileExists(atPath: sandbox.path("code"))
    }

    #expect(try await watch.result().ending == .exited(0))
    #expect(try String(contentsOfFile: sandbox.path("code"), encoding: .utf8) == "0\n")
  }
}
