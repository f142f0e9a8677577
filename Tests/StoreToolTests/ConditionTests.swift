import Foundation
import ObjectStore
import ProcessTesting
import Testing

/// Conditions of `query` and `count` on values that are missing, great or of different kinds.
@Suite struct ConditionTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDeclaration("Box", relationships: [.toMany("rows", to: "Row", inverse: "box")]),
      EntityDeclaration(
        "Row",
        attributes: [
          .init("any", .integer32), .init("d", .double), .init("day", .date), .init("dec", .decimal),
          .init("i64", .integer64), .init("later", .date), .init("link", .uri), .init("nil", .string),
          .init("s", .string), .init("t", .string),
        ], relationships: [.toOne("box", to: "Box", inverse: "rows")]),
    ])
  }

  /// A box with a row that has all values, one with a row that has a great number, an empty one, and a row without anything.
  private func tool() throws -> StoreTool {
    let tool = try StoreTool()
    let context = try PersistentStore(model: Self.model(), path: tool.path("store.sqlite")).newContext()
    let full = try context.insert(entity: "Row")
    full["any"] = .integer(3)
    full["d"] = .double(2.5)
    full["day"] = .date(0)
    full["dec"] = .decimal(try #require(Decimal(string: "1.5")))
    full["i64"] = .integer(4)
    full["later"] = .date(172_800)
    full["link"] = .uri("http://example.org")
    full["nil"] = .string("x")
    full["s"] = .string("ab")
    full["t"] = .string("ab")
    let great = try context.insert(entity: "Row")
    great["d"] = .double(1e200)
    great["s"] = .string("c")
    _ = try context.insert(entity: "Row")
    for rows in [[full], [great], []] { try context.insert(entity: "Box").setMembers(rows, "rows") }
    try context.save()
    return tool
  }

  private func expect(_ conditions: [(String, Int)], of entity: String) async throws {
    let tool = try tool()
    defer { tool.remove() }
    for (condition, count) in conditions {
      let result = try await tool.run("count", tool.path("store.sqlite"), entity, "--where", condition)
      #expect(result.output == "\(count)\n", "\(condition): \(result.errors)")
    }
  }

  @Test func `two sides that are both missing are neither equal nor different`() async throws {
    try await expect(
      [
        ("i64 / 0 == d", 0), ("d / 0 == dec", 0), ("s == t", 1), ("s != t", 1), ("NOT (s == t)", 2),
        ("s IN {t}", 1), ("t < s", 0),
      ], of: "Row")
  }

  @Test func `only the word nil finds what is missing`() async throws {
    try await expect(
      [
        ("t == nil", 2), ("nil == t", 2), ("t != nil", 1), ("nil != t", 1), ("t IN {nil, 'ab'}", 3),
        ("i64 / 0 == nil", 3), ("nil == i64 / 0", 3), ("t <= nil", 0), ("t BETWEEN {nil, nil}", 0),
        ("t CONTAINS ''", 1), ("t != 'x'", 3), ("i64 / 0 != 5", 3),
      ], of: "Row")
  }

  @Test func `numbers that no decimal holds are computed as doubles`() async throws {
    try await expect(
      [
        ("d * 1 > 1", 2), ("d * 2 == 2e200", 1), ("d * 2 == 5", 1), ("d * 2 == 2e300", 0), ("d < 1e300", 2),
        ("d == 1e200", 1), ("dec < 1e300", 1), ("d / 1e200 == 1", 1), ("d * d * d > 1e308", 1),
        ("0.1 + 0.2 == 0.3", 3), ("dec * 3 == 4.5", 1),
      ], of: "Row")
    try await expect(
      [
        ("rows.@sum.d > 1", 2), ("rows.@sum.d < 1", 1), ("rows.@sum.d == 1e200", 1),
        ("rows.@avg.d == 1e200", 1),
      ], of: "Box")
  }

  @Test func `dates are computed with seconds and with one another`() async throws {
    try await expect(
      [
        ("day + 86400 > '2001-01-01'", 1), ("86400 + day == '2001-01-02'", 1), ("day - 1 < '2001-01-01'", 1),
        ("later - day == 172800", 1), ("later - '2001-01-01' >= 86400 * 2", 1), ("'2001-01-02' < later", 1),
        ("day IN {'2001-01-01', later}", 1), ("day + 172800 == later", 1),
      ], of: "Row")
  }

  @Test func `numbers of objects are compared with all numbers`() async throws {
    try await expect(
      [("rows.@count > 0.5", 2), ("rows.@count == 1.0", 2), ("rows.@count < 2.5", 3)], of: "Box")
    try await expect([("box.rows.@count == 1.0", 2)], of: "Row")
  }

  @Test func `nothing is in an empty list`() async throws {
    try await expect(
      [("s IN {}", 0), ("NOT s IN {}", 3), ("i64 + 1 IN {}", 0), ("nil IN {}", 0)], of: "Row")
  }

  @Test func `a property that is called like a key word is asked for with a mark before its name`()
    async throws
  {
    try await expect(
      [
        ("#any == 3", 1), ("#nil == 'x'", 1), ("#nil == nil", 2), ("(#any + 1) == 4", 1), ("#s == 'ab'", 1),
      ], of: "Row")
    try await expect(
      [("SUBQUERY(rows, $r, $r.#any == 3).@count == 1", 1), ("ANY rows.#nil == 'x'", 1)], of: "Box")
  }

  @Test func `what does not tell capitals or accents apart does not for any comparison`() async throws {
    try await expect(
      [
        ("s ==[c] 'AB'", 1), ("s !=[c] 'AB'", 2), ("s IN[c] {'AB', 'x'}", 1), ("s IN[cd] {'ÄB'}", 1),
        ("s BETWEEN[c] {'AA', 'AC'}", 1), ("s <[c] 'B'", 1), ("s <[c] 'b'", 1), ("s >=[c] 'C'", 1),
        ("t ==[c] nil", 2), ("ANY box.rows.s IN[c] {'AB'}", 1),
      ], of: "Row")
  }

  @Test func `a mark in quotes is no part of the quotes, and text is searched as it is compared`()
    async throws
  {
    try await expect(
      [
        ("s CONTAINS '\u{308}'", 0), ("'a\u{308}' CONTAINS '\u{308}'", 3), ("'a\u{308}' BEGINSWITH 'a'", 3),
        ("'\u{e4}' CONTAINS 'a\u{308}'", 0), ("'\u{e4}' CONTAINS[d] 'a\u{308}'", 3), ("s ENDSWITH 'b'", 1),
      ], of: "Row")
  }

  @Test func `text of addresses is compared with other text`() async throws {
    try await expect(
      [("link == lowercase(link)", 1), ("lowercase(link) == 'http://example.org'", 1)], of: "Row")
  }

  @Test(arguments: [
    ("Row", "s * 2 == nil", "“s” is text"), ("Row", "s == 'a' + 'b'", "“'a'” is text"),
    ("Row", "s == length(s)", "“s” is text and “length(s)” is a number"),
    ("Row", "day * 2 > 1", "“day” is a date"), ("Row", "day + later > 1", "“day” is a date"),
    ("Row", "box + 1 == 2", "“box” is an object"), ("Row", "length(i64) == 1", "“i64” is a number"),
    ("Row", "i64 CONTAINS '1'", "“i64” is a number"), ("Row", "i64 IN[c] {5}", "“i64” is a number"),
    ("Row", "i64 <[c] 5", "“i64” is a number"), ("Row", "s ==[c] t", "needs text in quotes"),
    ("Box", "SUBQUERY(rows, $x, $x == 'a').@count > 0", "“$x” is an object"),
    ("Box", "SUBQUERY(rows, $x, $y.s == 'a').@count > 0", "the objects are called “$x”"),
    ("Row", "i64 ==[c] '1'", "“i64” is a number"),
    ("Row", "s < i64", "“i64” is a number"), ("Row", "i64 IN {s, 2}", "“s” is text"),
    ("Row", "i64 + 1 == 'a'", "“i64 + 1” is a number, and 'a' is none"),
    ("Row", "d > 1.2.3", "“1.2.3” is no number"), ("Row", "a#b == 1", "“a#b” is no name"),
    ("Row", "any == 3", "“#any”"), ("Box", "rows.@sum.s == 0", "“rows.s” is text"),
    ("Box", "rows.@avg.day > 0", "“rows.day” is a date"),
    ("Box", "rows.@count == 'x'", "“rows.@count” is a number, and 'x' is none"),
  ])
  func `what says nothing of any object is refused, and what stands in the way is named`(
    entity: String, condition: String, words: String
  ) async throws {
    let tool = try tool()
    defer { tool.remove() }

    let result = try await tool.run("count", tool.path("store.sqlite"), entity, "--where", condition)

    #expect(result.ending == .exited(2), "\(result.errors)")
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }
}

/// The verb `import` with lines that other programs write.
@Suite struct ForeignLinesTests {
  private func imported(
    _ lines: String, into model: ManagedObjectModel, _ tool: StoreTool
  ) async throws -> Subprocess.Result {
    _ = try PersistentStore(model: model, path: tool.path("store.sqlite"))
    try Data(lines.utf8).write(to: URL(filePath: tool.path("lines")))
    return try await tool.run("import", tool.path("store.sqlite"), tool.path("lines"))
  }

  private static func groups() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Group", attributes: [.init("sum16", .integer16, derivation: "items.@sum.x")],
        relationships: [.toMany("items", to: "Item", inverse: "group")]),
      EntityDeclaration(
        "Item", attributes: [.init("x", .integer16)],
        relationships: [.toOne("group", to: "Group", inverse: "items")]),
    ])
  }

  @Test func `a derived attribute that cannot hold its result is named with what it is derived from`()
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let lines = """
      {"entity":"Group","id":"g","relationships":{"items":["a","b"]}}
      {"entity":"Item","id":"a","attributes":{"x":30000}}
      {"entity":"Item","id":"b","attributes":{"x":30000}}
      """

    let result = try await imported(lines, into: Self.groups(), tool)

    #expect(result.ending == .exited(9))
    let words = "Group.sum16 cannot hold what it is derived from: “sum:(items.x)”"
    #expect(result.errors.contains(words), "\(result.errors)")
  }

  @Test func `an object of another entity is called by its name, and by what it should be`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let lines = """
      {"entity":"Item","id":"a","relationships":{"group":"b"}}
      {"entity":"Item","id":"b"}
      """

    let result = try await imported(lines, into: Self.groups(), tool)

    #expect(result.ending == .exited(9))
    #expect(result.errors.contains("which is an Item and no Group"), "\(result.errors)")
  }

  @Test(arguments: ["\nid,title\n1,a\n2,b\n", "[\n{\"entity\":\"Note\"},\n{\"entity\":\"Note\"}\n]\n", "1"])
  func `that an input holds no JSON lines is said once`(text: String) async throws {
    let tool = try StoreTool()
    defer { tool.remove() }

    let result = try await imported(text, into: RoundTripTests.model(), tool)

    #expect(result.ending == .exited(9))
    #expect(result.errors.contains("holds no JSON lines"), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
  }

  @Test func `a mark before the first line is passed over`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }

    let result = try await imported("\u{FEFF}{\"entity\":\"Note\"}\n", into: RoundTripTests.model(), tool)

    #expect(result.ending == .exited(0), "\(result.errors)")
  }

  @Test(arguments: [
    ("count", "1.0", "1"), ("count", "-2.50e1", "-25"), ("count", "0.0", "0"), ("count", "-0.0", "0"),
    ("size", "1e3", "1000"), ("size", "9007199254740993.0", "9007199254740993"),
    ("size", "9.007199254740993E+15", "9007199254740993"), ("size", "1e18", "1000000000000000000"),
  ])
  func `a whole number is taken however it is written`(attribute: String, text: String, number: String)
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let line = #"{"entity":"Note","attributes":{"\#(attribute)":\#(text)}}"#

    let result = try await imported(line, into: RoundTripTests.model(), tool)

    #expect(result.ending == .exited(0), "\(result.errors)")
    let dumped = try await tool.run("dump", tool.path("store.sqlite"))
    #expect(dumped.output.contains("\"\(attribute)\":\(number),"), "\(dumped.output)")
  }

  @Test(arguments: [
    ("count", "1.000000000000000000000000000000000000000000001"), ("count", "1e5"), ("count", "1e-1"),
    ("size", "9223372036854775808.0"), ("size", "1e19"), ("size", "1e-9223372036854775808"),
  ])
  func `what is not whole, or too great, is refused however it is written`(attribute: String, text: String)
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let line = #"{"entity":"Note","attributes":{"\#(attribute)":\#(text)}}"#

    let result = try await imported(line, into: RoundTripTests.model(), tool)

    #expect(result.ending == .exited(9))
    #expect(result.errors.contains("Note.\(attribute) is no whole number"), "\(result.errors)")
  }

  @Test func `whole numbers of a tree keep all their digits, or are refused`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    func line(_ number: String) -> String { #"{"entity":"Note","attributes":{"style":{"a":\#(number)}}}"# }

    let refused = try await imported(line("18446744073709551616"), into: RoundTripTests.model(), tool)
    let kept = try await imported(line("18446744073709551615"), into: RoundTripTests.model(), tool)

    #expect(refused.ending == .exited(9) && refused.errors.contains("more than 64 bits"), "\(refused.errors)")
    #expect(kept.ending == .exited(0), "\(kept.errors)")
    let dumped = try await tool.run("dump", tool.path("store.sqlite"))
    #expect(dumped.output.contains(#"{"$integer":"18446744073709551615"}"#), "\(dumped.output)")
  }
}
