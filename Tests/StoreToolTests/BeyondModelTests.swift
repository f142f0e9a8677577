import Foundation
import ObjectStore
import ProcessTesting
import TICDSSQLite
import Testing

/// What programs can write into tables and the model does not admit: `verify` finds it, `copy` and `dump` list what they cannot show.
@Suite struct BeyondModelTests {
  /// A store with an abstract entity, numbers of all ranges, long values and objects that must differ.
  private func store(_ tool: StoreTool) throws -> String {
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Base", isAbstract: true,
        attributes: [.init("name", .string)], relationships: [.toMany("tags", to: "Tag", inverse: "owners")]),
      EntityDeclaration(
        "Doc", parent: "Base",
        attributes: [
          .init("amount", .decimal), .init("small", .integer16), .init("mid", .integer32),
          .init("isDone", .boolean), .init("share", .float),
          .init("image", .binary, allowsExternalStorage: true), .init("style", .transformable),
        ]),
      EntityDeclaration("SubDoc", parent: "Doc", attributes: [.init("extra", .string)]),
      EntityDeclaration(
        "Tag", attributes: [.init("code", .string)],
        relationships: [.toMany("owners", to: "Base", inverse: "tags", isOrdered: true)],
        uniquenessConstraints: [["code"]]),
    ])
    let path = tool.path("store.sqlite")
    let context = try PersistentStore(model: model, path: path).newContext()
    for (place, entity) in ["Doc", "SubDoc", "Doc"].enumerated() {
      let object = try context.insert(entity: entity)
      object["name"] = .string("\(place)")
      object["small"] = .integer(Int64(place))
      object["image"] = .data([1, 2, 3])
      if entity == "SubDoc" { object["extra"] = .string("x") }
      let tag = try context.insert(entity: "Tag")
      tag["code"] = .string("\(place)")
      tag.setMembers([object], "owners")
    }
    try context.save()
    return path
  }

  private static let link = "Z_1TAGS"

  /// What is done with SQL, the kind of what `verify` finds, and what `copy` lists as SQLite (`nil`: nothing) and as a binary store.
  struct Case: CustomTestStringConvertible, Sendable {
    let sql: String
    let kind: String
    let loss: String?
    let binaryLoss: String
    var testDescription: String { sql }

    init(_ sql: String, _ kind: String, _ loss: String?, binary: String? = nil) {
      (self.sql, self.kind, self.loss, binaryLoss) = (sql, kind, loss, binary ?? loss ?? "")
    }
  }

  static let unmarked = "Doc.image: 1 values of which the first byte"
  static let cases: [Case] = [
    Case(
      "UPDATE ZBASE SET ZSMALL = 70000 WHERE Z_PK = 1", "misfit", nil, binary: "Doc.small: 1 numbers beyond"),
    Case("UPDATE ZBASE SET ZMID = 3000000000 WHERE Z_PK = 2", "misfit", nil, binary: "SubDoc.mid: 1 numbers"),
    Case("UPDATE ZBASE SET ZAMOUNT = '12x' WHERE Z_PK = 1", "misfit", "Doc.amount: 1 values"),
    Case("UPDATE ZBASE SET ZAMOUNT = '0x1F' WHERE Z_PK = 1", "misfit", "Doc.amount: 1 values"),
    Case("UPDATE ZBASE SET ZISDONE = 2 WHERE Z_PK = 1", "misfit", "Doc.isDone: 1 values"),
    Case("UPDATE ZBASE SET ZSHARE = -1e39 WHERE Z_PK = 1", "misfit", "Doc.share: 1 values"),
    Case("UPDATE ZBASE SET ZIMAGE = x'0041' WHERE Z_PK = 1", "misfit", unmarked),
    Case("UPDATE ZBASE SET ZIMAGE = x'0241' WHERE Z_PK = 1", "misfit", unmarked),
    Case(
      "UPDATE ZBASE SET ZIMAGE = CAST(x'02' || '../../../../../../../../etc/passwords' || x'00' AS BLOB) WHERE Z_PK = 1",
      "misfit", unmarked),
    Case(
      "UPDATE ZBASE SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Base') WHERE Z_PK = 1",
      "unknownEntity", "ZBASE: 1 rows of entities that are abstract"),
    Case(
      "UPDATE ZBASE SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Doc') WHERE Z_PK = 2",
      "unexplained", "ZBASE.ZEXTRA: 1 values in rows of entities that have no such property"),
    Case("UPDATE ZTAG SET Z_PK = 0 WHERE Z_PK = 3", "key", "ZTAG: 1 rows whose key is less than 1"),
    Case("UPDATE ZTAG SET Z_PK = -7 WHERE Z_PK = 3", "key", "ZTAG: 1 rows whose key is less than 1"),
    Case(
      "UPDATE \(link) SET Z_1OWNERS = NULL WHERE rowid = 1", "danglingLink",
      "\(link): 1 links that name no object on one side"),
  ]

  @Test(arguments: cases) func `what no object can have is found, and listed where a copy lacks it`(
    _ test: Case
  ) async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try store(tool)
    let connection = try Connection(path: store)
    try connection.execute(script: test.sql)

    let verified = try await tool.run("verify", store, "--json")
    let dumped = try await tool.run("dump", store)
    let copied = try await tool.run("copy", store, tool.path("copy.sqlite"))
    let binary = try await tool.run("copy", store, tool.path("other.binary"), "--as", "binary")
    let lossy = try await tool.run("copy", store, tool.path("lossy.binary"), "--as", "binary", "--lossy")

    #expect(verified.output.contains("\"kind\":\"\(test.kind)\""), "\(verified.output)")
    #expect(verified.ending == .exited(test.kind == "unexplained" ? 0 : 1))
    #expect(dumped.ending == .exited(test.loss == nil ? 0 : 14), "\(dumped.errors)")
    #expect(copied.ending == .exited(test.loss == nil ? 0 : 14), "\(copied.errors)")
    if let loss = test.loss {
      #expect(dumped.errors.contains(loss) && copied.errors.contains(loss), "\(copied.errors)")
    }
    #expect(binary.ending == .exited(14) && binary.errors.contains(test.binaryLoss), "\(binary.errors)")
    #expect(lossy.ending == .exited(0), "\(lossy.errors)")
    #expect(try await tool.run("dump", tool.path("lossy.binary")).ending == .exited(0))
  }

  @Test func `a row of an abstract entity is counted as little as it is shown`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try store(tool)
    try Connection(path: store).execute(
      script: "UPDATE ZBASE SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Base') WHERE Z_PK = 1"
    )

    let counted = try await tool.lines("count", store, "Base", "--json")
    let tolerant = try await tool.run("dump", store, "--tolerant")

    #expect(counted.first?["count"] as? Int == 2)
    #expect(
      tolerant.ending == .exited(14)
        && tolerant.errors.contains("ZBASE: 1 rows of entities that are abstract"))
    #expect(tolerant.output.split(separator: "\n").count == 5)
  }

  @Test func `objects that must differ and do not are found, and copy names them`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try store(tool)
    let connection = try Connection(path: store)
    let index = try connection.first(
      "SELECT name FROM sqlite_master WHERE name LIKE 'Z\\_Tag\\_UNIQUE%' ESCAPE '\\'")
    guard case .text(let name)? = index else { return #expect(Bool(false), "there is no index") }
    let long = String(repeating: "41", count: 200_000)
    try connection.execute(
      script: """
        DROP INDEX \(name); UPDATE ZTAG SET ZCODE = 'same' WHERE Z_PK > 1;
        UPDATE ZBASE SET ZIMAGE = x'01\(long)' WHERE Z_PK = 1
        """)

    let verified = try await tool.run("verify", store, "--json")
    let copied = try await tool.run("copy", store, tool.path("copy.sqlite"))

    #expect(verified.ending == .exited(1) && verified.output.contains("\"kind\":\"repeatedValue\""))
    #expect(verified.output.contains("/Tag/p3") && verified.output.contains("/Tag/p2"), "\(verified.output)")
    #expect(copied.ending == .exited(9), "\(copied.errors)")
    #expect(copied.errors.contains("/Tag/p3 has the code of x-coredata"), "\(copied.errors)")
    let left = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
    #expect(left.allSatisfy { $0.hasPrefix("store.sqlite") }, "\(left)")
  }

  @Test func `bytes that are no keyed archive are listed before a binary store makes one of them`()
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try store(tool)
    try Connection(path: store).execute(script: "UPDATE ZBASE SET ZSTYLE = x'7879' WHERE Z_PK = 1")

    let binary = try await tool.run("copy", store, tool.path("copy.binary"), "--as", "binary")
    let sqlite = try await tool.run("copy", store, tool.path("copy.sqlite"))

    #expect(
      binary.ending == .exited(14)
        && binary.errors.contains("Doc.style: 1 values that cannot be read as keyed archives")
    )
    #expect(sqlite.ending == .exited(0))
    #expect(
      try Connection(path: tool.path("copy.sqlite")).first("SELECT ZSTYLE FROM ZBASE") == .blob([0x78, 0x79]))
  }

  @Test func `the smallest decimals come back as they were written`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try store(tool)
    let numbers = ["1E-128", "-9E-128", "1E-127", "12E-128", "123456789012345E-128", "1E127", "7E127"]
    let lines = numbers.map { #"{"entity":"Doc","attributes":{"amount":"\#($0)"}}"# }.joined(separator: "\n")

    let imported = try await Subprocess(
      [Checkout.program("ticds-store").path, "import", store, "-"], input: lines
    ).result()
    let dumped = try await tool.lines("dump", store)

    #expect(imported.ending == .exited(0), "\(imported.errors)")
    let amounts = dumped.compactMap { ($0["attributes"] as? [String: Any])?["amount"] as? String }
    #expect(
      Set(amounts.compactMap { Decimal(string: $0) }) == Set(numbers.compactMap { Decimal(string: $0) }))
    #expect(amounts.count == numbers.count)
    #expect(try await tool.run("verify", store).ending == .exited(0))
    let count = try await tool.run("count", store, "Doc", "--where", "amount == 1E-128")
    #expect(count.output == "1\n", "\(count.errors)")
  }

  @Test func `rows with keys that no object has are not counted`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = try store(tool)
    try Connection(path: store).execute(script: "UPDATE ZBASE SET Z_PK = -1 WHERE ZNAME = '0'")

    #expect(try await tool.run("count", store, "Base").output == "2\n")
    #expect(try await tool.lines("query", store, "Base").count == 2)
  }
}
