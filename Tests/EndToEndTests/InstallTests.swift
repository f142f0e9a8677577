import Foundation
import ProcessTesting
import Testing

/// `Tools/install`, and what the programs tell shells and man of themselves.
@Suite struct InstallTests {
  private static let programs = ["notebook", "ticds-inspect", "ticds-store"]

  private func install(_ words: String...) async throws -> Subprocess.Result {
    let folder = Checkout.program("notebook").deletingLastPathComponent().path
    let script = Checkout.root.appending(path: "Tools/install").path
    return try await Subprocess.run(["/usr/bin/env", "TICDS_PROGRAMS=\(folder)", script] + words)
  }

  @Test func `programs, manual pages and completions come to their places, and go without anything else`()
    async throws
  {
    let sandbox = try Sandbox()
    let prefix = sandbox.folder.appending(path: "a prefix")
    func files() -> [String] {
      let all = FileManager.default.enumerator(atPath: prefix.path)?.compactMap { $0 as? String } ?? []
      return all.filter { name in
        let type = try? FileManager.default.attributesOfItem(atPath: prefix.appending(path: name).path)[.type]
        return type as? FileAttributeType == .typeRegular
      }.sorted()
    }
    let other = prefix.appending(path: "share/man/man1/other.1")
    try FileManager.default.createDirectory(
      at: other.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("of somebody else".utf8).write(to: other)
    let expected = Self.programs.flatMap { name in
      [
        "bin/\(name)", "share/man/man1/\(name).1", "share/bash-completion/completions/\(name)",
        "share/zsh/site-functions/_\(name)", "share/fish/vendor_completions.d/\(name).fish",
      ]
    }
    for _ in 1...2 {
      let result = try await install(prefix.path)
      #expect(result.ending == .exited(0), "\(result.errors)")
      #expect(files() == (expected + ["share/man/man1/other.1"]).sorted())
    }
    let program = prefix.appending(path: "bin/ticds-inspect").path
    #expect(try await Subprocess.run([program, "--version"]).output.hasPrefix("ticds-inspect "))
    #expect(try await install("--uninstall", prefix.path).ending == .exited(0))
    #expect(files() == ["share/man/man1/other.1"])
  }

  @Test func `a wrong command line installs nothing`() async throws {
    let sandbox = try Sandbox()
    for words in [["--remove", sandbox.path("x")], [sandbox.path("x"), sandbox.path("y")], [""]] {
      let script = Checkout.root.appending(path: "Tools/install").path
      #expect(try await Subprocess.run([script] + words).ending == .exited(2))
    }
    #expect(!FileManager.default.fileExists(atPath: sandbox.path("x")))
  }

  private static let mandoc = "/usr/bin/mandoc"

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: mandoc), "mandoc is not installed"),
    arguments: programs)
  func `mandoc finds nothing wrong with the manual page of a program`(name: String) async throws {
    let sandbox = try Sandbox()
    let page = try await Subprocess.run([Checkout.program(name).path, "--manual"])
    // A page whose name is not its title would be found too.
    let file = sandbox.folder.appending(path: "\(name).1")
    try Data(page.output.utf8).write(to: file)
    let result = try await Subprocess.run([Self.mandoc, "-T", "lint", file.path])
    #expect(result.ending == .exited(0))
    #expect(result.output == "" && result.errors == "")
  }

  @Test(arguments: programs)
  func `help, completions and the manual know the same commands and options`(name: String) async throws {
    let program = Checkout.program(name).path
    let overview = try await Subprocess.run([program, "--help"]).output
    let commands = overview.split(separator: "\n").compactMap { line in
      line.firstMatch(of: #/^  ([a-z][a-z-]*)  /#).map { String($0.1) }
    }
    #expect(commands.count > 5)
    let fish = try await Subprocess.run([program, "--completions", "fish"]).output
    let bash = try await Subprocess.run([program, "--completions", "bash"]).output
    let zsh = try await Subprocess.run([program, "--completions", "zsh"]).output
    let manual = try await Subprocess.run([program, "--manual"]).output.replacing("\\-", with: "-")
    for command in commands where command != "help" {
      #expect(manual.contains("\n.SS \(command)\n"), "\(command)")
      let text = try await Subprocess.run([program, command, "--help"]).output
      let options = text.split(separator: "\n").compactMap { line in
        line.firstMatch(of: /^  --([a-z-]+)/).map { String($0.1) }
      }
      #expect(options.contains("help"), "\(command)")
      for option in options {
        #expect(manual.contains("\\fB--\(option)\\fR"), "\(command) --\(option)")
        #expect(fish.contains("_verb \(command)' -l \(option) "), "\(command) --\(option)")
        #expect(bash.contains("--\(option)") && zsh.contains("--\(option)["), "\(command) --\(option)")
      }
    }
  }
}
