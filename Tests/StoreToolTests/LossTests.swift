import Foundation
import ProcessTesting
import TICDSSQLite
import SampleFiles
import Testing

/// What cannot be taken along is listed, and nothing is written unless that is agreed to.
@Suite struct LossTests {
  @Test(.needsSamples) func `a copy that would lack links is not made, unless it may be lossy`() async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try tool.sample("evidence/screenflow.dat")

    let refused = try await tool.run("copy", store, tool.path("copy"), "--as", "sqlite")
    #expect(refused.ending == .exited(14))
    #expect(refused.errors.contains("MediaSource.clips"))
    #expect(!FileManager.default.fileExists(atPath: tool.path("copy")))

    let copied = try await tool.run("copy", store, tool.path("copy"), "--as", "sqlite", "--lossy")
    #expect(copied.ending == .exited(0))
    #expect(copied.errors.contains("MediaSource.clips"))
  }

  /// A store with a column, a table and a row that its model does not explain.
  private func store(_ tool: StoreTool) async throws -> String {
    let contents = """
      <model><entity name="Note"><attribute name="title" optional="YES" attributeType="String"/></entity></model>
      """
    try Data(contents.utf8).write(to: URL(filePath: tool.path("Model.contents")))
    let path = tool.path("store")
    #expect(try await tool.run("create", tool.path("Model.contents"), path).ending == .exited(0))
    let connection = try Connection(path: path)
    try connection.run("ALTER TABLE ZNOTE ADD COLUMN ZCOLOUR INTEGER")
    try connection.run("INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZCOLOUR) VALUES (1, 1, 1, 'a', 7)")
    try connection.run("CREATE TABLE EXTRA (X)")
    try connection.run("INSERT INTO EXTRA VALUES (1)")
    return path
  }

  @Test func `what the model does not explain is listed by copy, dump and migrate`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try await store(tool)

    for words in [
      ["copy", store, tool.path("copy")], ["dump", store],
      ["migrate", store, "--to", tool.path("Model.contents"), "--output", tool.path("migrated")],
    ] {
      let result = try await tool.run(words)
      #expect(result.ending == .exited(14), "\(words[0])")
      #expect(result.errors.contains("ZNOTE.ZCOLOUR: 1 values") && result.errors.contains("EXTRA: 1 rows"))
      #expect(try await tool.run(words + ["--lossy"]).ending == .exited(0), "\(words[0])")
    }
  }

  @Test func `rows without a number for a key are listed, and not taken for objects`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try await store(tool)
    try Connection(path: store).execute(
      script: """
        CREATE TABLE OTHER AS SELECT * FROM ZNOTE; DROP TABLE ZNOTE; ALTER TABLE OTHER RENAME TO ZNOTE;
        INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES ('x', 1, 1, 'b')
        """)

    let dumped = try await tool.run("dump", store, "--lossy")

    #expect(dumped.errors.contains("ZNOTE: 1 rows whose key is no number"), "\(dumped.errors)")
    #expect(dumped.output.contains("/Note/p1\"") && dumped.output.split(separator: "\n").count == 1)
    #expect(try await tool.run("verify", store).output.contains("1 rows of ZNOTE have no usable key"))
  }

  @Test func `values of another kind than the attribute has are listed, and found by verify`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let contents = """
      <model><entity name="Note"><attribute name="title" optional="YES" attributeType="String"/>\
      <attribute name="size" optional="YES" attributeType="Integer 32"/>\
      <attribute name="ratio" optional="YES" attributeType="Double"/></entity></model>
      """
    try Data(contents.utf8).write(to: URL(filePath: tool.path("Model.contents")))
    let store = tool.path("store")
    #expect(try await tool.run("create", tool.path("Model.contents"), store).ending == .exited(0))
    let connection = try Connection(path: store)
    try connection.run(
      """
      INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZSIZE, ZRATIO) VALUES
      (1, 1, 1, 'a', 'abc', 1.5), (2, 1, 1, CAST(x'ff41' AS TEXT), 1.5, 2), (3, 1, 1, x'00', 3, 'x'), (4, 1, 1, NULL, NULL, NULL)
      """)

    let copied = try await tool.run("copy", store, tool.path("copy"))
    let verified = try await tool.run("verify", store)

    #expect(copied.ending == .exited(14) && verified.ending == .exited(1))
    for result in [copied.errors, verified.output] {
      for place in ["Note.title: 2 values", "Note.size: 2 values", "Note.ratio: 1 values"] {
        #expect(result.contains(place), "\(place) in \(result)")
      }
    }
  }

  @Test(arguments: ["-wal", "-journal"])
  func `a store is made beside no journal of another one`(ending: String) async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try await store(tool)
    try Data("a journal".utf8).write(to: URL(filePath: tool.path("new" + ending)))

    for words in [
      ["copy", store, tool.path("new"), "--lossy"],
      ["create", tool.path("Model.contents"), tool.path("new")],
      ["migrate", store, "--to", tool.path("Model.contents"), "--lossy", "--output", tool.path("new")],
    ] {
      let result = try await tool.run(words)
      #expect(result.ending == .exited(11) && result.errors.contains("new\(ending)"), "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: tool.path("new")))
    }
  }

  @Test func `a pipe in the place of a journal is waited for by nobody`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try await store(tool)
    try #require(mkfifo(store + "-journal", 0o600) == 0)
    for words in [
      ["info", store], ["verify", store], ["dump", store, "--lossy"], ["dump", store, "--tolerant"],
    ] {
      let result = try await tool.run(words)
      let expected: [Subprocess.Ending] = [.exited(words[0] == "verify" ? 1 : 0), .exited(14)]
      #expect(expected.contains(result.ending), "\(words[0]) \(result.errors)")
    }
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func `a name that SQLite gives to a journal of a store is taken for no output`(ending: String) async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try await store(tool)

    for words in [
      ["copy", store, store + ending, "--lossy"],
      ["export", store, "--jsonl", "--lossy", "--output", store + ending],
      [
        "migrate", store, "--to", tool.path("Model.contents"), "--lossy", "--output", store + ending,
      ],
    ] {
      let result = try await tool.run(words)
      #expect(
        result.ending == .exited(2) && result.errors.contains("journal"), "\(words[0]) \(result.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: store + ending))
  }
}
