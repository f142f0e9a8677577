import Foundation
import ProcessTesting
import Testing

/// A notebook on a medium that nobody can write: a backup, or another computer's drive.
@Suite(.enabled(if: MountNamespace.isPermitted, "this system does not let a test mount a file system"))
struct ReadOnlyNotebookTests {
  /// - Parameter folder: what cannot be written; the notebook if it is not given.
  private func run(_ words: [String], on device: Device, without folder: URL? = nil) async throws
    -> Subprocess.Result
  {
    let mounting = #"mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; exec "$@""#
    return try await Subprocess.run(
      MountNamespace.words + ["bash", "-euo", "pipefail", "-c", mounting, (folder ?? device.store).path]
        + device.words(words))
  }

  @Test(arguments: [["list"], ["list", "--json"], ["export"]])
  func `its notes can be read`(_ words: [String]) async throws {
    let sandbox = try await Sandbox.twoDevices()
    let alice = Device(name: "alice", sandbox: sandbox)
    let before = Snapshot(alice.store)

    let result = try await run(words, on: alice)

    #expect(result.ending == .exited(0), "\(result)")
    #expect(Snapshot(alice.store) == before)
    #expect(try await result.output == alice.succeed(words))
  }

  @Test func `a remote that cannot be written is said to be mounted so`() async throws {
    let sandbox = try await Sandbox.twoDevices()
    let alice = Device(name: "alice", sandbox: sandbox)
    _ = try await alice.add("new")
    let sync = try await run(["sync"], on: alice, without: sandbox.remote)
    #expect(sync.ending == .exited(6) && sync.errors.contains("mounted read-only"), "\(sync.errors)")
    let status = try await alice.succeed("status")
    #expect(status.contains("mounted read-only") && !status.contains("permission to"), "\(status)")
    #expect(status.contains("pending:   1 change that"), "\(status)")
  }

  @Test(arguments: [
    ["add", "--title", "new"], ["sync"], ["status"], ["devices"], ["rename-device", "Kitchen"],
  ])
  func `what must write says that it cannot`(_ words: [String]) async throws {
    let sandbox = try await Sandbox.twoDevices()
    let alice = Device(name: "alice", sandbox: sandbox)

    let result = try await run(words, on: alice)

    #expect(result.ending == .exited(6))
    let path = alice.store.path.hasSuffix("/") ? String(alice.store.path.dropLast()) : alice.store.path
    #expect(result.errors.contains("the folder “\(path)” cannot be written; check its permissions"))
  }
}
