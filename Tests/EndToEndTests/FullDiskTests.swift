import Foundation
import ProcessTesting
import Testing

/// Disks without room: small file systems in memory, mounted in a name space of the test's own.
@Suite struct FullDiskTests {
  /// Runs a shell script that may mount file systems. Its variables: `NOTEBOOK`, `ROOT`.
  func script(_ text: String, in sandbox: Sandbox) async throws -> Subprocess.Result {
    return try await Subprocess.run(
      MountNamespace.words + ["bash", "-euo", "pipefail", "-c", text],
      environment: ["NOTEBOOK": Device.program, "ROOT": sandbox.folder.path])
  }

  @Test(.enabled(if: MountNamespace.isPermitted, "this system does not let a test mount a file system"))
  func `a remote without room`() async throws {
    let sandbox = try Sandbox()
    let result = try await script(
      #"""
      cd "$ROOT"
      mount -t tmpfs -o size=256k none remote
      "$NOTEBOOK" init --store a --remote remote --no-encryption >/dev/null
      "$NOTEBOOK" add --store a --title small >/dev/null
      "$NOTEBOOK" sync --store a >/dev/null
      head -c 300000 /dev/urandom | base64 -w 0 > big.txt
      mkdir texts && mv big.txt texts
      "$NOTEBOOK" import --store a texts >/dev/null
      listing() { (cd remote && find . -type f -exec sha256sum {} + | sort); }
      listing > before
      "$NOTEBOOK" list --store a --json > notes-before
      code=0; "$NOTEBOOK" sync --store a >out 2>err || code=$?
      listing > after
      "$NOTEBOOK" list --store a --json > notes-after
      cmp before after; cmp notes-before notes-after; [ ! -s out ]
      printf '%s ' "$code"; cat err
      mount -o remount,size=8m remote
      "$NOTEBOOK" sync --store a >/dev/null
      "$NOTEBOOK" init --store b --remote remote --no-encryption >/dev/null
      "$NOTEBOOK" sync --store b >/dev/null
      "$NOTEBOOK" list --store b --json | cmp - notes-after
      """#, in: sandbox)
    #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
    #expect(result.output.hasPrefix("7 notebook: "), "\(result.output)")
    #expect(result.output.filter { $0 == "\n" }.count == 1, "\(result.output)")
  }

  @Test(.enabled(if: MountNamespace.isPermitted, "this system does not let a test mount a file system"))
  func `a sync that merges and finds no room for what it sends tells that the merge cannot be taken back`()
    async throws
  {
    let sandbox = try Sandbox()
    let result = try await script(
      #"""
      cd "$ROOT"
      mount -t tmpfs -o size=256k none remote
      for device in a b; do "$NOTEBOOK" init --store $device --remote remote --no-encryption >/dev/null; done
      "$NOTEBOOK" add --store a --title "made by a" >/dev/null
      "$NOTEBOOK" sync --store a >/dev/null
      mkdir texts && head -c 300000 /dev/urandom | base64 -w 0 > texts/big.txt
      "$NOTEBOOK" import --store b texts >/dev/null
      code=0; "$NOTEBOOK" sync --store b >out 2>err || code=$?
      "$NOTEBOOK" list --store b | grep -q "made by a"
      printf '%s ' "$code"; cat err
      """#, in: sandbox)
    #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
    #expect(result.output.hasPrefix("7 notebook: "), "\(result.output)")
    #expect(
      result.output.contains("what this sync has changed before it failed cannot be taken back"),
      "\(result.output)")
  }

  @Test(.enabled(if: MountNamespace.isPermitted, "this system does not let a test mount a file system"))
  func `a store without room`() async throws {
    let sandbox = try Sandbox()
    let result = try await script(
      #"""
      cd "$ROOT"
      mkdir disk && mount -t tmpfs -o size=768k none disk
      "$NOTEBOOK" init --store disk/a --remote remote --no-encryption >/dev/null
      "$NOTEBOOK" add --store disk/a --title small >/dev/null
      "$NOTEBOOK" list --store disk/a --json > before
      mkdir texts && head -c 900000 /dev/urandom | base64 -w 0 > texts/big.txt
      code=0; "$NOTEBOOK" import --store disk/a texts >out 2>err || code=$?
      "$NOTEBOOK" list --store disk/a --json | cmp - before; [ ! -s out ]
      printf '%s ' "$code"; cat err
      "$NOTEBOOK" sync --store disk/a >/dev/null
      """#, in: sandbox)
    #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
    #expect(result.output.hasPrefix("7 notebook: "), "\(result.output)")
    #expect(result.output.filter { $0 == "\n" }.count == 1, "\(result.output)")
  }
}
