import Foundation
import SampleFiles
import Testing

/// The built tool on every sampled store.
@Suite(.needsSamples) struct SampleTests {
  @Test(arguments: StoreTool.samples)
  func `every verb that only reads leaves the store as it is`(sample: String) async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try tool.sample(sample)
    let before = try Data(contentsOf: URL(filePath: store))

    let info = try await tool.run("info", store, "--json")
    let model = try await tool.run("model", store)
    let hash = try await tool.run("hash", store)
    let objects = try await tool.lines("dump", store)
    let verification = try await tool.run("verify", store)

    for result in [info, model, hash] { #expect(result.ending == .exited(0), "\(result.errors)") }
    #expect(verification.errors.isEmpty)
    let facts = try #require(try JSONSerialization.jsonObject(with: Data(info.output.utf8)) as? [String: Any])
    let counts = try #require(facts["entities"] as? [[String: Any]]).compactMap { $0["objects"] as? Int }
    #expect(objects.count == counts.reduce(0, +))
    #expect(try Data(contentsOf: URL(filePath: store)) == before)
  }

  @Test(arguments: StoreTool.samples, ["sqlite", "binary"])
  func `a copy dumps the same objects`(sample: String, kind: String) async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try tool.sample(sample)
    let copy = tool.path("copy")

    let complete = try await tool.run("copy", store, tool.path("complete"), "--as", kind)
    let copied = try await tool.run("copy", store, copy, "--as", kind, "--lossy")

    #expect(
      complete.ending == .exited(complete.errors.contains("not taken along") ? 14 : 0), "\(complete.errors)")
    #expect(copied.ending == .exited(0), "\(copied.errors)")
    let isSameKind = sample.hasPrefix(kind)
    let before = try await tool.run("dump", store)
    let after = try await tool.run("dump", copy)
    // A binary store numbers objects anew where keys collide, so only the same kind has the same identifiers; and a
    // value whose file is missing is shown as missing by SQLite stores alone.
    if isSameKind { #expect(before.output == after.output) }
    #expect(before.output.split(separator: "\n").count == after.output.split(separator: "\n").count)
    let again = try await tool.run("copy", store, copy)
    #expect(again.ending == .exited(11))
  }

  @Test func `values are written as the format description says`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }

    let bookmarks = try await tool.lines("dump", try tool.sample("sqlite/ddg_Bookmarks_V4.sqlite"))
    let first = try #require(bookmarks.first)
    let attributes = try #require(first["attributes"] as? [String: Any])
    let relationships = try #require(first["relationships"] as? [String: Any])

    #expect(first["entity"] as? String == "BookmarkEntity")
    #expect(first["id"] as? String == "x-coredata://E688ECA9-D9C7-40C5-94B4-A1F8C6E6A428/BookmarkEntity/p1")
    #expect(attributes["modifiedAt"] as? String == "2023-12-05T16:05:58.135948Z")
    #expect(attributes["isFolder"] as? Bool == false)
    #expect((relationships["parent"] as? String)?.hasSuffix("/BookmarkEntity/p5") == true)
    #expect((relationships["favoriteFolders"] as? [String])?.count == 1)
  }

  @Test func `an ordered relationship keeps its order`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try tool.sample("sqlite/ddg_Bookmarks_V4.sqlite")

    let roots = try await tool.lines("query", store, "BookmarkEntity", "--where", "uuid == 'favorites_root'")

    let relationships = try #require(roots.first?["relationships"] as? [String: Any])
    let keys = (relationships["favorites"] as? [String] ?? []).compactMap { $0.split(separator: "/").last }
    #expect(keys == ["p8", "p1", "p10", "p7", "p9"])
  }

  @Test(arguments: [
    "SUBQUERY(favorites, $b, $b.isFolder == NO).@count == 5", "favorites.@count + 1 == 6",
    "favorites.@count * 2 - 1 = 9", "(favorites.@count + 1) / 4 == 1.5", "length(uuid) == 14",
    "uppercase(uuid) BEGINSWITH 'FAV'", "favorites.@count > children.@count",
    "SUBQUERY(favorites, $b, SUBQUERY($b.favoriteFolders, $f, $f.uuid == 'favorites_root').@count == 1).@count == 5",
    "(uuid == 'favorites_root') AND NOT (favorites.@count < 5)", "favorites.@max.modifiedAt > '2001-01-01'",
    "uuid == lowercase('FAVORITES_ROOT')", "favorites.@count / 0 == nil AND uuid LIKE 'fav*'",
  ])
  func `conditions compute and look into relationships`(condition: String) async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try tool.sample("sqlite/ddg_Bookmarks_V4.sqlite")

    let found = try await tool.lines(
      "query", store, "BookmarkEntity", "--where", "(\(condition)) AND uuid == 'favorites_root'")
    let others = try await tool.lines(
      "query", store, "BookmarkEntity", "--where", "NOT (\(condition)) AND uuid == 'favorites_root'")

    #expect(found.count == 1 && others.isEmpty)
  }

  @Test func `a transformable is shown as the decoded tree`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }

    let settings = try await tool.lines(
      "dump", try tool.sample("binary/sm_mute-civilian_34be5f5.smsetting"), "--entity", "Action")

    let attributes = try #require(settings.first?["attributes"] as? [String: Any])
    #expect((attributes["slot2"] as? [String: Any])?["Selector"] as? String == "Scroll")
  }

  @Test func `a named model gives hashes and names, and another one is refused`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try tool.sample("sqlite/apple_CoreDataBooks.CDBStore")
    let own = try Samples.url("models/apple_CoreDataBooks.elements").path
    let other = try Samples.url("models/xcake_CoreDataBooks_2.elements").path

    let books = try await tool.lines(
      "query", store, "Book", "--model", own, "--sort", "-title", "--limit", "1")
    let refused = try await tool.run("dump", store, "--model", other)

    #expect(
      (books.first?["attributes"] as? [String: Any])?.keys.sorted() == ["author", "copyright", "title"])
    #expect(refused.ending == .exited(12))
    #expect(refused.errors.contains("Book: differs from that in the store"))
  }

  @Test func `hashes of a model are those that the compiler published`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }

    let hashes = try await tool.run("hash", Samples.url("models/ensembles_CDEMigratedTestsModel.mom").path)

    #expect(hashes.output.contains("2d40dcf39f5b"))
    #expect(hashes.output.split(separator: "\n").count == 12)
  }

  @Test func `the XML of a store's model has the same hashes`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try tool.sample("sqlite/wire_store2-101-0.wiredatabase")

    let xml = try await tool.run("model", store, "--xml")
    try FileManager.default.createDirectory(
      atPath: tool.path("M.xcdatamodel"), withIntermediateDirectories: true)
    try Data(xml.output.utf8).write(to: URL(filePath: tool.path("M.xcdatamodel/contents")))
    let before = try await tool.run("hash", store)
    let after = try await tool.run("hash", tool.path("M.xcdatamodel"))

    #expect(before.output == after.output)
    #expect(before.output.split(separator: "\n").count == 24)
  }

  @Test func `conditions and sort keys choose objects`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try tool.sample("sqlite/plaso_Accounts3.sqlite")

    func count(_ condition: String) async throws -> Int {
      try await tool.lines("query", store, "Account", "--where", condition).count
    }
    let all = try await tool.lines("dump", store, "--entity", "Account").count
    let active = try await count("active == YES")

    #expect(try await count("NOT active == YES") == all - active)
    #expect(try await count("active == 1 OR active == 0 OR active == nil") == all)
    #expect(try await count("accountType != nil") + count("accountType == nil") == all)
    #expect(try await count("accountType.identifier BEGINSWITH[c] 'COM.APPLE'") > 0)
    #expect(try await count("childAccounts.@count >= 0") == all)
    #expect(try await count("date > '2000-01-01' AND date < '2100-01-01T00:00:00Z'") == count("date != nil"))
    #expect(try await count("identifier IN {'x', 'y'}") == 0)
    #expect(try await count("ANY childAccounts.active == YES") <= all)
  }

  @Test func `a published store is migrated to the model of a later one`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let later = try tool.sample("sqlite/ddg_Bookmarks_V4.sqlite")

    let result = try await tool.run(
      "migrate", Samples.url("sqlite/ddg_Bookmarks_V1.sqlite").path, "--to", later, "--output",
      tool.path("new.sqlite"))

    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(try await tool.run("verify", tool.path("new.sqlite")).ending == .exited(0))
    #expect(
      try await tool.run("hash", tool.path("new.sqlite")).output == tool.run("hash", later).output)
  }
}
