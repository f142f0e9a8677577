import Foundation
import ObjectStore
import ProcessTesting
import Testing

/// The verb `query` with `--csv`, read by a program that is not ours.
@Suite struct TableTests {
  @Test func `a table holds every value, and tells missing ones from empty texts`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Note",
        attributes: [.init("count", .integer32), .init("id", .string), .init("text", .string)],
        relationships: [.toMany("others", to: "Note", inverse: "others")]),
      EntityDeclaration("Memo", parent: "Note", attributes: [.init("extra", .string)]),
    ])
    let context = try PersistentStore(model: model, path: tool.path("store.sqlite")).newContext()
    let texts: [String?] = ["a, \"b\"\r\nc", "", nil, "=1+1"]
    var notes: [ManagedObject] = []
    for (number, text) in texts.enumerated() {
      let note = try context.insert(entity: number == 3 ? "Memo" : "Note")
      note["text"] = text.map { .string($0) } ?? .null
      note["count"] = .integer(Int64(number))
      note["id"] = .string("n\(number)")
      notes.append(note)
    }
    notes[0].setMembers([notes[1], notes[2]], "others")
    try context.save()

    let table = try await tool.run(
      "query", tool.path("store.sqlite"), "Note", "--csv", "--sort", "count", "--where", "count != 7")

    #expect(table.ending == .exited(0), "\(table.errors)")
    let reading = """
      import csv, json, sys
      print(json.dumps(list(csv.reader(open(sys.argv[1], newline='')))))
      """
    try Data(table.output.utf8).write(to: URL(filePath: tool.path("table.csv")))
    let read = try await Subprocess.run(["python3", "-c", reading, tool.path("table.csv")])
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(read.output.utf8)) as? [[String]])
    #expect(rows[0] == ["id", "entity", "count", "id", "text", "others"])
    #expect(rows.dropFirst().map { $0[1] } == ["Note", "Note", "Note", "Memo"])
    #expect(rows.dropFirst().map { $0[3] } == ["n0", "n1", "n2", "n3"])
    #expect(rows.dropFirst().map { $0[4] } == texts.map { $0 ?? "" })
    #expect(rows[1][5] == "\(rows[2][0]) \(rows[3][0])")
    #expect(table.output.contains(",n1,\"\","))
    #expect(table.output.contains(",n2,,"))
  }

  @Test func `SQL reads with the names of the model, as JSON and as a table`() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration("Order", attributes: [.init("day", .date), .init("price", .integer32)])
    ])
    let context = try PersistentStore(model: model, path: tool.path("store.sqlite")).newContext()
    for price in [3, 4] {
      let order = try context.insert(entity: "Order")
      order["price"] = .integer(Int64(price))
      order["day"] = .date(0)
    }
    try context.save()
    let path = tool.path("store.sqlite")

    let lines = try await tool.lines(
      "sql", path, #"SELECT day, price, price * 2 AS price FROM "Order" ORDER BY price DESC"#)
    let table = try await tool.run("sql", path, #"SELECT sum(price), NULL, '' FROM "Order""#, "--csv")
    let wrong = try await tool.run("sql", path, "SELECT prize FROM \"Order\"")
    let writing = try await tool.run("sql", path, "DELETE FROM ZORDER")

    #expect(lines.count == 2 && lines[0]["day"] as? String == "2001-01-01T00:00:00.000Z")
    #expect(lines[0]["price"] as? Int == 4 && lines[0]["price (3)"] as? Int == 8)
    #expect(table.output == "sum(price),NULL,''\r\n7,,\"\"\r\n")
    #expect(wrong.ending == .exited(2) && wrong.errors.contains("prize"))
    #expect(writing.ending == .exited(2) && writing.output.isEmpty)
    #expect(try await tool.lines("dump", path).count == 2)
  }
}
