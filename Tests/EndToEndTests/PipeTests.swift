import Foundation
import ProcessTesting
import Testing

/// Named pipes where files are named: nobody writes into them, so whoever reads them waits for ever.
@Suite struct PipeTests {
  private static let words = [
    ["show", "PIPE"], ["show", "REMOTE/pipe"], ["show", "REMOTE/ticds.notebook/pipe"],
    ["show", "REMOTE/ticds.notebook/Documents/notes/documentInfo.plist"],
    ["export", "REMOTE", "--model", "PIPE"],
    ["repair", "REMOTE", "--from", "store:PIPE"], ["repair", "REMOTE", "--model", "PIPE"],
    ["verify", "REMOTE"], ["show", "documentInfo.plist", "--in", "REMOTE"],
  ]

  /// A remote with pipes: one of nobody's, one in the place of a file, and one beside the remote.
  private func sample() async throws -> Sandbox {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)
    _ = try await alice.add("title")
    _ = try await alice.sync()
    let information = sandbox.remote.appending(path: "ticds.notebook/Documents/notes/documentInfo.plist")
    try FileManager.default.removeItem(at: information)
    let pipes = [
      sandbox.path("pipe"), sandbox.remote.path + "/pipe", sandbox.remote.path + "/ticds.notebook/pipe",
      information.path,
    ]
    for pipe in pipes { #expect(mkfifo(pipe, 0o600) == 0) }
    return sandbox
  }

  @Test func `a pipe is no file, and nobody waits for what it gives`() async throws {
    let sandbox = try await sample()
    for words in Self.words {
      let words = words.map {
        $0.replacing("PIPE", with: sandbox.path("pipe")).replacing("REMOTE", with: sandbox.remote.path)
      }
      let result = try await Subprocess.run(
        ["timeout", "30", Checkout.program("ticds-inspect").path] + words)
      #expect(result.ending != .exited(124), "\(words)")
      guard words[0] != "verify" else {
        #expect(result.ending == .exited(15) && result.output.contains("fileReplaced"), "\(result)")
        continue
      }
      #expect(result.ending == .exited(5) || result.ending == .exited(6), "\(words) \(result)")
      #expect(result.errors.contains("pipe") || result.errors.contains("no file"), "\(words) \(result)")
    }
  }

  @Test func `notes are not read from a pipe that nobody may ever write to`() async throws {
    let sandbox = try await sample()

    let result = try await Subprocess.run([
      "timeout", "30", Checkout.program("notebook").path, "import", "--store", sandbox.path("alice"),
      sandbox.path("pipe"),
    ])

    #expect(result.ending == .exited(2) && result.errors.contains("standard input"), "\(result)")
  }

  @Test(arguments: ["--password-file", "--password-fd"], [("TERM", 143), ("INT", 130)])
  func `a signal ends who waits for a password`(_ option: String, _ signal: (name: String, code: Int32))
    async throws
  {
    let sandbox = try await Sandbox.twoDevices()
    #expect(mkfifo(sandbox.path("pipe"), 0o600) == 0)
    let isDescriptor = option.hasSuffix("fd")
    let command =
      isDescriptor
      ? #""$BIN/notebook" password change --store alice --password-fd 3 --new-password-file password 3<>pipe"#
      : #""$BIN/ticds-inspect" verify remote --password-file pipe"#
    let script = """
      cd "$ROOT"
      \(command) </dev/null >out 2>err &
      program=$!
      sleep 2
      kill -\(signal.name) $program
      (sleep 30; kill -KILL $program) & guard=$!
      code=0; wait $program || code=$?
      kill $guard 2>/dev/null || true
      exit $code
      """
    // A shell without job control lets what it starts in the background ignore SIGINT.
    let result = try await Subprocess.run(
      ["bash", "-m", "-c", script],
      environment: [
        "BIN": Checkout.program("notebook").deletingLastPathComponent().path, "ROOT": sandbox.folder.path,
      ])
    #expect(result.ending == .exited(signal.code), "\(result)")
  }

  @Test func `a password comes through a pipe of the shell`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let script = #"""
      "$PROGRAM" verify "$REMOTE" --password-file <(sleep 1; cat "$PASSWORD")
      """#
    let result = try await Subprocess.run(
      ["bash", "-c", script],
      environment: [
        "PROGRAM": Checkout.program("ticds-inspect").path, "REMOTE": sandbox.remote.path,
        "PASSWORD": sandbox.passwordFile.path,
      ])
    #expect(result.ending == .exited(0), "\(result)")
  }
}
