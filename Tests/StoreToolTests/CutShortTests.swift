import Foundation
import ObjectStore
import ProcessTesting
import TICDSSQLite
import Testing

/// A person ends what takes long.
@Suite struct CutShortTests {
  private func tool() throws -> StoreTool {
    let tool = try StoreTool()
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration("Item", attributes: [.init("number", .integer64)])
    ])
    let context = try PersistentStore(model: model, path: tool.path("store.sqlite")).newContext()
    for number in 0..<60_000 { try context.insert(entity: "Item")["number"] = .integer(Int64(number)) }
    try context.save()
    return tool
  }

  @Test(arguments: [
    ["sql", "STORE", "SELECT count(*) FROM Item a, Item b, Item c"],
    ["copy", "STORE", "NEW"], ["copy", "STORE", "NEW", "--as", "binary"], ["verify", "STORE"],
  ])
  func `every command ends soon, and leaves nothing half made`(words: [String]) async throws {
    let tool = try tool()
    defer { tool.remove() }
    let words = words.map { $0 == "STORE" ? tool.path("store.sqlite") : $0 == "NEW" ? tool.path("new") : $0 }
    let before = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).sorted()
    let process = try Subprocess([Checkout.program("ticds-store").path] + words)

    try await Task.sleep(for: .milliseconds(150))
    process.send(SIGTERM)
    let result = try await process.result(within: .seconds(60))

    // Some end before they are told to, and where much else runs some have not begun yet.
    let isDone = result.ending == .exited(0)
    let isEnded = [.exited(143), .killed(SIGTERM)].contains(result.ending)
    #expect(isDone && words[0] != "sql" || isEnded, "\(result.ending) \(result.errors)")
    if !isDone {
      #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).sorted() == before)
    }
  }

  @Test func `what a program has left half done is neither shown nor copied, but taken back by who writes`()
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let contents = """
      <model><entity name="Note"><attribute name="title" optional="YES" attributeType="String"/></entity></model>
      """
    try Data(contents.utf8).write(to: URL(filePath: tool.path("Model.contents")))
    let (store, cut) = (tool.path("store"), tool.path("cut"))
    #expect(try await tool.run("create", tool.path("Model.contents"), store).ending == .exited(0))
    let connection = try Connection(path: store)
    try connection.execute(
      script: """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT i, 1, 1, 'before ' || i FROM n;
        UPDATE Z_PRIMARYKEY SET Z_MAX = 2000;
        PRAGMA cache_size = 5; PRAGMA cache_spill = ON; BEGIN;
        UPDATE ZNOTE SET ZTITLE = 'half done ' || Z_PK
        """)
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: store + suffix, toPath: cut + suffix)
    }

    for words in [
      ["dump", cut], ["copy", cut, tool.path("copy")], ["verify", cut], ["dump", "--tolerant", cut],
    ] {
      let result = try await tool.run(words)
      #expect(result.ending == .exited(9), "\(words[0]) \(result.errors)")
      #expect(
        result.errors.contains("cut-journal") && !result.output.contains("half done"), "\(result.errors)")
    }
    try Data(#"{"entity":"Note","attributes":{"title":"new"}}"#.utf8).write(
      to: URL(filePath: tool.path("lines")))
    #expect(try await tool.run("import", cut, tool.path("lines")).ending == .exited(0))
    let shown = try await tool.run("dump", cut).output
    #expect(!shown.contains("half done") && shown.contains("before 2000"))
    withExtendedLifetime(connection) {}
  }
}
