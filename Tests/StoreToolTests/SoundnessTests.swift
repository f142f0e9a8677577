import CoreDataFormats
import Foundation
import ObjectStore
import ProcessTesting
import SampleFiles
import TICDSSQLite
import Testing

/// What makes Core Data refuse a store, lose something in it or show it wrongly, and only a look at all of it tells.
@Suite struct SoundnessTests {
  private let tool: StoreTool
  private let store: String
  private let owned: JoinTable
  private let tags: JoinTable

  /// Entities that share a table, links of both kinds, and sums of numbers that are not whole.
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDeclaration("Item", isAbstract: true, attributes: [.init("title", .string)]),
      EntityDeclaration(
        "Folder", parent: "Item", relationships: [.toMany("tags", to: "Tag", inverse: "folders")]),
      EntityDeclaration(
        "Paper", parent: "Item", attributes: [.init("key", .string, derivation: "canonical:(title)")]),
      EntityDeclaration(
        "Tag", attributes: [.init("name", .string)],
        relationships: [.toMany("folders", to: "Folder", inverse: "tags"), .toMany("owned", to: "Paper")],
        uniquenessConstraints: [["name"]]),
      EntityDeclaration(
        "Account",
        attributes: [
          .init("total", .double, derivation: "rows.@sum.amount"),
          .init("least", .double, derivation: "rows.@min.amount"),
          .init("last", .date, derivation: "rows.@max.day"),
          .init("cents", .integer64, derivation: "rows.@sum.whole"),
        ], relationships: [.toMany("rows", to: "Row", inverse: "account", maximumCount: 3)]),
      EntityDeclaration(
        "Row",
        attributes: [.init("amount", .double), .init("day", .date), .init("whole", .integer32)],
        relationships: [.toOne("account", to: "Account", inverse: "rows")]),
    ])
  }

  init() throws {
    tool = try StoreTool()
    store = tool.path("store.sqlite")
    var options = PersistentStore.Options()
    options.oneWayLayout = .ownerColumn
    let store = try PersistentStore(model: Self.model(), path: store, options: options)
    let context = try store.newContext()
    owned = try #require(store.schema.joins.first { $0.isInTarget })
    tags = try #require(store.schema.joins.first { !$0.isInTarget })
    let (folder, paper) = (try context.insert(entity: "Folder"), try context.insert(entity: "Paper"))
    paper["title"] = .string("Été")
    let tag = try context.insert(entity: "Tag")
    tag["name"] = .string("red")
    tag.setMembers([folder], "folders")
    tag.setMembers([paper], "owned")
    let account = try context.insert(entity: "Account")
    _ = try context.insert(entity: "Account")
    var rows: [ManagedObject] = []
    for number in 0..<3 {
      let row = try context.insert(entity: "Row")
      row["amount"] = .double(Double(number) + 0.1)
      row["day"] = .date(Double(number) * 86_400)
      row["whole"] = .integer(Int64(number))
      rows.append(row)
    }
    account.setMembers(rows, "rows")
    try context.save()
  }

  private func findings(_ path: String? = nil) async throws -> [(kind: String, severity: String)] {
    let result = try await tool.run("verify", path ?? store, "--json")
    let found = try result.output.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return (
        kind: try #require(object?["kind"] as? String), severity: try #require(object?["severity"] as? String)
      )
    }
    #expect(result.ending == .exited(found.allSatisfy { $0.severity == "hint" } ? 0 : 1), "\(result.errors)")
    return found
  }

  /// The statements that make the triggers of the store, which a change of its values does without.
  private func withoutTriggers(_ connection: Connection, _ sql: String) throws {
    let listing = try connection.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    var triggers: [(name: String, sql: String)] = []
    while try listing.step() { triggers.append((listing.text(0), listing.text(1))) }
    listing.reset()
    for trigger in triggers { try connection.execute(script: "DROP TRIGGER \"\(trigger.name)\"") }
    try connection.execute(script: sql)
    for trigger in triggers { try connection.execute(script: trigger.sql) }
  }

  @Test func `the store that is altered here is sound`() async throws {
    defer { tool.remove() }
    #expect(try await findings().isEmpty)
  }

  @Test(arguments: [
    ("UPDATE ZACCOUNT SET ZTOTAL = ZTOTAL + 0.001 WHERE Z_PK = 1", "error"),
    ("UPDATE ZACCOUNT SET ZTOTAL = ZTOTAL + 1e-9 WHERE Z_PK = 1", "hint"),
    ("UPDATE ZACCOUNT SET ZLAST = ZLAST + 0.5 WHERE Z_PK = 1", "error"),
    ("UPDATE ZACCOUNT SET ZLAST = 0 WHERE Z_PK = 2", "error"),
    ("UPDATE ZACCOUNT SET ZLEAST = 0.1000001 WHERE Z_PK = 1", "error"),
    ("UPDATE ZACCOUNT SET ZCENTS = 4 WHERE Z_PK = 1", "error"),
    ("UPDATE ZITEM SET ZKEY = 'Ete' WHERE ZTITLE IS NOT NULL", "error"),
  ])
  func `a derived value is found that is another, to the last digit where nothing is summed up`(
    sql: String, severity: String
  ) async throws {
    defer { tool.remove() }
    // Given a connection of this library, which has the functions that triggers call.
    let connection = try PersistentStore(model: Self.model(), path: store).newConnection()
    try withoutTriggers(connection, sql)

    let found = try await findings()

    #expect(found.map(\.kind) == ["derivedValue"] && found.first?.severity == severity, "\(found)")
  }

  @Test func `a sum to which a great number was added and taken away is a hint at most`() async throws {
    defer { tool.remove() }
    let connection = try PersistentStore(model: Self.model(), path: store).newConnection()
    try connection.execute(
      script: """
        UPDATE ZROW SET ZAMOUNT = 1e10 WHERE Z_PK = 3; UPDATE ZROW SET ZAMOUNT = 0.3 WHERE Z_PK = 3
        """)

    let found = try await findings()

    #expect(found.map(\.kind) == ["derivedValue"] && found.first?.severity == "hint", "\(found)")
  }

  @Test(arguments: [AttributeType.double, .float, .decimal])
  func `averages are as contexts compute them, whatever SQL makes of the last digits`(type: AttributeType)
    async throws
  {
    defer { tool.remove() }
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Group", attributes: [.init("mean", type, derivation: "items.@avg.x")],
        relationships: [.toMany("items", to: "Item", inverse: "group")]),
      EntityDeclaration(
        "Item", attributes: [.init("x", .double)],
        relationships: [.toOne("group", to: "Group", inverse: "items")]),
    ])
    let path = tool.path("means.sqlite")
    let context = try PersistentStore(model: model, path: path).newContext()
    for group in 0..<20 {
      let items = try (0..<group).map { place in
        let item = try context.insert(entity: "Item")
        item["x"] = .double(Double(group * 7 + place) * 0.1 + 1 / 3)
        return item
      }
      try context.insert(entity: "Group").setMembers(items, "items")
    }
    try context.save()

    #expect(try await findings(path).isEmpty)
    try Connection(path: path).execute(script: "UPDATE ZGROUP SET ZMEAN = ZMEAN + 0.01 WHERE ZMEAN > 1")
    #expect(try await findings(path).map(\.kind) == ["derivedValue"])
  }

  @Test func `what nobody could compute, because no relationship leads back, is a hint`() async throws {
    defer { tool.remove() }
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "List", attributes: [.init("sum", .integer64, derivation: "tags.@sum.size")],
        relationships: [.toMany("tags", to: "Tag")]),
      EntityDeclaration("Tag", attributes: [.init("size", .integer32)]),
    ])
    let path = tool.path("lists.sqlite")
    let context = try PersistentStore(model: model, path: path).newContext()
    let (list, tag) = (try context.insert(entity: "List"), try context.insert(entity: "Tag"))
    tag["size"] = .integer(1)
    list.setMembers([tag], "tags")
    try context.save()
    #expect(try await findings(path).filter { $0.kind == "derivedValue" }.isEmpty)

    tag["size"] = .integer(2)
    try context.save()

    let found = try await findings(path).filter { $0.kind == "derivedValue" }
    #expect(found.map(\.severity) == ["hint"], "\(found)")
  }

  @Test func `two numbers under one name that the model does not have are an error`() async throws {
    defer { tool.remove() }
    try Connection(path: store).execute(
      script: "INSERT INTO Z_PRIMARYKEY VALUES (8, 'Stranger', 0, 0), (9, 'Stranger', 0, 0)")

    let found = try await findings()

    #expect(found.contains { $0.kind == "entityName" && $0.severity == "error" }, "\(found)")
  }

  @Test func `links to objects of another entity are found, in tables of links and in rows`() async throws {
    defer { tool.remove() }
    let connection = try Connection(path: store)
    let paper = "(SELECT Z_PK FROM ZITEM WHERE ZTITLE IS NOT NULL)"
    let isSource = tags.sourceEntity == 3
    try connection.execute(
      script: """
        INSERT INTO \(tags.name) (\(isSource ? tags.targetColumn : tags.sourceColumn), \
        \(isSource ? tags.sourceColumn : tags.targetColumn)) VALUES (\(paper), 1);
        UPDATE ZITEM SET \(owned.sourceColumn) = 1 WHERE ZTITLE IS NULL
        """)

    let kinds = try await findings().map(\.kind)

    #expect(kinds.filter { $0 == "danglingLink" }.count == 2, "\(kinds)")
  }

  @Test(arguments: [
    (
      "CREATE TABLE q AS SELECT * FROM ZTAG; DROP TABLE ZTAG; ALTER TABLE q RENAME TO ZTAG; INSERT INTO ZTAG SELECT * FROM ZTAG",
      "key", "error"
    ),
    ("INSERT INTO Z_PRIMARYKEY VALUES (9, 'Stranger', 0, 0)", "entityName", "hint"),
    (
      "DROP INDEX Z_Tag_UNIQUE_name; CREATE UNIQUE INDEX other ON ZTAG (ZNAME); CREATE UNIQUE INDEX more ON ZITEM (ZTITLE)",
      "constraint", "hint"
    ),
    ("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'", "guessedModel", "hint"),
  ])
  func `what other programs have made of the tables is found`(sql: String, kind: String, severity: String)
    async throws
  {
    defer { tool.remove() }
    try Connection(path: store).execute(script: sql)

    let found = try await findings()

    #expect(found.contains { $0.kind == kind && $0.severity == severity }, "\(found)")
  }

  @Test
  func `a trigger that has a name of the model's and does something else is told, and import refuses it`()
    async throws
  {
    defer { tool.remove() }
    let connection = try Connection(path: store)
    let listing = try connection.prepare(
      "SELECT name, sql FROM sqlite_master WHERE name LIKE 'Z_DA_ZROW_Account_total_PARAMETER_INSERT'")
    #expect(try listing.step())
    let (name, sql) = (listing.text(0), listing.text(1))
    listing.reset()
    try connection.execute(
      script: "DROP TRIGGER \(name); " + sql.replacing("IFNULL(ZTOTAL, 0) +", with: "IFNULL(ZTOTAL, 9) +"))

    let found = try await findings()
    try Data(#"{"entity":"Tag"}"#.utf8).write(to: URL(filePath: tool.path("lines")))
    let imported = try await tool.run("import", store, tool.path("lines"))

    #expect(found.map(\.kind) == ["foreignTrigger"], "\(found)")
    #expect(imported.ending != .exited(0) && imported.errors.contains(name), "\(imported.errors)")
  }

  @Test func `more members than a relationship may have are a warning`() async throws {
    defer { tool.remove() }
    let connection = try PersistentStore(model: Self.model(), path: store).newConnection()
    try connection.execute(
      script: """
        INSERT INTO ZROW (Z_PK, Z_ENT, Z_OPT, ZACCOUNT, ZAMOUNT, ZDAY, ZWHOLE) SELECT 4, Z_ENT, 1, 1, 1, 1, 1 FROM ZROW WHERE Z_PK = 1;
        UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_NAME = 'Row'
        """)

    let found = try await findings().filter { $0.severity != "hint" }

    #expect(found.map(\.kind) == ["surplusMembers"] && found.first?.severity == "warning", "\(found)")
  }

  @Test(arguments: [
    ("NSStoreType", PropertyList.string("Binary"), "metadata"), ("NSStoreType", nil, "metadata"),
    ("NSStoreModelVersionHashesVersion", .integer(4), "metadata"),
    ("NSStoreModelVersionHashesVersion", nil, "metadata"),
    ("NSStoreModelVersionHashesDigest", .string("AAAA"), "versionHash"),
    ("NSStoreModelVersionChecksumKey", .string("AAAA"), "versionHash"),
  ])
  func `metadata with which Core Data refuses a store are found`(
    key: String, value: PropertyList?, kind: String
  ) async throws {
    defer { tool.remove() }
    let connection = try Connection(path: store)
    let statement = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    #expect(try statement.step())
    guard case .dictionary(var entries) = try BinaryPropertyList.decode(statement.blob(0)) else {
      return #expect(Bool(false), "no dictionary")
    }
    statement.reset()
    entries[key] = value
    try connection.run(
      "UPDATE Z_METADATA SET Z_PLIST = ?", .blob(BinaryPropertyList.encode(.dictionary(entries))))

    let found = try await findings()

    #expect(found.map(\.kind) == [kind] && found.first?.severity == "error", "\(found)")
  }

  @Test(arguments: [0, 1, 5] as [UInt8]) func `a binary store that would give out a key again is found`(
    last: UInt8
  ) async throws {
    defer { tool.remove() }
    let binary = tool.path("store.binary")
    #expect(try await tool.run("copy", store, binary, "--as", "binary").ending == .exited(0))
    #expect(try await findings(binary).isEmpty)
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: binary)))
    for index in 48..<56 { bytes[index] = 0 }
    bytes[55] = last
    try Data(bytes).write(to: URL(filePath: binary))

    #expect(try await findings(binary).map(\.kind) == ["keyCounter"])
  }

  @Test(.needsSamples) func `a history that would give out keys again is found`() async throws {
    defer { tool.remove() }
    let sample = try tool.sample("sqlite/plaso_knowledgec-10.13.db")
    try Connection(path: sample).execute(script: "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT > 16000")

    #expect(try await findings(sample).contains { $0.kind == "keyCounter" && $0.severity == "error" })
  }

  @Test func `triggers that compute for all entities of a table leave nothing that is not explained`()
    async throws
  {
    defer { tool.remove() }
    let new = tool.path("new.sqlite")
    #expect(try await tool.run("create", store, new).ending == .exited(0))
    try Data(#"{"entity":"Folder","attributes":{"title":"x"}}"#.utf8).write(
      to: URL(filePath: tool.path("lines")))
    #expect(try await tool.run("import", new, tool.path("lines")).ending == .exited(0))

    #expect(try await findings(new).isEmpty)
    #expect(try await tool.run("dump", new).ending == .exited(0))
  }
}
