import Foundation
import Testing

@testable import CommandLineTool

@Suite struct JSONValueTests {
  @Test func `members keep their order and nested values are indented`() {
    let value: JSONValue = ["b": 1, "a": ["x", .null, true], "empty": [], "none": [:], "n": .number(0.5)]
    #expect(
      value.text == """
        {
          "b": 1,
          "a": [
            "x",
            null,
            true
          ],
          "empty": [],
          "none": {},
          "n": 0.5
        }
        """)
  }

  @Test func `every character comes back through another reader`() throws {
    let scalars =
      (0...0x2fff).compactMap(Unicode.Scalar.init).map { String(Character($0)) }.joined() + "🙂\u{10ffff}"
    let text = JSONValue.array([
      .string(scalars), .integer(.min), .number(1e300), .number(-0.0), .number(.nan),
    ]).text
    let read = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any])
    #expect(read[0] as? String == scalars)
    #expect(read[1] as? Int64 == .min)
    #expect(read[2] as? Double == 1e300)
    #expect(read[4] is NSNull)
  }

  @Test func `no character that would reorder or hide text on a terminal stands there as it is`() throws {
    let name = "notes\u{202e}txt\u{2066}\u{1b}[2J\u{85}\u{e0067}.set"
    let text = JSONValue.array([.string(name)]).text
    #expect(text == #"["# + "\n" + #"  "notes\u202etxt\u2066\u001b[2J\u0085\udb40\udc67.set""# + "\n]")
    #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String] == [name])
  }
}
