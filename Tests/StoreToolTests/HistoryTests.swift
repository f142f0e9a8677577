import Foundation
import ObjectStore
import TICDSSQLite
import SampleFiles
import Testing

/// The verb `history`, on published stores and on history that is not as it should be.
@Suite struct HistoryTests {
  /// Two saves in the tables that Core Data has had since 2019; the mask of the second names the folder and the title.
  private static let rows = """
    CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB );
    CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
    CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
    INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'com.example.notes'), (2, 16003, 1, 'sync');
    INSERT INTO ATRANSACTION VALUES (1, 16002, 1, NULL, 1, NULL, NULL, 0.5, NULL, NULL, NULL, 'notes', NULL),
      (3, 16002, 1, 2, 1, NULL, NULL, 100, NULL, NULL, NULL, NULL, NULL);
    INSERT INTO ACHANGE VALUES (1, 16001, 1, 0, 2, 1, 1, NULL, NULL, NULL), (2, 16001, 1, 0, 1, 1, 1, NULL, NULL, NULL),
      (3, 16001, 1, 1, 2, 1, 3, x'90', NULL, NULL), (4, 16001, 1, 2, 2, 2, 3, NULL, 7, 'gone');
    """

  private func store(_ tool: StoreTool, _ sql: String = rows) throws -> String {
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Folder", attributes: [.init("name", .string)],
        relationships: [.toMany("notes", to: "Note", inverse: "folder", isOrdered: true)]),
      EntityDeclaration(
        "Note",
        attributes: [
          .init("memory", .string, isTransient: true),
          .init("pages", .integer16, preservesValueOnDeletion: true),
          .init("title", .string, preservesValueOnDeletion: true),
        ],
        relationships: [.toOne("folder", to: "Folder", inverse: "notes")]),
    ])
    let store = try PersistentStore(model: model, path: tool.path("store.sqlite"))
    try store.newConnection().execute(script: sql)
    return tool.path("store.sqlite")
  }

  @Test func `saves and what they changed are shown as lines for programs and for people`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let path = try store(tool)

    let lines = try await tool.lines("history", path, "--json")
    let text = try await tool.run("history", path)

    #expect(lines.map { $0["transaction"] as? Int } == [1, nil, nil, 3, nil, nil])
    #expect(lines[0]["time"] as? String == "2001-01-01T00:00:00.500Z")
    #expect(lines[0]["bundle"] as? String == "com.example.notes" && lines[0]["process"] as? String == "notes")
    #expect(lines[0]["author"] is NSNull && lines[3]["author"] as? String == "sync")
    #expect(lines[1]["kind"] as? String == "inserted" && lines[1]["entity"] as? String == "Note")
    #expect((lines[1]["id"] as? String)?.hasSuffix("/Note/p1") == true && lines[1]["properties"] == nil)
    // The first bit is the folder's key, the second its place; then come pages and title.
    #expect(lines[4]["properties"] as? [String] == ["folder", "title"])
    let tombstone = try #require(lines[5]["tombstone"] as? [String: Any])
    #expect(
      tombstone["pages"] as? Int == 7 && tombstone["title"] as? String == "gone" && tombstone.count == 2)
    #expect(
      text.output.contains("transaction 3  2001-01-01T00:01:40.000Z, author sync, bundle com.example.notes\n")
    )
    #expect(text.output.contains("/Note/p2  pages: 7; title: \"gone\"\n"))
    #expect(text.output.contains("    ~ ") && text.output.contains("/Note/p1  folder, title\n"))
  }

  @Test func `saves are chosen by their author, number, entity, and by what an earlier copy has`()
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let path = try store(tool)
    _ = try await tool.run("copy", path, tool.path("copy.sqlite"))
    try PersistentStore(model: StoreFile(path: path).model, path: path).newConnection().execute(
      script:
        "INSERT INTO ATRANSACTION (Z_PK) VALUES (4); INSERT INTO ACHANGE (Z_PK, ZENTITY, ZENTITYPK, ZCHANGETYPE, ZTRANSACTIONID) VALUES (5, 1, 1, 1, 4)"
    )

    func numbers(_ words: String...) async throws -> [Int] {
      let result = try await tool.run(["history", path, "--json"] + words)
      #expect(result.ending == .exited(0), "\(result.errors)")
      return result.output.split(separator: "\n").compactMap { line in
        (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["transaction"] as? Int
      }
    }
    #expect(try await numbers("--author", "sync") == [3])
    #expect(try await numbers("--after", "1") == [3, 4])
    #expect(try await numbers("--entity", "Folder") == [1, 4])
    #expect(try await numbers("--since", tool.path("copy.sqlite")) == [4])
    _ = try await tool.run("create", path, tool.path("other.sqlite"))
    let other = try await tool.run("history", path, "--since", tool.path("other.sqlite"))
    #expect(other.ending == .exited(12) && other.errors.contains("diff"))
  }

  @Test func `history that is not as it should be is shown as far as it says something`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let path = try store(
      tool,
      Self.rows + """
        ;INSERT INTO ACHANGE VALUES (10, 1, 1, 9, 99, -5, 3, x'FFFF', NULL, NULL), (11, 1, 1, 1, 2, 1, 3, x'0F', NULL, NULL),
          (12, 1, 1, 1, 2, 1, 77, x'10', NULL, NULL), (13, 1, 1, 'x', 'y', 'z', NULL, 'text', x'00', x'00'),
          (14, 1, 1, 2, 2, 3, 3, NULL, x'FF', x'FF');
        INSERT INTO ATRANSACTION (Z_PK, ZTIMESTAMP, ZAUTHORTS) VALUES (-4, 1e300, 1), (9, 'soon', 55);
        """)

    let lines = try await tool.lines("history", path, "--json")
    let text = try await tool.run("history", path)

    #expect(text.ending == .exited(0), "\(text.errors)")
    func change(_ number: Int) throws -> [String: Any] {
      try #require(lines.first { $0["change"] as? Int == number })
    }
    #expect(
      try change(10)["kind"] as? Int == 9 && change(10)["entity"] as? Int == 99 && change(10)["id"] is NSNull)
    #expect(try change(10)["properties"] is NSNull && change(10)["mask"] as? String == "//8=")
    #expect(try change(11)["properties"] is NSNull)
    #expect(try change(12)["properties"] as? [String] == ["title"])
    let lost = try #require(lines.firstIndex { $0["transaction"] is NSNull })
    #expect(lines[lost...].compactMap { $0["change"] as? Int } == [12, 13])
    #expect(text.output.contains("does not have (any more)"))
  }

  @Test func `a store without history says so, and what to use`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let path = try store(tool, "SELECT 1")
    _ = try await tool.run("copy", path, tool.path("binary"), "--as", "binary")

    for store in [path, tool.path("binary")] {
      let result = try await tool.run("history", store)
      #expect(result.ending == .exited(5) && result.errors.contains("diff") && result.output.isEmpty)
    }
    #expect(try await tool.run("history", path, "--after", "x").ending == .exited(2))
  }

  @Test(.needsSamples) func `the masks of a published store name what its saves must have changed`()
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try tool.sample("sqlite/plaso_knowledgec-10.13.db")

    let lines = try await tool.lines("history", store, "--json")

    let changes = lines.filter { $0["change"] != nil }
    #expect(lines.count - changes.count == 536 && changes.count == 1_115)
    func kinds(_ entity: String) -> [String: Int] {
      Dictionary(grouping: changes.filter { $0["entity"] as? String == entity }) {
        $0["kind"] as? String ?? "?"
      }
      .mapValues(\.count)
    }
    #expect(kinds("Event") == ["inserted": 528, "deleted": 507])
    #expect(changes.allSatisfy { ($0["properties"] == nil) == ($0["kind"] as? String != "updated") })
    // Events were deleted, so their sources have less products; of their metadata, the hash changes with every value.
    let sources = changes.filter { $0["entity"] as? String == "Source" && $0["kind"] as? String == "updated" }
    #expect(sources.count == 14 && sources.allSatisfy { $0["properties"] as? [String] == ["product"] })
    let metadata = changes.filter {
      $0["entity"] as? String == "StructuredMetadata" && $0["kind"] as? String == "updated"
    }
    let explained = metadata.filter { change in
      let properties = change["properties"] as? [String] ?? []
      return properties.contains("metadataHash") || properties.contains("event")
    }
    #expect(metadata.count == 14 && explained.count == 13)
    let deleted = try #require(
      changes.first { $0["entity"] as? String == "Event" && $0["kind"] as? String == "deleted" })
    let tombstone = try #require(deleted["tombstone"] as? [String: Any])
    #expect((tombstone["uuid"] as? String).flatMap(UUID.init) != nil, "\(tombstone)")
  }

  @Test(.needsSamples) func `names that stand in a table of their own are found`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }

    let lines = try await tool.lines(
      "history", try tool.sample("evidence/coredataplus_SampleModel2_V2.sqlite"), "--json")

    #expect(lines.count == 127)
    #expect(
      lines[0]["bundle"] as? String == "com.apple.dt.xctest.tool"
        && lines[0]["process"] as? String == "xctest")
    #expect(lines[0]["time"] as? String == "2024-05-10T18:14:11.681977Z")
    #expect(lines.dropFirst().allSatisfy { $0["kind"] as? String == "inserted" && $0["id"] is String })
  }
}
