import Foundation
import ProcessTesting
import Testing

/// Commands that read leave the remote alone: every byte, date and name. Which commands there are, the program itself tells.
@Suite struct InspectReadingTests {
  /// What each command is given besides the remote; `SET` is a file of the remote, `FOLDER` lies outside of it.
  private static let reading: [String: [[String]]] = [
    "info": [[]], "documents": [[]], "devices": [[]], "tree": [[], ["--json"]], "stats": [[]],
    "show": [["SET"]],
    "changes": [[], ["--follow"]],
    "history": [["notes", "00000000-0000-0000-0000-000000000000"]],
    "at": [["2100-01-01"]], "export": [[]], "diff": [["--from", "2001-01-01"]],
    "decrypt": [["FOLDER/copy"]], "report": [["--html", "FOLDER/page.html"]],
    "verify": [[], ["--names-only"]], "watch": [[]],
    // Without --apply it only plans.
    "repair": [[]],
    "password": [["list"]], "vacuum": [["--dry-run"], ["--dry-run", "--json"]],
  ]
  /// Commands that are there to write.
  private static let writing: Set = ["probe"]

  private struct Line: CustomTestStringConvertible {
    let command: String
    let words: [String]

    var testDescription: String { ([command] + words).joined(separator: " ") }
    /// Whether it goes on until it is told to end.
    var isEndless: Bool { command == "watch" || words.contains("--follow") }
  }

  private static let lines = reading.sorted { $0.key < $1.key }.flatMap { command, all in
    all.map { Line(command: command, words: $0) }
  }

  @Test func `each command is known here as one that reads or one that writes`() async throws {
    let program = Checkout.program("ticds-inspect").path
    let overview = try await Subprocess.run([program, "--help"]).output
    let commands = overview.split(separator: "\n").compactMap { line in
      line.firstMatch(of: #/^  ([a-z][a-z-]*)  /#).map { String($0.1) }
    }
    #expect(Set(commands).subtracting(["help"]) == Set(Self.reading.keys).union(Self.writing))
  }

  @Test(arguments: lines)
  private func `reading changes nothing, not even what a crashed writer left behind`(_ line: Line)
    async throws
  {
    let sandbox = try await sample()
    let before = Snapshot(sandbox.remote)
    try await run(line, on: sandbox, behind: [])
    #expect(Snapshot(sandbox.remote) == before)
  }

  @Test(
    .enabled(if: MountNamespace.isPermitted, "this system does not let a test mount a file system"),
    arguments: lines)
  private func `reading works on a mount that nobody can write`(_ line: Line) async throws {
    let sandbox = try await sample()
    let mounting = #"mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; exec "$@""#
    let before = Snapshot(sandbox.remote)
    try await run(
      line, on: sandbox,
      behind: MountNamespace.words + ["bash", "-euo", "pipefail", "-c", mounting, sandbox.remote.path])
    #expect(Snapshot(sandbox.remote) == before)
  }

  /// A remote with a set, and a file that a writer has not finished, long ago.
  private func sample() async throws -> Sandbox {
    let sandbox = try await Sandbox.twoDevices()
    let left = sandbox.remote.appending(path: "ticds.notebook/.ticds-0123456789abcdef.part")
    try Data("left".utf8).write(to: left)
    let old = Date(timeIntervalSinceNow: -1_000_000)
    try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: left.path)
    return sandbox
  }

  /// Runs a command to its end, or until it waits for what comes.
  private func run(_ line: Line, on sandbox: Sandbox, behind wrapper: [String]) async throws {
    let sets = Snapshot(sandbox.remote).entries.map(\.path).filter { $0.hasSuffix(".set") }
    let set = try #require(sets.first)
    let place = line.words == ["SET"] ? set : sandbox.remote.path
    let others = line.words.filter { $0 != "SET" }.map {
      $0.hasPrefix("FOLDER/") ? sandbox.path(String($0.dropFirst(7))) : $0
    }
    let words =
      [Checkout.program("ticds-inspect").path, line.command, place] + others
      + ["--password-file", sandbox.passwordFile.path]
    guard line.isEndless else {
      let result = try await Subprocess.run(wrapper + words)
      // A difference, and nothing found, have codes of their own.
      let codes: [Int32] = ["diff": [1], "history": [5]][line.command] ?? [0]
      #expect(codes.map { .exited($0) }.contains(result.ending), "\(result)")
      return
    }
    let watching = try Subprocess(
      wrapper + ["bash", "-c", #"exec "$0" "$@" 2>&1"#] + words, isAnnouncing: true)
    #expect(await watching.announcement()?.hasPrefix("watching") == true)
    watching.send(SIGTERM)
    _ = try await watching.result()
  }
}
