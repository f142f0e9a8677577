import Foundation
import ProcessTesting
import Testing

/// What a person sees at a terminal, and a pipe does not.
@Suite struct TerminalTests {
  /// Runs a program as at a terminal, and returns everything that shows there.
  private func terminal(
    _ words: [String], environment: [String: String]
  ) async throws -> Subprocess.Result {
    let script =
      "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
    let settings = environment.map { "\($0)=\($1)" }
    return try await Subprocess.run(
      ["env", "-u", "NO_COLOR", "-u", "PAGER", "TERM=xterm"] + settings + ["python3", "-c", script] + words)
  }

  private func sample() async throws -> (Sandbox, (String, [String]) -> [String]) {
    let sandbox = try Sandbox()
    let alice = try await sandbox.device("alice")
    _ = try await alice.add("a title")
    _ = try await alice.sync()
    try Data().write(to: sandbox.remote.appending(path: "not ours"))
    let program = Checkout.program("ticds-inspect").path
    return (
      sandbox,
      { verb, options in
        [program, verb, sandbox.remote.path, "--password-file", sandbox.passwordFile.path] + options
      }
    )
  }

  @Test func `results at a terminal go through the pager that is named, and not if none is wanted`()
    async throws
  {
    let (sandbox, words) = try await sample()
    let pager = ["PAGER": "sed 's/^/paged /'"]

    let paged = try await terminal(words("tree", ["--color", "never"]), environment: pager)
    #expect(paged.ending == .exited(0))
    #expect(paged.output.contains("paged └── ticds.notebook/"), "\(paged)")

    for (options, environment) in [(["--no-pager"], pager), ([], ["PAGER": "cat"]), ([], ["PAGER": ""])] {
      let plain = try await terminal(words("tree", options), environment: environment)
      #expect(plain.output.contains("ticds.notebook/") && !plain.output.contains("paged"), "\(plain)")
    }
    let piped = try await Subprocess.run(["env", "PAGER=false"] + words("tree", []))
    #expect(piped.ending == .exited(0) && piped.output.contains("ticds.notebook/"))
    withExtendedLifetime(sandbox) {}
  }

  @Test func `where the pager is not there results are printed as they are`() async throws {
    let (sandbox, words) = try await sample()
    let plain = try await terminal(words("tree", []), environment: ["PAGER": "no-such-pager -R"])
    #expect(plain.ending == .exited(0) && plain.output.contains("ticds.notebook/"), "\(plain)")
    withExtendedLifetime(sandbox) {}
  }

  @Test func `a pager that ends early ends the command, and its status is that of the command`() async throws
  {
    let (sandbox, words) = try await sample()
    let result = try await terminal(words("verify", []), environment: ["PAGER": "head -n 1"])
    #expect(result.ending == .exited(0), "\(result)")
    #expect(result.output.contains("hint"))
    withExtendedLifetime(sandbox) {}
  }

  @Test func `colours show at a terminal only, unless they are asked for or refused`() async throws {
    let (sandbox, words) = try await sample()
    let escape = "\u{1b}["
    let cases: [([String], [String: String], Bool)] = [
      ([], [:], true), ([], ["NO_COLOR": "1"], false), ([], ["NO_COLOR": ""], true),
      ([], ["TERM": "dumb"], false), (["--color", "never"], [:], false),
      (["--color", "always"], ["NO_COLOR": "1"], true),
    ]
    for (options, environment, isColored) in cases {
      let shown = try await terminal(words("tree", ["--no-pager"] + options), environment: environment)
      #expect(shown.output.contains(escape) == isColored, "\(options) \(environment)")
    }
    #expect(try await !Subprocess.run(words("tree", [])).output.contains(escape))
    #expect(try await Subprocess.run(words("tree", ["--color", "always"])).output.contains(escape))
    withExtendedLifetime(sandbox) {}
  }

  @Test func `at a terminal tables fit its width, and in a pipe names stand there in full`() async throws {
    let sandbox = try Sandbox()
    let name = "a device with a name that is rather long"
    _ = try await sandbox.device(name).sync()
    let words = [
      Checkout.program("ticds-inspect").path, "devices", sandbox.remote.path, "--password-file",
      sandbox.passwordFile.path, "--no-pager",
    ]
    let narrow = try await terminal(words, environment: ["COLUMNS": "64"])
    #expect(narrow.output.contains("“a device") && narrow.output.contains("…"), "\(narrow)")
    let rows = narrow.output.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("  ") }
    #expect(!rows.isEmpty && rows.allSatisfy { $0.count <= 64 }, "\(narrow)")
    let piped = try await Subprocess.run(["env", "COLUMNS=64"] + words)
    #expect(piped.output.contains("“\(name)”"), "\(piped)")
    withExtendedLifetime(sandbox) {}
  }
}
