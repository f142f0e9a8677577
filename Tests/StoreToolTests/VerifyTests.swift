import Foundation
import TICDSSQLite
import ProcessTesting
import Testing

/// What other programs may have done to a store, and `verify` finds.
@Suite struct VerifyTests {
  private func tool() async throws -> StoreTool {
    let tool = try StoreTool()
    try RoundTripTests.fill(tool.path("store.sqlite"))
    return tool
  }

  /// Makes the table of folders anew with keys that SQLite does not take for row numbers.
  private static let textKeys = """
    CREATE TABLE T AS SELECT * FROM ZTAG; DROP TABLE ZTAG; ALTER TABLE T RENAME TO ZTAG;
    INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) SELECT 'one', Z_ENT, 1 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag';
    """

  @Test(arguments: [
    ("UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT WHERE Z_NAME = 'Tag'", "hierarchy"),
    (
      "UPDATE Z_PRIMARYKEY SET Z_SUPER = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Memo') WHERE Z_NAME = 'Note'",
      "hierarchy"
    ),
    ("UPDATE Z_PRIMARYKEY SET Z_SUPER = 0 WHERE Z_NAME = 'Memo'", "hierarchy"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'Tag'", "keyCounter"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775808 WHERE Z_NAME = 'Tag'", "keyCounter"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 'many' WHERE Z_NAME = 'Tag'", "keyCounter"),
    ("UPDATE ZTAG SET Z_ENT = -9223372036854775808 WHERE ZNAME = 'red'", "unknownEntity"),
    ("UPDATE ZTAG SET Z_ENT = -1e400 WHERE ZNAME = 'red'", "unknownEntity"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Note'", "keyCounter"),
    (textKeys, "key"),
    (
      "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) SELECT 2, Z_UUID, Z_PLIST FROM Z_METADATA",
      "metadata"
    ),
    ("UPDATE Z_METADATA SET Z_VERSION = 7", "metadata"),
    ("UPDATE Z_METADATA SET Z_UUID = NULL", "metadata"),
    ("UPDATE Z_METADATA SET Z_UUID = 'not a UUID'", "metadata"),
    ("DROP INDEX Z_Tag_UNIQUE_name", "missingIndex"),
    (
      "DROP INDEX Z_Tag_UNIQUE_name; CREATE UNIQUE INDEX some ON ZTAG (ZNAME) WHERE ZNAME > 'm'",
      "missingIndex"
    ),
    ("DROP TRIGGER Z_DA_ZNOTE_Folder_noteCount_PARAMETER_DELETE", "missingTrigger"),
    ("UPDATE ZFOLDER SET ZNOTECOUNT = 77 WHERE ZPARENT IS NULL", "derivedValue"),
    ("UPDATE ZFOLDER SET ZPARENT = 1.5 WHERE ZPARENT IS NOT NULL", "misfit"),
    ("UPDATE ZFOLDER SET ZPARENT = 'one' WHERE ZPARENT IS NOT NULL", "misfit"),
    ("UPDATE ZFOLDER SET ZNOTECOUNT = NULL WHERE ZPARENT IS NULL", "derivedValue"),
  ])
  func `what other programs have done to the bookkeeping is an error with a kind of its own`(
    sql: String, kind: String
  ) async throws {
    let tool = try await tool()
    defer { tool.remove() }
    try Connection(path: tool.path("store.sqlite")).execute(script: sql)

    let result = try await tool.run("verify", tool.path("store.sqlite"), "--json")

    #expect(result.ending == .exited(1), "\(result.errors)")
    #expect(result.output.contains(#""kind":"\#(kind)""#), "\(result.output)")
  }

  @Test(arguments: [
    ("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Label' WHERE Z_NAME = 'Tag'", "entityName"),
    ("DROP INDEX ZNOTE_ZFOLDER_INDEX", "missingIndex"),
  ])
  func `what only costs time, or may have been so from the first, is a hint`(
    sql: String, kind: String
  ) async throws {
    let tool = try await tool()
    defer { tool.remove() }
    try Connection(path: tool.path("store.sqlite")).execute(script: sql)

    let lines = try await tool.lines("verify", tool.path("store.sqlite"), "--json")

    #expect(lines.map { $0["kind"] as? String } == [kind])
    #expect(lines.first?["severity"] as? String == "hint")
  }

  @Test func `an index of other direction or name does the work of the model's`() async throws {
    let tool = try await tool()
    defer { tool.remove() }
    try Connection(path: tool.path("store.sqlite")).execute(
      script: """
        DROP INDEX Z_Tag_UNIQUE_name; CREATE UNIQUE INDEX other ON ZTAG (ZNAME DESC);
        DROP INDEX ZNOTE_ZFOLDER_INDEX; CREATE INDEX wider ON ZNOTE (ZFOLDER, ZTITLE)
        """)

    #expect(try await tool.lines("verify", tool.path("store.sqlite"), "--json").isEmpty)
  }

  @Test func `derived attributes without any trigger are a hint, and right values are none`() async throws {
    let tool = try await tool()
    defer { tool.remove() }
    let connection = try Connection(path: tool.path("store.sqlite"))
    for name in [
      "PARAMETER_INSERT", "PARAMETER_UPDATE_INCREMENT", "PARAMETER_UPDATE_DECREMENT", "PARAMETER_DELETE",
    ] {
      try connection.execute(script: "DROP TRIGGER Z_DA_ZNOTE_Folder_noteCount_\(name)")
    }
    try connection.execute(script: "DROP TRIGGER Z_DA_ZFOLDER_Folder_noteCount_SOURCE_INSERT")

    let lines = try await tool.lines("verify", tool.path("store.sqlite"), "--json")

    #expect(lines.map { $0["kind"] as? String } == ["missingTrigger"])
    #expect(lines.first?["severity"] as? String == "hint")
  }

  @Test func `a store as this library makes it has nothing to be found`() async throws {
    let tool = try await tool()
    defer { tool.remove() }
    let result = try await tool.run("verify", tool.path("store.sqlite"), "--json")
    #expect(result.ending == .exited(0) && result.output.isEmpty, "\(result.output)")
  }

  @Test func `a trigger of others is a hint, a copy has none, and import lets none run`() async throws {
    let tool = try await tool()
    defer { tool.remove() }
    let store = tool.path("store.sqlite")
    try Connection(path: store).execute(
      script: """
        CREATE TRIGGER endless AFTER INSERT ON ZTAG BEGIN
        INSERT INTO ZTAG (Z_ENT) WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x FROM n; END
        """)
    let found = try await tool.lines("verify", store, "--json")
    #expect(found.count == 1 && found.first?["kind"] as? String == "foreignTrigger")
    let lines = tool.path("lines")
    try Data(#"{"entity":"Tag","id":"a","attributes":{"name":"new"},"relationships":{}}"#.utf8).write(
      to: URL(filePath: lines))

    let refused = try await tool.run("import", store, lines)

    #expect(refused.ending != .exited(0) && refused.errors.contains("endless"))
    #expect(try await tool.run("copy", store, tool.path("copy.sqlite")).ending == .exited(0))
    let imported = try await tool.run("import", tool.path("copy.sqlite"), lines)
    #expect(imported.ending == .exited(0), "\(imported.errors)")
  }

  @Test(arguments: [[UInt8](), [UInt8](repeating: 7, count: 5_000)])
  func `a log of others beside a store with rollback journals gets no index`(log: [UInt8]) async throws {
    let tool = try await tool()
    defer { tool.remove() }
    let store = tool.path("other.sqlite")
    #expect(try await tool.run("copy", tool.path("store.sqlite"), store).ending == .exited(0))
    try Data(log).write(to: URL(filePath: store + "-wal"))

    #expect(try await tool.run("verify", store).ending == .exited(0))

    #expect(!FileManager.default.fileExists(atPath: store + "-shm"))
    #expect(try Data(contentsOf: URL(filePath: store + "-wal")) == Data(log))
  }
}
