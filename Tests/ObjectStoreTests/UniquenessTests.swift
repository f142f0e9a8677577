import Foundation
import ObjectStore
import TICDSSQLite
import Testing

/// Uniqueness constraints and composite indexes: what contexts do about duplicates, and how the file keeps them.
@Suite struct UniquenessTests {
  private let fixture: TemporaryStore

  init() throws {
    let tag = EntityDeclaration(
      "Tag",
      attributes: [.init("name", .string), .init("colour", .string), .init("shade", .string)],
      relationships: [.toMany("notes", to: "Note", inverse: "tag")],
      uniquenessConstraints: [["name"], ["colour", "shade"]],
      indexes: [IndexDescription("byColourAndName", on: ["colour", "name"])])
    let note = EntityDeclaration(
      "Note", attributes: [.init("title", .string)],
      relationships: [.toOne("tag", to: "Tag", inverse: "notes")])
    fixture = try TemporaryStore(ManagedObjectModel(entities: [tag, note]))
  }

  @discardableResult private func insert(
    _ context: ManagedObjectContext, _ name: String?, colour: String? = nil, shade: String? = nil
  ) throws -> ManagedObject {
    let tag = try context.insert(entity: "Tag")
    if let name { tag["name"] = .string(name) }
    if let colour { tag["colour"] = .string(colour) }
    if let shade { tag["shade"] = .string(shade) }
    return tag
  }

  private func tags() throws -> [ManagedObject] {
    try fixture.store.newContext().fetch(FetchRequest<ManagedObject>(entity: "Tag"))
  }

  private func problems(_ body: () throws -> Void) -> [String] {
    let error = #expect(throws: SaveError.self) { try body() }
    return error?.problems.map(\.description) ?? []
  }

  @Test func `a duplicate of a saved object is refused, and both are named`() throws {
    let context = try fixture.store.newContext()
    let first = try insert(context, "red")
    try context.save()
    let second = try insert(context, "red")

    let lines = problems { try context.save() }

    #expect(lines == ["\(second.objectID): name must be unique, but \(first.objectID) has the same"])
    #expect(second.isInserted)
    second["name"] = .string("green")
    try context.save()
    #expect(try tags().count == 2)
  }

  @Test func `two new objects with the same values are both named`() throws {
    let context = try fixture.store.newContext()
    let first = try insert(context, nil, colour: "red", shade: "dark")
    let second = try insert(context, nil, colour: "red", shade: "dark")

    let lines = problems { try context.save() }

    #expect(lines == ["\(second.objectID): colour, shade must be unique, but \(first.objectID) has the same"])
    #expect(try tags().isEmpty)
  }

  @Test func `values that are missing are no duplicates`() throws {
    let context = try fixture.store.newContext()
    for _ in 0..<3 { try insert(context, nil, colour: "red") }

    try context.save()

    #expect(try tags().count == 3)
  }

  @Test func `a value may be taken over from an object that is deleted in the same save`() throws {
    let context = try fixture.store.newContext()
    let first = try insert(context, "red")
    try context.save()

    context.delete(first)
    try insert(context, "red", colour: "new")
    try context.save()

    #expect(try tags().map { $0["colour"] } == [.string("new")])
    try fixture.check()
  }

  @Test(arguments: [MergePolicy.storeWins, .objectWins, .rollback])
  func `a policy folds a new object into the one that is there`(policy: MergePolicy) throws {
    let context = try fixture.store.newContext()
    let saved = try insert(context, "red", colour: "old", shade: "dark")
    try context.save()
    context.mergePolicy = policy
    let rival = try insert(context, "red", colour: "new")
    let note = try context.insert(entity: "Note")
    let tag = try #require(note.entity.index(of: "tag"))
    note.setTarget(rival, at: tag)

    try context.save()

    let left = try #require(try tags().first)
    #expect(try tags().count == 1)
    #expect(left.objectID.key == saved.objectID.key)
    #expect(left["colour"] == .string(policy == .objectWins ? "new" : "old"))
    #expect(left["shade"] == .string("dark"))
    #expect(note.target(at: tag) === (policy == .rollback ? nil : saved))
    #expect(policy == .rollback ? rival.isGone : rival.objectID == saved.objectID)
    try fixture.check()
  }

  @Test func `a changed object takes its unique value back if the store wins`() throws {
    let context = try fixture.store.newContext()
    let red = try insert(context, "red")
    let green = try insert(context, "green")
    try context.save()
    context.mergePolicy = .storeWins

    green["name"] = .string("red")
    green["colour"] = .string("deep")
    try context.save()

    #expect(green["name"] == .string("green"))
    #expect(try tags().map { $0["colour"] }.contains(.string("deep")))
    #expect(red["name"] == .string("red"))
  }

  @Test func `indexes and constraints have Core Data's names and columns`() throws {
    let statement = try fixture.store.newConnection().prepare(
      "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZTAG' AND sql IS NOT NULL ORDER BY name"
    )
    var indexes: [String] = []
    while try statement.step() { indexes.append(statement.text(0)) }

    #expect(
      indexes == [
        "CREATE UNIQUE INDEX Z_Tag_UNIQUE_colour_shade ON ZTAG (ZCOLOUR COLLATE BINARY ASC, ZSHADE COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_Tag_UNIQUE_name ON ZTAG (ZNAME COLLATE BINARY ASC)",
        "CREATE INDEX Z_Tag_byColourAndName ON ZTAG (ZCOLOUR COLLATE BINARY ASC, ZNAME COLLATE BINARY ASC)",
      ])
  }
}
