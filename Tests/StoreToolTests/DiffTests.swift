import ByteFixtures
import Foundation
import ObjectStore
import ProcessTesting
import Testing

/// The verb `diff` of the built tool.
@Suite struct DiffTests {
  private let tool: StoreTool
  private let old: ManagedObjectModel

  init() throws {
    tool = try StoreTool()
    old = try ManagedObjectModel(entities: [Self.note, Self.folder])
    try Data(old.xml.utf8).write(to: URL(filePath: tool.path("Old.contents")))
  }

  private static let note = EntityDeclaration(
    "Note", attributes: [.init("title", .string, isIndexed: true), .init("size", .integer32)],
    relationships: [.toOne("folder", to: "Folder", inverse: "notes")])
  private static let folder = EntityDeclaration(
    "Folder", attributes: [.init("name", .string)],
    relationships: [.toMany("notes", to: "Note", inverse: "folder")])

  private func json(_ words: String..., code: Int32) async throws -> [String: Any] {
    let result = try await tool.run(["diff"] + words + ["--json"])
    #expect(result.ending == .exited(code), "\(result.errors)")
    return try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
  }

  /// Entities and properties as a sequence of marks and names.
  private func modelLines(_ json: [String: Any]) throws -> [String] {
    let model = try #require(json["model"] as? [String: Any])
    func line(_ item: [String: Any]) -> String {
      let traits = (item["traits"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
      let former = (item["formerName"] as? String).map { "\($0) → " } ?? ""
      let name = "\(item["kind"] as? String ?? "") \(former)\(item["name"] as? String ?? "")"
      return item["kind"] as? String == "changed" ? ([name] + traits).joined(separator: " ") : name
    }
    return try #require(model["entities"] as? [[String: Any]]).flatMap { entity in
      [line(entity)] + (entity["properties"] as? [[String: Any]] ?? []).map { "  " + line($0) }
    }
  }

  @Test func `versions of a model are told apart by entity and property, through renaming`() async throws {
    defer { tool.remove() }
    var note = Self.note
    note.name = "Memo"
    note.renamingIdentifier = "Note"
    note.properties[0] = .attribute(.init("title", .string, isOptional: false))
    note.properties[1] = .attribute(.init("extent", .integer16, renamingIdentifier: "size"))
    note.properties[2] = .relationship(.toOne("folder", to: "Folder", inverse: "memos"))
    var folder = Self.folder
    var memos = RelationshipDescription.toMany("memos", to: "Memo", inverse: "folder")
    memos.renamingIdentifier = "notes"
    folder.properties = [.relationship(memos)]
    let new = try ManagedObjectModel(entities: [EntityDeclaration("Album"), note, folder])
    try Data(new.xml.utf8).write(to: URL(filePath: tool.path("New.contents")))

    let differences = try await json(tool.path("Old.contents"), tool.path("New.contents"), code: 1)

    #expect(
      try modelLines(differences) == [
        "added Album",
        "changed Folder", "  changed notes → memos renamingIdentifier", "  removed name",
        "changed Note → Memo renamingIdentifier",
        "  changed size → extent type renamingIdentifier", "  changed title optional indexed",
      ])
    #expect(differences["objects"] is NSNull)
    let model = try #require(differences["model"] as? [String: Any])
    #expect((model["problems"] as? [String])?.count == 1)
    let words = try await tool.run("diff", tool.path("Old.contents"), tool.path("New.contents")).output
    #expect(words.contains("~ entity Note → Memo, the version hash differs"))
    #expect(words.contains("        optional: true → false"))
    #expect(words.contains("not to be inferred by a migration: Memo.extent"))
  }

  @Test func `equal models and equal stores end with 0, and a store is compared with a model`() async throws {
    defer { tool.remove() }
    let path = tool.path("store.sqlite")
    _ = try PersistentStore(model: old, path: path)

    let models = try await tool.run("diff", tool.path("Old.contents"), tool.path("Old.contents"))
    let stores = try await tool.run("diff", path, path)
    let mixed = try await tool.run("diff", path, tool.path("Old.contents"))
    let absent = try await tool.run("diff", path, tool.path("nothing"))

    #expect(models.ending == .exited(0) && models.output == "The models are equal.\n", "\(models.errors)")
    #expect(stores.ending == .exited(0) && stores.output == "Both stores are equal.\n", "\(stores.errors)")
    #expect(mixed.ending == .exited(0) && mixed.output == "The models are equal.\n", "\(mixed.errors)")
    #expect(absent.ending == .exited(5))
  }

  @Test func `stores that are not copies of one another are compared with a warning`() async throws {
    defer { tool.remove() }
    for name in ["a.sqlite", "b.sqlite"] {
      let context = try PersistentStore(model: old, path: tool.path(name)).newContext()
      try context.insert(entity: "Folder")["name"] = .string(name)
      try context.save()
    }

    let result = try await tool.run("diff", tool.path("a.sqlite"), tool.path("b.sqlite"))

    #expect(result.ending == .exited(1))
    #expect(result.output.contains(#"    name: "a.sqlite" → "b.sqlite""#), "\(result.output)")
    #expect(result.errors.contains("are not copies of one another"))
  }

  @Test func `what a migration changes in the model alone is no change of objects`() async throws {
    defer { tool.remove() }
    let context = try PersistentStore(model: old, path: tool.path("old.sqlite")).newContext()
    let folder = try context.insert(entity: "Folder")
    let note = try context.insert(entity: "Note")
    note["title"] = .string("t")
    note["size"] = .integer(3)
    note.setTarget(folder, at: try #require(note.entity.index(of: "folder")))
    try context.save()
    var longer = Self.note
    longer.properties[1] = .attribute(.init("extent", .integer64, renamingIdentifier: "size"))
    longer.properties.append(.attribute(.init("stars", .integer16, defaultValue: .integer(1))))
    let new = try ManagedObjectModel(entities: [EntityDeclaration("Album"), longer, Self.folder])
    try Data(new.xml.utf8).write(to: URL(filePath: tool.path("New.contents")))
    let migrated = try await tool.run(
      "migrate", tool.path("old.sqlite"), "--to", tool.path("New.contents"), "--output",
      tool.path("new.sqlite"))
    #expect(migrated.ending == .exited(0), "\(migrated.errors)")

    let differences = try await json(tool.path("old.sqlite"), tool.path("new.sqlite"), code: 1)

    #expect(
      try modelLines(differences) == [
        "added Album", "changed Note", "  changed size → extent type renamingIdentifier", "  added stars",
      ])
    #expect((differences["objects"] as? [Any])?.isEmpty == true)
  }

  // MARK: - Against a comparison in memory

  private func edit(_ path: String, _ random: inout SeededGenerator) throws {
    let context = try PersistentStore(model: old, path: path).newContext()
    let all = FetchRequest<ManagedObject>.self
    var notes = try context.fetch(all.init(entity: "Note"))
    var folders = try context.fetch(all.init(entity: "Folder"))
    let place = try #require(old.entity(named: "Note")?.index(of: "folder"))
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: folders.append(try context.insert(entity: "Folder"))
      case 1: notes.append(try context.insert(entity: "Note"))
      case 2:
        folders.randomElement(using: &random)?["name"] = .string(
          "\u{1b}[1m\(Int.random(in: 0..<4, using: &random))")
      case 3: notes.randomElement(using: &random)?["size"] = .integer(Int64.random(in: 0..<4, using: &random))
      case 4: notes.randomElement(using: &random)?.setTarget(folders.randomElement(using: &random), at: place)
      default:
        guard let index = notes.indices.randomElement(using: &random) else { break }
        context.delete(notes.remove(at: index))
      }
    }
    try context.save()
  }

  /// Kind, object and names of properties, from whole stores held in memory.
  private func expected(_ first: String, _ second: String) throws -> Set<String> {
    let (old, new) = (try StoreFile(path: first), try StoreFile(path: second))
    let before = Dictionary(
      uniqueKeysWithValues: try old.objects().allObjects().map { ($0.reference, $0) })
    let after = Dictionary(
      uniqueKeysWithValues: try new.objects().allObjects().map { ($0.reference, $0) })
    var lines: Set<String> = []
    for reference in Set(before.keys).union(after.keys) {
      let uri = new.uri(of: reference)
      switch (before[reference], after[reference]) {
      case (nil, _): lines.insert("added \(uri)")
      case (_, nil): lines.insert("removed \(uri)")
      case (let left?, let right?):
        let entity = new.model.entities[reference.entity]
        let names = entity.properties.indices.filter { index in
          index < entity.attributeCount
            ? left.attributes[index] != right.attributes[index]
            : left.relationships[index - entity.attributeCount]
              != right.relationships[index - entity.attributeCount]
        }.map { entity.properties[$0].name }
        if !names.isEmpty { lines.insert("changed \(uri) \(names.sorted().joined(separator: " "))") }
      }
    }
    return lines
  }

  @Test(arguments: 0..<12)
  func `two copies of a store differ in what was changed between them, and in nothing else`(seed: Int)
    async throws
  {
    defer { tool.remove() }
    var random = SeededGenerator(seed: UInt64(seed))
    let (first, second) = (tool.path("first.sqlite"), tool.path("second.sqlite"))
    for _ in 0..<3 { try edit(first, &random) }
    #expect(try await tool.run("copy", first, second).ending == .exited(0))
    try edit(second, &random)
    let expected = try expected(first, second)

    let differences = try await json(first, second, code: expected.isEmpty ? 0 : 1)

    let found = try #require(differences["objects"] as? [[String: Any]]).map { object in
      let kind = object["kind"] as? String ?? ""
      let names = (object["properties"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
      let words = [kind, object["id"] as? String ?? ""] + (kind == "changed" ? names.sorted() : [])
      return words.joined(separator: " ")
    }
    #expect(found.count == Set(found).count && Set(found) == expected)
    #expect(try await !tool.run("diff", first, second).output.contains("\u{1b}"))
  }

  @Test func `an expression of a derived attribute is the same in the words of the editor and of archives`()
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    func model(_ expression: String) throws -> String {
      let path = tool.path("\(expression.filter(\.isLetter)).contents")
      let contents = """
        <model><entity name="Folder"><attribute name="sum" optional="YES" attributeType="Integer 64" derived="YES" \
        derivationExpression="\(expression)"/><relationship name="notes" optional="YES" toMany="YES" \
        destinationEntity="Note" inverseName="folder" inverseEntity="Note"/></entity><entity name="Note">\
        <attribute name="size" optional="YES" attributeType="Integer 64"/><relationship name="folder" optional="YES" \
        maxCount="1" destinationEntity="Folder" inverseName="notes" inverseEntity="Folder"/></entity></model>
        """
      try Data(contents.utf8).write(to: URL(filePath: path))
      return path
    }
    let (count, sum) = (try model("notes.@count"), try model("notes.@sum.size"))
    for (number, path) in [count, sum].enumerated() {
      let store = tool.path("store\(number).sqlite")
      #expect(try await tool.run("create", path, store).ending == .exited(0))
      #expect(try await tool.run("diff", path, store).ending == .exited(0))
    }
    #expect(try await tool.run("diff", count, sum).ending == .exited(1))
  }
}
