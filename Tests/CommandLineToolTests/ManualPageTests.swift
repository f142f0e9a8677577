import Foundation
import ProcessTesting
import Testing

@testable import CommandLineTool

@Suite struct ManualPageTests {
  private static let tool = Tool(
    "odd-parrot", "Says what it hears; 'quoted' “so”, with a \\ and an é.", version: "1.2",
    commands: [
      Command(
        "say", ".begins with a full stop. 'Goes on - with a dash.",
        [
          Parameter.positional(
            "WORD", "What to say, in as many words as it takes to fill more than one line of text."),
          Parameter.flag("loud", "Shouts."),
          Parameter.optional("voice", placeholder: "NAME", "Whose voice; the parrot's own without it."),
        ]
      ) { _, _ in }
    ])

  private func page() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "manual-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "odd-parrot.1")
    try Data(ManualPage(tool: Self.tool).source.utf8).write(to: file)
    return file
  }

  private static func isInstalled(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
  }

  @Test(.enabled(if: isInstalled("mandoc"), "mandoc is not installed"))
  func `mandoc finds nothing wrong with a page`() async throws {
    let file = try page()
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let result = try await Subprocess.run(["/usr/bin/mandoc", "-T", "lint", file.path])
    #expect(result.output == "" && result.errors == "")
    #expect(result.ending == .exited(0))
  }

  @Test(.enabled(if: isInstalled("mandoc"), "mandoc is not installed"))
  func `a page shows every command and every option, and texts as they are`() async throws {
    let file = try page()
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let result = try await Subprocess.run(["/usr/bin/mandoc", "-T", "utf8", file.path])
    // Bold letters are struck twice, with a backspace between.
    let text = result.output.replacing(/.\u{8}/, with: "")
    for part in [
      "odd-parrot say", "WORD [--loud] [--voice NAME]", "--voice NAME", ".begins with a full stop.",
      "'Goes on - with a dash.", "“so”, with a \\ and an é.", "--completions bash|zsh|fish", "EXIT STATUS",
    ] {
      #expect(text.contains(part), "\(part)")
    }
  }
}
