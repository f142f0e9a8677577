import ByteFixtures
import Testing

@testable import CommandLineTool

@Suite struct JSONTreeTextTests {
  private struct Entry {
    var members: [JSONValue.Member]
    var children: [Entry]?

    var value: JSONValue {
      .object(members + (children.map { [.init("children", .array($0.map(\.value)))] } ?? []))
    }
  }

  private static func entries(_ depth: Int, _ random: inout SeededGenerator) -> [Entry] {
    (0..<Int.random(in: 0...3, using: &random)).map { number in
      Entry(
        members: [.init("n", .integer(Int64(number))), .init("of", ["a\n": [1, [:]]])],
        children: Bool.random(using: &random) ? depth > 4 ? [] : entries(depth + 1, &random) : nil)
    }
  }

  private static func write(_ entries: [Entry], _ depth: Int, _ text: inout JSONTreeText, _ all: inout String)
  {
    for entry in entries {
      all += text.next(entry.members, depth: depth, hasList: entry.children != nil)
      write(entry.children ?? [], depth + 1, &text, &all)
    }
  }

  @Test(arguments: 0..<200)
  func `made one object at a time, a tree is the same text as made at once`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let entries = Self.entries(0, &random)
    var (text, all) = (JSONTreeText(nestedAs: "children"), "")
    Self.write(entries, 0, &text, &all)
    all += text.finish()
    #expect(all == JSONValue.array(entries.map(\.value)).text + "\n")
  }
}
