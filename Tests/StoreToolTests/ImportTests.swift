import Foundation
import ObjectStore
import ProcessTesting
import Testing

/// The verb `import` with input that is not as it should be.
@Suite struct ImportTests {
  private func tool() async throws -> StoreTool {
    let tool = try StoreTool()
    _ = try PersistentStore(model: RoundTripTests.model(), path: tool.path("store.sqlite"))
    return tool
  }

  private func run(_ tool: StoreTool, _ lines: String, _ options: String...) async throws -> Subprocess.Result
  {
    try Data(lines.utf8).write(to: URL(filePath: tool.path("lines")))
    return try await tool.run(["import", tool.path("store.sqlite"), tool.path("lines")] + options)
  }

  private static let note = #"{"entity":"Note","id":"a","attributes":{},"relationships":{}}"#

  @Test(arguments: [
    ("nonsense", "is no JSON"), ("[]", "is no JSON object"), (#"{"entity":"Note""#, "ends too early"),
    ("{}", "“entity” is missing"), (#"{"entity":"Nota"}"#, "no entity “Nota”"),
    (#"{"entity":"Note","atributes":{}}"#, "“atributes” is none of"),
    (#"{"entity":"Note","id":1}"#, "“id” is no text"),
    (#"{"entity":"Note","id":"a"}"#, "comes a second time"),
    (#"{"entity":"Note","attributes":[]}"#, "no JSON object"),
    (#"{"entity":"Note","attributes":{"prize":1}}"#, "no attribute “prize”"),
    (#"{"entity":"Note","attributes":{"folder":1}}"#, "no attribute “folder”"),
    (#"{"entity":"Note","attributes":{"count":32768}}"#, "Note.count is no whole number of 16 bits"),
    (#"{"entity":"Note","attributes":{"count":"1"}}"#, "no whole number"),
    (#"{"entity":"Note","attributes":{"count":1.5}}"#, "no whole number"),
    (#"{"entity":"Note","attributes":{"size":9223372036854775808}}"#, "no whole number of 64 bits"),
    (#"{"entity":"Note","attributes":{"amount":"1x"}}"#, "Note.amount is no decimal number"),
    (#"{"entity":"Note","attributes":{"amount":"12345678901234567890.12345"}}"#, "more digits"),
    (#"{"entity":"Note","attributes":{"amount":"0.12345678901234567"}}"#, "more digits"),
    (#"{"entity":"Note","attributes":{"ratio":1e999}}"#, "too great"),
    (#"{"entity":"Note","attributes":{"ratio":"NaN"}}"#, "Note.ratio is no number"),
    (#"{"entity":"Note","attributes":{"amount":"NaN"}}"#, "Note.amount is no"),
    (#"{"entity":"Note","attributes":{"share":1e39}}"#, "too great for 32 bits"),
    (#"{"entity":"Note","attributes":{"day":"yesterday"}}"#, "is no date"),
    (#"{"entity":"Note","attributes":{"done":2}}"#, "neither true nor false"),
    (#"{"entity":"Note","attributes":{"image":"?"}}"#, "is no base64"),
    (#"{"entity":"Note","attributes":{"image":"QR=="}}"#, "is no base64"),
    (#"{"entity":"Note","attributes":{"image":{"$missingFile":true}}}"#, "file of Note.image was missing"),
    (#"{"entity":"Note","attributes":{"key":"x"}}"#, "is no UUID"),
    (#"{"entity":"Note","attributes":{"link":1}}"#, "no text"),
    (#"{"entity":"Note","attributes":{"style":{"$class":"NSColor"}}}"#, "says nothing here"),
    (#"{"entity":"Note","attributes":{"style":{"$bytes":"?"}}}"#, "is no base64"),
    (#"{"entity":"Note","attributes":{"style":{"$bytes":"QUFB","x":1}}}"#, "has other keys beside “$bytes”"),
    (#"{"entity":"Note","attributes":{"image":{"$missingFile":true,"x":1}}}"#, "is no base64"),
    (#"{"entity":"Note","attributes":{"title":null}}"#, "Note.title has no value"),
    (#"{"entity":"Note","relationships":{"title":null}}"#, "no relationship “title”"),
    (#"{"entity":"Note","relationships":{"folder":["a"]}}"#, "neither an id nor null"),
    (#"{"entity":"Note","relationships":{"tags":"a"}}"#, "no list of ids"),
    (#"{"entity":"Note","relationships":{"tags":["b","b"]}}"#, "names an object twice"),
    (#"{"entity":"Note","relationships":{"folder":"b"}}"#, "neither in the input nor in the store"),
    (#"{"entity":"Note","relationships":{"folder":"a"}}"#, "which is a Note"),
    (#"{"leftOut":"Note.title","reason":"x","count":1}"#, "“Note.title” of the store was left out"),
    (String(repeating: "[", count: 100), "more than 64 deep"),
  ])
  func `a mistake is named with its line, and nothing is imported`(line: String, words: String) async throws {
    let tool = try await tool()
    defer { tool.remove() }

    let result = try await run(tool, Self.note + "\n" + line)

    #expect(result.ending == .exited(9))
    #expect(result.output.isEmpty)
    let first = try #require(result.errors.split(separator: "\n").first)
    #expect(first.contains("lines:2: ") && first.contains(words), "\(result.errors)")
    #expect(result.errors.contains("nothing was imported"))
    #expect(try await tool.run("dump", tool.path("store.sqlite")).output.isEmpty)
  }

  @Test(arguments: [["--dry-run"], []])
  func `what is refused or rehearsed leaves every byte of the store as it was`(options: [String]) async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let model = tool.path("Model.contents")
    try Data(RoundTripTests.model().xml.utf8).write(to: URL(filePath: model))
    let store = tool.path("store.sqlite")
    #expect(try await tool.run("create", model, store).ending == .exited(0))
    let before = try Data(contentsOf: URL(filePath: store))
    let line = options.isEmpty ? "nonsense" : Self.note
    try Data(line.utf8).write(to: URL(filePath: tool.path("lines")))

    let result = try await tool.run(["import", store, tool.path("lines")] + options)

    #expect(result.ending == .exited(options.isEmpty ? 9 : 0), "\(result.errors)")
    #expect(try Data(contentsOf: URL(filePath: store)) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).count == 3)
  }

  @Test func `every mistake is named, not only the first`() async throws {
    let tool = try await tool()
    defer { tool.remove() }

    let result = try await run(
      tool, "x\n\(Self.note)\ny\n{\"entity\":\"Note\",\"attributes\":{\"count\":\"a\",\"day\":1e999}}")

    #expect(result.ending == .exited(9))
    #expect(
      ["lines:1:", "lines:3:", "lines:4: Note.count", "lines:4: Note.day"].allSatisfy(result.errors.contains))
    #expect(result.errors.contains("4 mistakes"))
  }

  @Test func `two sides of a relationship that disagree are named`() async throws {
    let tool = try await tool()
    defer { tool.remove() }
    let lines = """
      {"entity":"Folder","id":"f","relationships":{"notes":["a"]}}
      {"entity":"Folder","id":"g","relationships":{"notes":["b"]}}
      {"entity":"Note","id":"a","relationships":{"folder":"f"}}
      {"entity":"Note","id":"b","relationships":{"folder":"f"}}
      """

    let result = try await run(tool, lines)

    #expect(result.ending == .exited(9))
    #expect(result.errors.contains("does not agree with what other lines say of its inverse"))
    #expect(!result.errors.contains("lines:3:"))
  }

  @Test func `a constraint that two lines break names both`() async throws {
    let tool = try await tool()
    defer { tool.remove() }

    let result = try await run(
      tool,
      #"{"entity":"Tag","attributes":{"name":"x"}}"# + "\n" + #"{"entity":"Tag","attributes":{"name":"x"}}"#,
      "--dry-run")

    #expect(result.ending == .exited(9))
    #expect(result.errors.contains("must be unique") && result.errors.contains("lines:2:"))
    #expect(result.errors.contains("but line 1 has the same"))
  }

  @Test func `what cannot be brought in is left out and named where that was agreed to`() async throws {
    let tool = try await tool()
    defer { tool.remove() }

    let result = try await run(
      tool,
      #"{"entity":"Note","attributes":{"image":{"$missingFile":true}},"relationships":{"folder":"gone"}}"#,
      "--lossy")

    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 2 && result.errors.contains("lines:1: left out: "))
    #expect(try await tool.run("count", tool.path("store.sqlite"), "Note").output == "1\n")
  }

  @Test func `an object that the store has is not brought in again`() async throws {
    let tool = try await tool()
    defer { tool.remove() }
    _ = try await run(tool, Self.note)
    let dump = try await tool.run("dump", tool.path("store.sqlite"))

    let again = try await run(tool, dump.output)

    #expect(again.ending == .exited(9) && again.errors.contains("is in the store already"))
  }

  @Test
  func
    `only a store of SQLite with its model takes objects, and a missing input is told before it is opened`()
    async throws
  {
    let tool = try await tool()
    defer { tool.remove() }
    _ = try await tool.run("copy", tool.path("store.sqlite"), tool.path("binary"), "--as", "binary")
    try Data(Self.note.utf8).write(to: URL(filePath: tool.path("lines")))

    let binary = try await tool.run("import", tool.path("binary"), tool.path("lines"))
    let missing = try await tool.run("import", tool.path("store.sqlite"), tool.path("nothing"))
    let folder = try await tool.run("import", tool.path("store.sqlite"), tool.folder.path)
    let noStore = try await tool.run("import", tool.path("lines"), tool.path("lines"))

    #expect(binary.ending == .exited(12) && binary.errors.contains("--as sqlite"))
    #expect(missing.ending == .exited(5))
    #expect(folder.ending == .exited(6), "\(folder.errors)")
    #expect(noStore.ending == .exited(12))
  }

  @Test func `an object that two lines claim for a relationship without inverse is named with both`()
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration("Shelf", relationships: [.toMany("books", to: "Book", inverse: nil)]),
      EntityDeclaration("Book", attributes: [.init("title", .string)]),
    ])
    try Data(model.xml.utf8).write(to: URL(filePath: tool.path("Model.contents")))
    #expect(
      try await tool.run("create", tool.path("Model.contents"), tool.path("store.sqlite")).ending
        == .exited(0))
    let lines = """
      {"entity":"Book","id":"c"}
      {"entity":"Shelf","id":"a","relationships":{"books":["c"]}}
      {"entity":"Shelf","id":"b","relationships":{"books":["c"]}}
      """

    let refused = try await run(tool, lines)
    let agreed = try await run(tool, lines, "--lossy")

    #expect(refused.ending == .exited(9))
    #expect(refused.errors.contains("lines:3: Shelf.books names “c”, as line 2 does"), "\(refused.errors)")
    #expect(agreed.ending == .exited(0), "\(agreed.errors)")
    let shown = try await tool.run("dump", tool.path("store.sqlite")).output
    #expect(shown.components(separatedBy: "/Book/p1\"]").count == 2, "\(shown)")
  }
}
