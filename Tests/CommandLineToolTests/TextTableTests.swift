import ByteFixtures
import Testing

@testable import CommandLineTool

@Suite struct TextTableTests {
  @Test(arguments: [
    ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("ｱ", 1), ("Ａ", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2),
    ("한글", 4), ("", 0), ("a\u{200d}b", 2),
  ])
  func `a text takes the columns that a terminal gives it`(text: String, width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test func `what is cut ends with an ellipsis and takes no more columns`() {
    #expect(DisplayWidth.cut("abcdef", to: 6) == "abcdef")
    #expect(DisplayWidth.cut("abcdefg", to: 6) == "abcde…")
    #expect(DisplayWidth.cut("日本語日本語", to: 6) == "日本…")
    #expect(DisplayWidth.cut("👩‍👩‍👧👩‍👩‍👧", to: 3) == "👩‍👩‍👧…")
  }

  private var sample: TextTable {
    var table = TextTable([("DEVICE", .name), ("SETS", .number), ("DOCUMENT", .name), ("WHEN", .text)])
    table.add(["a device with a long name", "7", "notes", "2026-01-01"])
    table.add(["日本語の名前です", "12345", "a document with a very long identifier", ""])
    return table
  }

  @Test func `without a terminal every cell stands there in full, below its title`() {
    #expect(
      sample.lines(fitting: nil) == [
        "DEVICE                      SETS  DOCUMENT                                WHEN",
        "a device with a long name      7  notes                                   2026-01-01",
        "日本語の名前です           12345  a document with a very long identifier",
      ])
  }

  @Test func `at a terminal names are cut, the widest first, and nothing else is`() {
    for columns in 33...90 {
      let lines = sample.lines(fitting: columns)
      #expect(lines.allSatisfy { DisplayWidth.of($0) <= columns }, "\(columns)")
      #expect(lines[1].hasSuffix("2026-01-01") && lines[2].contains("12345"))
    }
  }

  @Test
  func `where a row does not fit however names are cut, each cell has a line, and the empty ones have none`()
  {
    #expect(
      sample.lines(fitting: 24) == [
        "a device with a long na…", "  SETS: 7", "  DOCUMENT: notes", "  WHEN: 2026-01-01",
        "日本語の名前です", "  SETS: 12345", "  DOCUMENT: a document …",
      ])
  }

  @Test(arguments: 0..<200)
  func `whatever the names are, rows fit where names can be cut enough`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "日", "👩‍👩‍👧", "é", "e\u{301}"]
    var table = TextTable([("A", .name), ("N", .number), ("B", .name)])
    for _ in 0..<5 {
      func name() -> String {
        (0..<Int.random(in: 0...60, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }
          .joined()
      }
      table.add([name(), "\(UInt16.random(in: 0...999, using: &random))", name()])
    }
    let columns = Int.random(in: 6 + 2 + 3 + 2 + 6...120, using: &random)
    #expect(table.lines(fitting: columns).allSatisfy { DisplayWidth.of($0) <= columns })
    #expect(!table.lines(fitting: nil).joined().contains("…"))
  }
}
