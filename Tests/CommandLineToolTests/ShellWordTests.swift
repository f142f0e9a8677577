import ByteFixtures
import CommandLineTool
import ProcessTesting
import Testing

/// Commands that a person copies from a terminal and pastes into a shell.
@Suite struct ShellWordTests {
  private static let pieces = [
    "a", "-", "r", " ", "'", "\"", "`", "$", "$(id)", "\\", "\\n", "!", "*", "~", "#", "&", ";", "%", "%s",
    "%%",
    "é", "日", "👩‍👧", "\n", "\t", "\u{1b}[31m", "\u{202e}", "\u{7f}", "0", "7",
  ]

  private func shell(_ words: [String]) async throws -> [String] {
    let result = try await Subprocess.run(["/bin/sh", "-c", "printf '%s\\0' \(words.joined(separator: " "))"])
    return result.output.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  @Test(arguments: 0..<20)
  func `a shell makes of any quoted name that name, and a terminal shows it as it is`(_ seed: UInt64)
    async throws
  {
    var random = SeededGenerator(seed: seed)
    let names = (0..<100).map { _ in
      (0..<Int.random(in: 1...12, using: &random)).map { _ in Self.pieces.randomElement(using: &random) ?? ""
      }
      .joined() + "."
    }
    let words = names.map(ShellWord.quoted)
    #expect(try await shell(words) == names)
    #expect(words.allSatisfy { PrintableText.line($0) == $0 })
  }

  @Test func `a place is taken for no option`() async throws {
    #expect(
      try await shell(["-r", "--undo", "a", "-'"].map(ShellWord.place)) == ["./-r", "./--undo", "a", "./-'"])
  }
}
