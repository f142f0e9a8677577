import Synchronization
import Testing

@testable import CommandLineTool

/// Tables and lines for other programs, which a person may look at on a terminal.
@Suite struct ProgramTextTests {
  private static let text = CSVRow.line(["two\nlines", "\u{1b}]0;title\u{7}", "\u{202e}txt"])

  private func written(onTerminal showsOutput: Bool) -> String {
    let written = Mutex("")
    let console = Console(
      output: { bytes in
        written.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        return nil
      }, errors: { _ in nil }, terminal: Terminal(showsOutput: showsOutput))
    console.write(forPrograms: Self.text)
    _ = console.flush()
    return written.withLock { $0 }
  }

  @Test func `a program gets every byte`() { #expect(written(onTerminal: false) == Self.text) }

  @Test func `a terminal gets nothing that moves its cursor or hides text`() {
    #expect(written(onTerminal: true) == "\"two\nlines\",\\u{1b}]0;title\\u{7},\\u{202e}txt\n")
  }
}
