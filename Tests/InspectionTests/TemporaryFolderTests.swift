import FileManagerBackend
import Foundation
import Inspection
import ProcessTesting
import Testing

/// What does not work on this device while a remote is looked at: a finding about the remote it never becomes.
@Suite(.enabled(if: MountNamespace.isPermitted, "this system does not let a test mount a file system"))
struct TemporaryFolderTests {
  /// Why nothing can be kept in the folder for temporary files.
  enum Obstacle: CaseIterable, CustomTestStringConvertible {
    case missing, aFile, readOnly
    /// So many KiB are free.
    case full(Int)

    static let allCases: [Obstacle] = [
      .missing, .aFile, .readOnly, .full(0), .full(8), .full(32), .full(64), .full(128),
    ]
    var testDescription: String { "\(self)" }

    var code: Int32 { if case .full = self { 7 } else { 6 } }
    /// Whether there may be room enough for some of what is looked at.
    var mayDo: Bool { if case .full(let free) = self { free > 0 } else { false } }
    var preparation: String {
      switch self {
      case .missing: ":"
      case .aFile: "touch temporary"
      case .readOnly: "mkdir temporary; mount -t tmpfs -o size=1m,ro none temporary"
      case .full(let free):
        """
        mkdir temporary; mount -t tmpfs -o size=1m none temporary
        dd if=/dev/zero of=temporary/fill bs=1k 2>/dev/null || true
        size=$(stat -c %s temporary/fill); truncate -s $((size - \(free) * 1024)) temporary/fill
        """
      }
    }
  }

  /// Verbs that keep something in the folder for temporary files: `R` is a remote whose oldest sets were removed, `O` a place for output.
  private static let verbs = [
    "verify R", "repair R", "repair R --apply --quarantine O", "vacuum R --dry-run", "vacuum R",
    "export R --output O", "export R --as sqlite --output O", "export R --as store --output O",
    "diff R --from now --to now", "show WHOLE --in R", "decrypt R O", "report R --html O",
    "repair R --rebuild things",
  ]

  /// Runs all verbs, and gives for each its code, itself, and what it said on both outputs.
  private func run(
    _ preparation: String, _ remote: SampleRemote, _ whole: String
  ) async throws -> [(code: Int32, verb: String, output: String, errors: String)] {
    try Data((SampleRemote.password + "\n").utf8).write(to: remote.folder.url.appending(path: "password"))
    try Data((Self.verbs.joined(separator: "\n") + "\n").utf8)
      .write(to: remote.folder.url.appending(path: "verbs"))
    let script = #"""
      cd "$ROOT"; rm -rf temporary; mkdir -p out
      PREPARATION
      number=0
      while read -r verb rest; do
        number=$((number + 1)); rest=" $rest "
        rest="${rest// R / remote }"; rest="${rest// O / out/$number }"; rest="${rest// WHOLE / $WHOLE }"
        code=0
        TMPDIR="$ROOT/temporary" timeout 60 "$PROGRAM" $verb $rest --password-file password \
          >output 2>errors </dev/null || code=$?
        printf '%s\t%s\t%s\t%s\n' "$code" "$verb$rest" "$(tr '\n\t' '  ' <output)" "$(tr '\n\t' '  ' <errors)"
      done < verbs
      rm -rf out
      """#.replacing("PREPARATION", with: preparation)
    let result = try await Subprocess.run(
      MountNamespace.words + ["bash", "-euo", "pipefail", "-c", script],
      environment: [
        "PROGRAM": Checkout.program("ticds-inspect").path, "ROOT": remote.folder.url.path, "WHOLE": whole,
      ])
    #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
    return result.output.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 4, let code = Int32(parts[0]) else { return nil }
      return (code, parts[1], parts[2], parts[3])
    }
  }

  private func sample(isDamaged: Bool) async throws -> (remote: SampleRemote, whole: String) {
    let remote = try await SampleRemote(encrypted: true)
    try await remote.vacuum()
    let store = try #require(try remote.files(in: "WholeStore", suffix: ".copy").last)
    // What a rebuilding is for: the last set of an author who is gone.
    if isDamaged {
      let sets = try remote.files(in: "SyncChanges", suffix: ".set")
      try FileManager.default.removeItem(at: #require(sets.first))
    }
    return (remote, "sample/Documents/things/WholeStore/\(store.lastPathComponent)")
  }

  @Test(arguments: Obstacle.allCases, [false, true])
  func
    `a folder for temporary files that cannot be used ends what needs it, and blames nothing that lies on the remote`(
      _ obstacle: Obstacle, _ isDamaged: Bool
    ) async throws
  {
    let (remote, whole) = try await sample(isDamaged: isDamaged)
    let before = try remote.contents()
    // With a usable one each verb does what it is for.
    let usual = try await run("mkdir temporary", remote, whole)
    #expect(usual.count == Self.verbs.count)
    if !isDamaged { #expect(try remote.contents() == before) }
    let prepared = try remote.contents()

    let results = try await run(obstacle.preparation, remote, whole)

    #expect(results.count == Self.verbs.count)
    for (result, usual) in zip(results, usual) {
      let words = "\(result)"
      #expect(!result.output.contains("wholeStoreDamaged") && !result.output.contains("damaged("), "\(words)")
      #expect(!result.output.contains("does not open"), "\(words)")
      if obstacle.mayDo, result.code == usual.code { continue }
      // Nothing to be made anew keeps nothing.
      if !isDamaged, result.verb.contains("--rebuild"), result.code == usual.code { continue }
      #expect(result.code == obstacle.code, "\(words) \(usual)")
      #expect(result.errors.contains("\(remote.folder.url.path)/temporary"), "\(words)")
    }
    #expect(try remote.contents() == prepared)
    #expect(try await remote.inspector.verify().findings.contains { $0.code == .wholeStoreDamaged } == false)
  }

  @Test
  func `a limit on open files ends what needs more of them, and blames nothing that lies on the remote`()
    async throws
  {
    let (remote, _) = try await sample(isDamaged: false)
    try Data((SampleRemote.password + "\n").utf8).write(to: remote.folder.url.appending(path: "password"))
    let script = #"""
      cd "$ROOT"
      for limit in 9 10 11 12 13 14 16 18 20 24 28; do
        (ulimit -n $limit; exec "$PROGRAM" verify remote --password-file password --names-only >/dev/null 2>&1)
        echo $?
        (ulimit -n $limit; exec "$PROGRAM" verify remote --password-file password >/dev/null 2>&1)
        echo $?
      done
      """#
    let result = try await Subprocess.run(
      ["bash", "-c", script],
      environment: [
        "PROGRAM": Checkout.program("ticds-inspect").path, "ROOT": remote.folder.url.path,
      ])
    let codes = result.output.split(separator: "\n").compactMap { Int32($0) }
    // 6: not even the password could be read. 132 and the like: the process itself could not be set up.
    #expect(codes.count == 22 && codes.contains(0) && codes.contains(7), "\(result)")
    #expect(codes.allSatisfy { [0, 6, 7].contains($0) || $0 > 126 }, "\(result)")
  }
}
