import Foundation
import ObjectStore
import Testing

@Suite struct TolerantTests {
  /// A store with two notes, made anew by the tool.
  private func store(_ tool: StoreTool) throws -> String {
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration("Note", attributes: [AttributeDescription("title", .string)])
    ])
    let path = tool.path("store.sqlite")
    let context = try PersistentStore(model: model, path: path).newContext()
    for title in ["a", "b"] { try context.insert(entity: "Note")["title"] = .string(title) }
    try context.save()
    return path
  }

  @Test func `a sound store is shown as ever`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let path = try store(tool)

    let tolerant = try await tool.run("dump", path, "--tolerant")

    #expect(tolerant.ending == .exited(0))
    #expect(tolerant.output == (try await tool.run("dump", path)).output)
  }

  @Test(arguments: [false, true])
  func `of a store that was cut off what is there is shown, whatever journal it had`(hasLog: Bool)
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration("Note", attributes: [AttributeDescription("title", .string)])
    ])
    let path = tool.path("store.sqlite")
    do {
      let store = try PersistentStore(model: model, path: path)
      try store.newContext().insertRows(entity: "Note", from: 0..<500) { row, number in
        row["title"] = .string("\(number) \(String(repeating: "x", count: 500))")
      }
      try store.newConnection().execute(script: "PRAGMA wal_checkpoint(TRUNCATE)")
      if !hasLog { try store.newConnection().execute(script: "PRAGMA journal_mode = DELETE") }
    }
    try StoreFile(path: path).copy(to: tool.path("whole.sqlite"))
    let cut = try Data(contentsOf: URL(filePath: hasLog ? path : tool.path("whole.sqlite")))
    #expect(cut[18] == (hasLog ? 2 : 1))
    try cut.prefix(cut.count / 4096 * 3 / 4 * 4096).write(to: URL(filePath: tool.path("cut.sqlite")))

    let dumped = try await tool.run("dump", tool.path("cut.sqlite"), "--tolerant")

    #expect(dumped.ending == .exited(14), "\(dumped.errors)")
    #expect(dumped.output.split(separator: "\n").count > 200, "\(dumped.errors)")
  }

  @Test func `what is missing is listed, the rest is shown, and the exit code tells so`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let path = try store(tool)
    let connection = try PersistentStore(model: StoreFile(path: path).model, path: path).newConnection()
    try connection.execute(
      script: "ALTER TABLE ZNOTE DROP COLUMN ZTITLE; UPDATE ZNOTE SET Z_ENT = 9 WHERE Z_PK = 2")

    #expect(try await tool.run("dump", path).ending == .exited(12))
    let tolerant = try await tool.run("dump", path, "--tolerant")

    #expect(tolerant.ending == .exited(14))
    #expect(tolerant.output.contains("/Note/p1") && !tolerant.output.contains("title"))
    #expect(tolerant.errors.contains("Note.title: its column or table is missing"))
    #expect(tolerant.errors.contains("ZNOTE: 1 rows of entities that the store does not list"))
    #expect(try await tool.run("dump", path, "--tolerant", "--lossy").ending == .exited(0))
  }
  @Test func `programs find what is left out behind the objects`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let path = try store(tool)
    let connection = try PersistentStore(model: StoreFile(path: path).model, path: path).newConnection()
    try connection.execute(script: "UPDATE ZNOTE SET Z_ENT = 9 WHERE Z_PK = 2")

    for words in [[], ["--tolerant"]] {
      let result = try await tool.run(["dump", path, "--json"] + words)

      #expect(result.ending == .exited(14))
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 2 && lines[0].contains("/Note/p1"))
      #expect(
        lines.last
          == #"{"leftOut":"ZNOTE","reason":"rows of entities that the store does not list","count":1}"#)
    }
  }

  @Test(arguments: [40, 4_096, 5_000, 12_000])
  func `a file that was cut off is shown as far as it goes, or refused by its name`(length: Int) async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let path = tool.path("copy.sqlite")
    try StoreFile(path: try store(tool)).copy(to: path)
    let bytes = try Data(contentsOf: URL(filePath: path))
    try bytes.prefix(length).write(to: URL(filePath: path))

    let result = try await tool.run("dump", path, "--tolerant")

    #expect([.exited(9), .exited(14)].contains(result.ending), "\(result)")
    #expect(result.errors.contains("copy.sqlite") || result.errors.contains("damaged or missing: "))
  }
}
