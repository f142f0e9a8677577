import CoreDataFormats
import Foundation
import ObjectStore
import ProcessTesting
import SampleFiles
import Testing

/// What `export` and `dump` write, brought back by `import`.
@Suite struct RoundTripTests {
  /// Inheritance, every type of value, links of all kinds, a derived attribute and one that is kept in a file.
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Folder",
        attributes: [.init("name", .string), .init("noteCount", .integer64, derivation: "notes.@count")],
        relationships: [
          .toMany("notes", to: "Note", inverse: "folder", isOrdered: true),
          .toOne("parent", to: "Folder", inverse: "children"),
          .toMany("children", to: "Folder", inverse: "parent"),
        ]),
      EntityDeclaration(
        "Note",
        attributes: [
          .init("amount", .decimal), .init("count", .integer16), .init("day", .date), .init("done", .boolean),
          .init("image", .binary, allowsExternalStorage: true), .init("key", .uuid), .init("link", .uri),
          .init("ratio", .double), .init("share", .float), .init("size", .integer64),
          .init("style", .transformable),
          .init("title", .string, isOptional: false, defaultValue: .string("untitled")),
        ],
        relationships: [
          .toOne("folder", to: "Folder", inverse: "notes"),
          .toMany("tags", to: "Tag", inverse: "notes"), .toMany("others", to: "Note", inverse: "others"),
        ]),
      EntityDeclaration("Memo", parent: "Note", attributes: [.init("extra", .string)]),
      EntityDeclaration(
        "Tag", attributes: [.init("name", .string)],
        relationships: [.toMany("notes", to: "Note", inverse: "tags", isOrdered: true)],
        uniquenessConstraints: [["name"]]),
    ])
  }

  static let long = Array((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

  /// A store with objects of all that the model has.
  static func fill(_ path: String) throws {
    let context = try PersistentStore(model: model(), path: path).newContext()
    let (inbox, archive) = (try context.insert(entity: "Folder"), try context.insert(entity: "Folder"))
    inbox["name"] = .string("In, \"box\"\n\u{1F4E5}")
    archive.setTarget(inbox, "parent")
    var notes: [ManagedObject] = []
    for number in 0..<6 {
      let note = try context.insert(entity: number % 3 == 2 ? "Memo" : "Note")
      note["title"] = .string("note \(number)")
      note["day"] = .date(723_485_158.1359481 + Double(number) / 3)
      note["ratio"] = .double(number == 4 ? -.infinity : Double(number) / 7)
      note["share"] = .float(Float(number) / 7)
      note["done"] = number == 5 ? .null : .boolean(number % 2 == 0)
      notes.append(note)
    }
    notes[0]["amount"] = .decimal(try #require(Decimal(string: "12345678901.25")))
    notes[0]["count"] = .integer(-32_768)
    notes[0]["size"] = .integer(.max)
    notes[0]["key"] = .uuid(try #require(UUID(uuidString: "A0B1C2D3-0000-4000-8000-FFFFFFFFFFFF")))
    notes[0]["link"] = .uri("https://example.org/ä?b=c#d")
    notes[0]["style"] = .data([0, 1, 2, 255])
    notes[0]["image"] = .data(long)
    notes[1]["image"] = .data([1, 2, 3])
    notes[2]["extra"] = .string("")
    inbox.setMembers([notes[4], notes[0], notes[2], notes[1]], "notes")
    notes[0].setMembers([notes[0], notes[3]], "others")
    for name in ["red", "blue"] {
      let tag = try context.insert(entity: "Tag")
      tag["name"] = .string(name)
      tag.setMembers(name == "red" ? [notes[5], notes[0], notes[3]] : [notes[0]], "notes")
    }
    try context.save()
  }

  /// The lines with each id replaced by the place of its line: a store that is made anew has keys and an identity of its own.
  static func neutral(_ lines: String) -> [String] {
    let lines = lines.split(separator: "\n").map(String.init)
    var places: [Substring: Int] = [:]
    for (place, line) in lines.enumerated() {
      if let id = line.firstMatch(of: /"id":("x-coredata:[^"]*")/)?.1 { places[id] = place }
    }
    return lines.map { line in
      line.replacing(/"x-coredata:[^"]*"/) { match in places[match.output].map { "#\($0)" } ?? "?" }
    }
  }

  @Test(arguments: ["export", "dump"])
  func `objects come back as they were, with their links and the values that files keep`(verb: String)
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    try Self.fill(tool.path("old.sqlite"))
    let form = verb == "export" ? ["--jsonl"] : []

    let before = try await tool.run([verb, tool.path("old.sqlite")] + form)
    try Data(before.output.utf8).write(to: URL(filePath: tool.path("lines")))
    let made = try await tool.run("create", tool.path("old.sqlite"), tool.path("new.sqlite"))
    let rehearsed = try await tool.run("import", tool.path("new.sqlite"), tool.path("lines"), "--dry-run")
    let empty = try await tool.run("count", tool.path("new.sqlite"), "Note")
    let imported = try await tool.run("import", tool.path("new.sqlite"), tool.path("lines"))
    let after = try await tool.run([verb, tool.path("new.sqlite")] + form)

    #expect(made.ending == .exited(0), "\(made.errors)")
    #expect(rehearsed.ending == .exited(0), "\(rehearsed.errors)")
    #expect(rehearsed.output == "10 objects can be imported.\n" && empty.output == "0\n")
    #expect(imported.ending == .exited(0), "\(imported.errors)")
    #expect(imported.output == "10 objects imported.\n")
    let (old, new) = (Self.neutral(before.output), Self.neutral(after.output))
    #expect(old.count == 10 && !old.contains { $0.contains("?") && !$0.contains("example.org") })
    for (left, right) in zip(old, new) { #expect(left == right) }
    #expect(new.count == 10)
    #expect(old.contains { $0.contains("noteCount\":4") })
    let files = try FileManager.default.contentsOfDirectory(atPath: tool.path(".new_SUPPORT/_EXTERNAL_DATA"))
    #expect(files.count == 1)
    #expect(try await tool.run("verify", tool.path("new.sqlite")).ending == .exited(0))
  }

  @Test func `a number of 32 bits is found by all the digits that are shown of it, and by the shortest`()
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = tool.path("store.sqlite")
    try Self.fill(store)

    for note in try await tool.lines("query", store, "Note", "--where", "share > 0") {
      let share = try #require((note["attributes"] as? [String: Any])?["share"] as? Double)
      for number in ["\(share)", "\(Float(share))"] {
        let found = try await tool.lines("query", store, "Note", "--where", "share == \(number)")
        #expect(found.count == 1 && found.first?["id"] as? String == note["id"] as? String, "\(number)")
      }
    }
    #expect(try await tool.run("count", store, "Note", "--where", "share < 1e300").output == "6\n")
    #expect(
      try await tool.run("count", store, "Note", "--where", "share IN {0.14285714925289154}").output == "1\n")
  }

  @Test(arguments: [1, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 80, 120], [false, true])
  func `a tree of any depth that dump shows can be imported`(depth: Int, ofSets: Bool) async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let tree = (0..<depth).reduce(ArchivedObject.string("leaf")) { tree, _ in
      ofSets ? .set([tree]) : .array([tree])
    }
    let context = try PersistentStore(model: Self.model(), path: tool.path("old.sqlite")).newContext()
    try context.insert(entity: "Note")["style"] = .data(KeyedArchive.encode(tree))
    try context.save()
    let dumped = try await tool.run("dump", tool.path("old.sqlite"))
    try Data(dumped.output.utf8).write(to: URL(filePath: tool.path("lines")))
    let made = try await tool.run("create", tool.path("old.sqlite"), tool.path("new.sqlite"))
    #expect(made.ending == .exited(0))

    let imported = try await tool.run("import", tool.path("new.sqlite"), tool.path("lines"))

    #expect(imported.ending == .exited(0), "\(imported.errors)")
    let again = try await tool.run("dump", tool.path("new.sqlite"))
    #expect(Self.neutral(again.output) == Self.neutral(dumped.output))
    if depth == 1 { #expect(!dumped.output.contains("$bytes")) }
  }

  @Test func `an object of another store is found by no condition, and refused by name`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    for name in ["one.sqlite", "other.sqlite"] { try Self.fill(tool.path(name)) }
    let folders = try await tool.lines(
      "query", tool.path("other.sqlite"), "Folder", "--where", "noteCount == 4")
    let folder = try #require(folders.first?["id"] as? String)

    let own = try await tool.run(
      "count", tool.path("other.sqlite"), "Note", "--where", "folder == '\(folder)'")
    let foreign = try await tool.run(
      "count", tool.path("one.sqlite"), "Note", "--where", "folder == '\(folder)'")

    #expect(own.output == "4\n")
    #expect(foreign.ending == .exited(2) && foreign.errors.contains("an object of another store"))
  }

  @Test func `lines come from standard input too, and name objects that the store has`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    try Self.fill(tool.path("store.sqlite"))
    let tags = try await tool.lines("query", tool.path("store.sqlite"), "Tag", "--where", "name == 'blue'")
    let tag = try #require(tags.first?["id"] as? String)
    let lines = """
      {"entity":"Note","attributes":{"title":"new","count":7},"relationships":{"tags":["\(tag)"],"folder":"f"}}

      {"entity":"Folder","id":"f","attributes":{"name":"new"}}\r
      """

    let result = try await Subprocess(
      [Checkout.program("ticds-store").path, "import", tool.path("store.sqlite"), "-"], input: lines
    ).result()

    #expect(result.ending == .exited(0), "\(result.errors)")
    let count = "SUBQUERY(tags, $t, $t.name == 'blue').@count == 1 AND folder.name == 'new' AND count == 7"
    #expect(try await tool.run("count", tool.path("store.sqlite"), "Note", "--where", count).output == "1\n")
    #expect(try await tool.run("verify", tool.path("store.sqlite")).ending == .exited(0))
  }

  @Test(.needsSamples, arguments: StoreTool.samples)
  func `published stores come back as they were, or what stands in the way is named`(sample: String)
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let old = try tool.sample(sample)
    let made = try await tool.run("create", old, tool.path("new.sqlite"))
    try #require(made.ending == .exited(0), "\(made.errors)")

    let exported = try await tool.run("export", old, "--jsonl", "--lossy", "--output", tool.path("lines"))
    let imported = try await tool.run("import", tool.path("new.sqlite"), tool.path("lines"), "--lossy")

    #expect(exported.ending == .exited(0), "\(exported.errors)")
    guard imported.ending == .exited(0) else {
      // Applications have saved what their own models do not allow.
      #expect(imported.ending == .exited(9), "\(imported.errors)")
      #expect(imported.errors.contains("lines:"))
      #expect(try await tool.run("dump", tool.path("new.sqlite")).output.isEmpty)
      return
    }
    func entities(_ path: String) async throws -> String { try await tool.run("count", path).output }
    #expect(try await entities(tool.path("new.sqlite")) == entities(old))
  }
}
