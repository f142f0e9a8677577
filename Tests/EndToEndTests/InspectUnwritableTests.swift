import Foundation
import ProcessTesting
import Testing

/// What the inspector cannot write: standard error says so, and nothing is left that is half of something.
@Suite(.enabled(if: MountNamespace.isPermitted, "this system does not let a test mount a file system"))
struct InspectUnwritableTests {
  /// A remote without the text for people and with a lost set, and notes with long texts.
  private func sample() async throws -> Sandbox {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice", encrypted: false)
    let bob = try await sandbox.device("bob", encrypted: false)
    for number in 1...3 {
      _ = try await alice.add(
        "title \(number)", content: String(repeating: "words \(number) ", count: 12_000))
      _ = try await alice.sync()
    }
    _ = try await bob.sync()
    return sandbox
  }

  private func run(_ script: String, _ sandbox: Sandbox) async throws -> Subprocess.Result {
    try await Subprocess.run(
      MountNamespace.words + ["bash", "-uo", "pipefail", "-c", "cd \"$ROOT\"\n" + script],
      environment: ["PROGRAM": Checkout.program("ticds-inspect").path, "ROOT": sandbox.folder.path])
  }

  @Test(arguments: ["", "--json"])
  func `of a repair that could not do all, standard error lists what was not done`(_ json: String)
    async throws
  {
    let sandbox = try await sample()
    let result = try await run(
      """
      application=remote/ticds.notebook
      rm $application/ReadMe.txt $application/Documents/notes/SyncChanges/*/0000000002-*.set
      heads=$application/Documents/notes/RecentSyncs
      mount --bind $heads $heads && mount -o remount,ro,bind $heads || exit 99
      "$PROGRAM" repair remote --apply --quarantine kept \(json)
      """, sandbox)
    #expect(result.ending == .exited(14), "\(result)")
    #expect(result.errors.contains("1 of 2 changes could not be made"), "\(result)")
    #expect(result.errors.contains(".resend") && result.errors.contains("not done: "), "\(result)")
    if !json.isEmpty { #expect((try ProgramJSON.object(result.output)["failed"] as? [Any])?.count == 1) }
  }

  @Test(arguments: ["", "--json"])
  func `where nothing can be written the reason is the result`(_ json: String) async throws {
    let sandbox = try await sample()
    let result = try await run(
      """
      rm remote/ticds.notebook/ReadMe.txt
      mount --bind remote remote && mount -o remount,ro,bind remote || exit 99
      "$PROGRAM" repair remote --apply --quarantine kept \(json)
      """, sandbox)
    #expect(result.ending == .exited(6), "\(result)")
    #expect(result.errors.contains("ReadMe.txt") && result.errors.contains("read-only"), "\(result)")
  }

  @Test(arguments: ["jsonl", "csv", "sqlite", "store"], ["export", "at"])
  func `what does not fit on a disk leaves nothing behind`(_ format: String, _ verb: String) async throws {
    let sandbox = try await sample()
    let time = verb == "at" ? "2100-01-01" : ""
    let result = try await run(
      """
      mkdir disk && mount -t tmpfs -o size=128k none disk || exit 99
      "$PROGRAM" \(verb) remote \(time) --as \(format) --output disk/out --model alice/notebook.sqlite
      code=$?
      ls -A disk
      exit $code
      """, sandbox)
    #expect(result.ending == .exited(7), "\(result)")
    #expect(result.output.isEmpty, "\(result)")
    #expect(result.errors.contains("disk/out"), "\(result)")
  }
}
