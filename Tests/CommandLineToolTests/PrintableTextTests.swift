import CommandLineTool
import Testing

@Suite struct PrintableTextTests {
  @Test func `what steers a terminal is written in words`() {
    #expect(
      PrintableText.line("\u{1B}[31mred\u{7}\n\u{9B}x\u{202E}\u{2028}")
        == #"\u{1b}[31mred\u{7}\u{a}\u{9b}x\u{202e}\u{2028}"#)
  }

  @Test func `letters and pictures of several parts stay`() {
    for text in ["👩‍👩‍👧", "e\u{301}", "می‌خواهم", "日本 naïve"] { #expect(PrintableText.line(text) == text) }
  }

  @Test func `several lines stay several lines`() {
    #expect(
      PrintableText.lines("one\ttwo\r\nthree\nfour\rfive\u{1B}") == "one\ttwo" + "\nthree\nfour"
        + #"\u{d}five\u{1b}"#)
  }
}

extension PrintableTextTests {
  @Test func `a failure that quotes others is one line, and no command to a terminal`() {
    let failure = ToolFailure(.notFound, "deleted by “\u{9B}31m\u{1B}[2J\nAnna”", advice: "look\u{202E}")
    #expect(failure.description == #"deleted by “\u{9b}31m\u{1b}[2J Anna”; look\u{202e}."#)
  }
}
