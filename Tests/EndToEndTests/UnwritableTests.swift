import Foundation
import ProcessTesting
import Testing

/// Every verb of every program on disks without room, and on disks that must not be written: the documented code, and what to do.
@Suite(.enabled(if: MountNamespace.isPermitted, "this system does not let a test mount a file system"))
struct UnwritableTests {
  /// What lies on the disk that cannot be written.
  enum Side: String, CaseIterable, CustomTestStringConvertible {
    case store, remote
    var testDescription: String { rawValue }
  }

  /// Why it cannot be written.
  enum Obstacle: CaseIterable, CustomTestStringConvertible {
    /// So many KiB are free.
    case full(Int)
    case readOnly

    static let allCases: [Obstacle] = [.full(0), .full(4), .full(12), .full(24), .full(48), .readOnly]
    var testDescription: String { "\(self)" }

    var code: Int32 {
      if case .readOnly = self { 6 } else { 7 }
    }
    var preparation: String {
      switch self {
      case .full(let free):
        """
        dd if=/dev/zero of=disk/fill bs=1k 2>/dev/null || true
        size=$(stat -c %s disk/fill); truncate -s $((size / 4096 * 4096 - \(free) * 1024)) disk/fill
        """
      case .readOnly: "mount -o remount,ro disk"
      }
    }
    /// One of these is in the message.
    var words: [String] {
      switch self {
      case .full: ["space", "room", "quota"]
      case .readOnly: ["read-only", "permission", "choose another", "name a file in a folder"]
      }
    }
  }

  /// Verbs of all programs: `A` is a notebook beside the remote `R`, `D` the disk, `N` a note.
  static let verbs = [
    "notebook list --store A", "notebook status --store A", "notebook export --store A",
    "notebook add --store A --title x", "notebook edit N --store A --title y", "notebook tag N x --store A",
    "notebook sync --store A", "notebook devices --store A", "notebook rename-device K --store A",
    "notebook import texts --store A", "notebook upload-store --store A", "notebook vacuum --store A",
    "notebook refill --yes --store A", "notebook rejoin --store A", "notebook remote --store A",
    "notebook history N --store A", "notebook delete N --store A",
    "notebook init --store D/new --remote R --no-encryption",
    "ticds-inspect verify R", "ticds-inspect repair R --apply --quarantine D/q",
    "ticds-inspect decrypt R D/plain", "ticds-inspect report R --html D/report.html",
    "ticds-inspect export R --as csv --output D/csv",
    "ticds-inspect export R --as sqlite --output D/t.sqlite",
    "ticds-inspect export R --as store --output D/s.sqlite", "ticds-inspect export R --output D/lines",
    "ticds-inspect vacuum R",
    "ticds-store verify A/notebook.sqlite", "ticds-store dump A/notebook.sqlite",
    "ticds-store copy A/notebook.sqlite D/copy.sqlite",
  ]

  /// Runs all verbs, and prints for each its code, itself, and what it said.
  private func run(_ side: Side, _ obstacle: Obstacle, _ sandbox: Sandbox) async throws -> [String] {
    let (store, remote) = side == .store ? ("disk/a", "remote") : ("a", "disk/remote")
    let script = #"""
      cd "$ROOT"
      mkdir disk && mount -t tmpfs -o size=4m none disk
      mkdir -p "$REMOTE" texts
      head -c 30000 /dev/urandom | base64 -w 0 > texts/big.txt
      "$BIN/notebook" init --store "$STORE" --remote "$REMOTE" --no-encryption --client a >/dev/null
      note=$("$BIN/notebook" add --store "$STORE" --title small)
      "$BIN/notebook" sync --store "$STORE" >/dev/null
      "$BIN/notebook" init --store b --remote "$REMOTE" --no-encryption --client b >/dev/null
      "$BIN/notebook" import --store b texts >/dev/null
      "$BIN/notebook" sync --store b >/dev/null
      set=$(find "$REMOTE" -name '*.set' | head -n 1)
      printf x >> "$set"
      PREPARATION
      while read -r program verb rest; do
        rest=" $rest "
        rest="${rest// A / $STORE }"; rest="${rest// A\// $STORE/}"; rest="${rest// R / $REMOTE }"
        rest="${rest// D\// disk/}"; rest="${rest// N / $note }"
        code=0; timeout 60 "$BIN/$program" $verb $rest >out 2>err </dev/null || code=$?
        printf '%s\t%s\t%s\n' "$code" "$program $verb$rest" "$(tr '\n' ' ' <err)"
      done < verbs
      """#.replacing("PREPARATION", with: obstacle.preparation)
    try Data((Self.verbs.joined(separator: "\n") + "\n").utf8)
      .write(to: sandbox.folder.appending(path: "verbs"))
    let result = try await Subprocess.run(
      MountNamespace.words + ["bash", "-euo", "pipefail", "-c", script],
      environment: [
        "BIN": Checkout.program("notebook").deletingLastPathComponent().path, "ROOT": sandbox.folder.path,
        "STORE": store, "REMOTE": remote,
      ])
    #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
    return result.output.split(separator: "\n").map(String.init)
  }

  @Test(arguments: Side.allCases, Obstacle.allCases)
  func `each verb ends with the documented code, names what cannot be written, and says what to do`(
    _ side: Side, _ obstacle: Obstacle
  ) async throws {
    let lines = try await run(side, obstacle, Sandbox())
    #expect(lines.count == Self.verbs.count)
    // 1: verify finds the damaged set. 5: a note that could be deleted is gone. 13, 14: done as far as possible.
    let usual: Set<Int32> = [0, 1, 5, 13, 14]
    var refused = 0
    for line in lines {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      let code = try #require(Int32(parts[0]))
      #expect(!parts[2].contains("unexpected"), "\(line)")
      if usual.contains(code) { continue }
      refused += 1
      #expect(code == obstacle.code, "\(line)")
      #expect(
        parts[2].contains { "“/".contains($0) } && obstacle.words.contains { parts[2].contains($0) },
        "\(line)")
    }
    #expect(refused > 2, "\(lines)")
  }
}
