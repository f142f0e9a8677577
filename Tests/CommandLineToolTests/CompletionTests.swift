import Foundation
import ProcessTesting
import Testing

@testable import CommandLineTool

/// Scripts for shells, asked of the shells themselves.
@Suite struct CompletionTests {
  private enum Size: String, CaseIterable { case small, large }

  /// Whatever a sentence may hold that means something to a shell.
  private static let awkward = "It's [odd]: $HOME `date` \"quoted\" \\ “so”."
  private static let tool = Tool(
    "odd-parrot", awkward, version: "1.2",
    commands: [
      Command(
        "say", awkward,
        [
          Parameter.positional("FILE", awkward), Parameter.flag("loud", awkward),
          Parameter.flag("soft", awkward),
          Parameter.choice("size", default: Size.small, awkward),
          Parameter.optional("voice", placeholder: "NAME", awkward),
          Parameter.repeated("from", placeholder: "DIR", awkward),
        ]
      ) { _, _ in },
      Command("sing-along", "Sings.", []) { _, _ in },
    ])

  private static func path(of shell: Shell) -> String? {
    ["/usr/bin/\(shell.rawValue)", "/bin/\(shell.rawValue)"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  private func run(_ shell: Shell, _ program: String) async throws -> Subprocess.Result {
    let path = try #require(Self.path(of: shell))
    let bare =
      switch shell {
      case .bash: ["--norc"]
      case .zsh: ["-f"]
      case .fish: ["--no-config"]
      }
    return try await Subprocess.run([path] + bare + ["-c", program])
  }

  private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init).sorted() }

  private func bash(_ words: [String]) async throws -> [String] {
    let list = words.map(\.shellQuoted).joined(separator: " ")
    let result = try await run(
      .bash,
      """
      \(Shell.bash.script(for: Self.tool))
      COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1)
      _odd_parrot; printf '%s\\n' "${COMPREPLY[@]}"
      """)
    #expect(result.errors == "")
    return lines(result.output)
  }

  @Test(.enabled(if: path(of: .bash) != nil, "bash is not installed"))
  func `bash completes verbs, options, choices and files`() async throws {
    #expect(try await bash(["odd-parrot", "s"]) == ["say", "sing-along"])
    #expect(try await bash(["odd-parrot", "--"]) == ["--completions", "--help", "--manual", "--version"])
    #expect(try await bash(["odd-parrot", "--completions", ""]) == ["bash", "fish", "zsh"])
    #expect(try await bash(["odd-parrot", "help", "si"]) == ["sing-along"])
    let options = ["--color", "--from", "--help", "--loud", "--no-pager", "--size", "--soft", "--voice"]
    #expect(try await bash(["odd-parrot", "say", "--"]) == options)
    #expect(try await bash(["odd-parrot", "say", "--size", ""]) == ["large", "small"])
    #expect(try await bash(["odd-parrot", "say", "--voice", ""]) == [])
    #expect(try await bash(["odd-parrot", "say", "/usr/bin/en"]).contains("/usr/bin/env"))
    #expect(try await bash(["odd-parrot", "say", "--from", "/us"]) == ["/usr"])
    #expect(try await bash(["odd-parrot", "sing-along", "/us"]) == [])
  }

  private func fish(_ line: String) async throws -> [String] {
    let result = try await run(
      .fish, "\(Shell.fish.script(for: Self.tool))\ncomplete -C \(line.shellQuoted)")
    #expect(result.errors == "")
    return lines(result.output).map { String($0.split(separator: "\t").first ?? "") }
  }

  @Test(.enabled(if: path(of: .fish) != nil, "fish is not installed"))
  func `fish completes verbs, options, choices and files`() async throws {
    #expect(try await fish("odd-parrot s") == ["say", "sing-along"])
    #expect(try await fish("odd-parrot --") == ["--completions", "--help", "--manual", "--version"])
    #expect(try await fish("odd-parrot --completions ") == ["bash", "fish", "zsh"])
    #expect(try await fish("odd-parrot help si") == ["sing-along"])
    let options = ["--color", "--from", "--help", "--loud", "--no-pager", "--size", "--soft", "--voice"]
    #expect(try await fish("odd-parrot say --") == options)
    #expect(try await fish("odd-parrot say --size ") == ["large", "small"])
    #expect(try await fish("odd-parrot say --from /us") == ["/usr/"])
    #expect(try await fish("odd-parrot sing-along /us") == [])
  }

  @Test(.enabled(if: path(of: .zsh) != nil, "zsh is not installed"))
  func `zsh reads the script, and asks its functions for verbs, options and files`() async throws {
    // Completion itself needs a terminal, so what the script tells the functions of zsh is looked at.
    func asked(_ words: String...) async throws -> String {
      let list = words.map(\.shellQuoted).joined(separator: " ")
      let result = try await run(
        .zsh,
        """
        compdef() { print -r -- "compdef $@" }
        _describe() { print -rl -- "${(@P)@[-1]}" }
        _arguments() { print -rl -- "$@" }
        _values() { print -rl -- "$@" }
        \(Shell.zsh.script(for: Self.tool))
        words=(\(list)); CURRENT=\(words.count)
        _odd_parrot
        """)
      #expect(result.errors == "")
      #expect(result.output.hasPrefix("compdef _odd_parrot odd-parrot\n"))
      return result.output
    }
    let verbs = try await asked("odd-parrot", "")
    #expect(verbs.contains("say:\(Self.awkward)\n") && verbs.contains("sing-along:Sings.\n"))
    let arguments = try await asked("odd-parrot", "say", "")
    for part in [
      "--loud[", "--size[", ":small|large:(small large)\n", "*--from[", ":DIR:_files\n", "1:FILE:_files\n",
      "--help[",
    ] {
      #expect(arguments.contains(part))
    }
    #expect(arguments.contains("It's \\[odd\\]\\: $HOME `date` \"quoted\" \\\\ “so”."))
    #expect(try await asked("odd-parrot", "--completions", "").hasSuffix("shell\nbash\nzsh\nfish\n"))
  }
}
