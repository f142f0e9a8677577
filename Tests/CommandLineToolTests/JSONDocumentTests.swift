import CommandLineTool
import Testing

/// Reading JSON that anybody may have written.
@Suite struct JSONDocumentTests {
  private func failure(_ text: String) -> JSONDocument.Failure? {
    do throws(JSONDocument.Failure) {
      _ = try JSONDocument(Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test func `values are read with their lines`() throws {
    let root = try JSONDocument(
      Array(
        "{\n \"a\": [1, -2.5e+3,\n null],\r\n \"b\": {\"\\u00e4\\n\\ud83d\\ude42\": \"x\"}, \"c\": true }\n"
          .utf8)
    ).root
    guard case .array(let numbers)? = root["a"]?.content, case .number("-2.5e+3") = numbers[1].content,
      case .null = numbers[2].content, case .boolean(true)? = root["c"]?.content,
      case .string("x")? = root["b"]?["ä\n🙂"]?.content
    else { throw Unexpected() }
    #expect(root.line == 1 && root["a"]?.line == 2 && numbers[2].line == 3 && root["b"]?.line == 4)
  }

  private struct Unexpected: Error {}

  @Test func `what a tool writes is read back`() throws {
    let text = "\u{0}\u{1f}\u{7f}\"\\/äöü🙂\u{2028}"
    let root = try JSONDocument(Array(JSONValue.array([.string(text)]).text.utf8)).root
    guard case .array(let list) = root.content, case .string(let read)? = list.first?.content else {
      throw Unexpected()
    }
    #expect(read.utf8.elementsEqual(text.utf8))
  }

  @Test(arguments: [
    ("", 1), ("\n\n[1,\n2", 4), ("{\"a\":1,}", 1), ("[1 2]", 1), ("{\"a\" 1}", 1), ("[01]", 1), ("[1.]", 1),
    ("[-]", 1), ("[1e]", 1), ("[nul]", 1), ("\n\"a\nb\"", 2), ("[\"\\x\"]", 1), ("[\"\\ud800\"]", 1),
    ("[\"\\ud800\\u0041\"]", 1), ("[\"\\udc00\"]", 1), ("[\"\\u12\"]", 1), ("[\"\\u+123\"]", 1), ("1\n2", 2),
    ("{\"a\": 1,\n\"a\": 2}", 2), ("\"", 1), ("\"\\", 1), ("[\"\\ud800\\", 1), ("{a: 1}", 1),
  ])
  func `what is not JSON is refused with its line`(text: String, line: Int) {
    #expect(failure(text)?.line == line, "\(text)")
  }

  @Test func `lists without end, and bytes that are no text, are refused`() {
    #expect(failure(String(repeating: "[", count: 1_000_000))?.reason.contains("64") == true)
    #expect(failure(String(repeating: "{\"a\":", count: 1_000_000)) != nil)
    #expect(throws: JSONDocument.Failure.self) { try JSONDocument([0x22, 0xff, 0x22]) }
    let deepest = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
    #expect(failure(deepest) == nil)
  }

  @Test func `a text with more values than are wanted is refused`() throws {
    let text = Array("[1,\n{\"a\": [2]}]".utf8)
    #expect(throws: Never.self) { try JSONDocument(text, valueLimit: 5) }
    do {
      _ = try JSONDocument(text, valueLimit: 4)
      Issue.record("it was read")
    } catch {
      #expect(error.line == 2 && error.reason.contains("more than 4 values"))
    }
  }

  @Test func `a text that is cut off anywhere is refused`() {
    let bytes = Array(#"{"a": [1.5e3, "x\u00e4\n", true, null, {"b": -0}]}"#.utf8)
    for count in bytes.indices {
      #expect(throws: JSONDocument.Failure.self) { try JSONDocument(Array(bytes[..<count])) }
    }
  }
}
