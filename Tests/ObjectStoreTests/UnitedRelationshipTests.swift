import ObjectStore
import Testing

/// What becomes of the relationships of a new object that goes because a saved one stands for the same: nothing leads to it any
/// more, whatever the delete rules say.
@Suite struct UnitedRelationshipTests {
  private let fixture: TemporaryStore
  private let context: ManagedObjectContext
  private let saved: ManagedObject

  init() throws {
    let tag = EntityDeclaration(
      "Tag", attributes: [.init("name", .string)],
      relationships: [
        .toMany("friends", to: "Tag", inverse: "friends"),
        .toMany("children", to: "Tag", inverse: "parent"), .toOne("parent", to: "Tag", inverse: "children"),
        .toMany("notes", to: "Note", inverse: "tag", deleteRule: .deny),
        .toMany("papers", to: "Note", inverse: "labels", deleteRule: .deny),
      ],
      uniquenessConstraints: [["name"]])
    let note = EntityDeclaration(
      "Note", attributes: [.init("title", .string)],
      relationships: [
        .toOne("tag", to: "Tag", inverse: "notes"), .toMany("labels", to: "Tag", inverse: "papers"),
      ])
    fixture = try TemporaryStore(ManagedObjectModel(entities: [tag, note]))
    context = try fixture.store.newContext()
    saved = try context.insert(entity: "Tag")
    saved["name"] = .string("red")
    try context.save()
  }

  private func rival() throws -> ManagedObject {
    let rival = try context.insert(entity: "Tag")
    rival["name"] = .string("red")
    return rival
  }

  @Test func `relationships of a new object to itself become relationships of the saved one to itself`()
    throws
  {
    context.mergePolicy = .objectWins
    let rival = try rival()
    rival.setMembers([rival], "friends")
    rival.setMembers([rival], "children")

    try context.save()

    let fresh = try fixture.store.newContext()
    let left = try #require(try fresh.fetch(FetchRequest<ManagedObject>(entity: "Tag")).first)
    #expect(saved.members("friends") == [saved] && left.members("friends") == [left])
    #expect(saved.members("children") == [saved] && left.members("children") == [left])
    #expect(saved.target("parent") === saved && left.target("parent") === left)
    try fixture.check()
  }

  @Test func `what a dropped object was related to forgets it although the rule is to deny its deletion`()
    throws
  {
    context.mergePolicy = .rollback
    let rival = try rival()
    let note = try context.insert(entity: "Note")
    note.setTarget(rival, "tag")
    note.setMembers([rival], "labels")

    try context.save()

    #expect(note.target("tag") == nil && note.committedValue("tag") == .null)
    #expect(note.members("labels").isEmpty)
    note["title"] = .string("saved again")
    try context.save()
    try fixture.check()
  }
}
