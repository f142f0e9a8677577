import Foundation
import ObjectStore
import TemporaryFolders
import Testing

/// The examples of `Docs/ObjectStore.md` do what is said beside them.
@Suite struct ObjectStoreExampleTests {
  private let folder: TemporaryFolder
  private let store: PersistentStore
  private let context: ManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    context = try ObjectStoreExamples.open(folder.file("notes.sqlite"))
    store = context.store
  }

  private func note(_ title: String, stars: Int16 = 0, in folder: Folder? = nil) throws -> Note {
    try context.insert(Note.self) {
      $0.title = title
      $0.stars = stars
      $0.folder = folder
    }
  }

  @Test func `types of one's own are attributes`() throws {
    let store = try PersistentStore.inMemory(model: ManagedObjectModel(Job.self))
    let context = try store.newContext()
    try context.insert(Job.self)
    let urgent = try context.insert(Job.self) {
      $0.priority = .high
      $0.colour = Colour(red: 1, green: 2, blue: 3)
    }
    try context.save()
    #expect(try ObjectStoreExamples.findJobs(context) == [urgent])
    context.refresh(urgent)
    #expect(urgent.colour?.green == 2)
  }

  @Test func `values with parts and lists are attributes`() throws {
    let store = try PersistentStore.inMemory(model: ManagedObjectModel(Contact.self))
    let context = try store.newContext()
    let contact = try context.insert(Contact.self) {
      $0.home = Address(street: "Elm Street", town: "Bath")
      $0.nicknames = ["Bo", "Em"]
    }
    try context.save()
    context.refresh(contact)
    #expect(contact.home?.town == "Bath" && contact.nicknames == ["Bo", "Em"])
  }

  @Test func `objects need no classes`() throws {
    let item = try ObjectStoreExamples.insertWithoutClass(folder.file("items.sqlite"))
    #expect(item["name"] == .string("Milk") && !item.objectID.isTemporary)
  }

  @Test func `deleting a folder takes its notes with it`() throws {
    let tag = try context.insert(Tag.self) { $0.name = "t" }
    try ObjectStoreExamples.edit(context, tag: tag)
    #expect(try context.count(Folder.self) == 0 && context.count(Note.self) == 0)
  }

  @Test func `work in the background is seen here`() async throws {
    let note = try note("Shopping")
    try context.save()
    #expect(try await ObjectStoreExamples.exclaim(note, in: store) == 1)
    context.mergePendingChanges()
    #expect(note.title == "Shopping!")
  }

  @Test func `requests find what they say`() throws {
    let home = try context.insert(Folder.self) { $0.name = "Home" }
    let work = try context.insert(Folder.self) { $0.name = "Work" }
    let parent = try context.insert(Folder.self) { $0.children = [home, work] }
    let shopping = try note("Shopping", stars: 5, in: home)
    for _ in 0..<2 { _ = try note("x", stars: 1, in: work) }
    try context.save()

    let (notes, one, letters) = try ObjectStoreExamples.fetch(context)
    #expect(notes == [shopping] && one == shopping && letters == 10)
    let lists = try ObjectStoreExamples.fetchByMembers(context)
    #expect(lists[0] == [home] && lists[1] == [work] && Set(lists[2]) == [home, work])
    #expect(lists[3].first == home && lists[3].count == 3 && lists[3].contains(parent))
    let (starred, newest) = try ObjectStoreExamples.count(context)
    #expect(starred == 1 && newest.count == 3)
    let (lines, titles, total) = try ObjectStoreExamples.summarize(context)
    #expect(try ObjectStoreExamples.rank(store) == [.integer(1), .integer(2), .integer(2)])
    #expect(lines.isEmpty && titles.sorted() == ["Shopping", "x"] && total == 7)
  }

  @Test @MainActor func `live results tell what came, in both ways`() async throws {
    let context = try store.newContext()
    #expect(try await ObjectStoreExamples.showLive(context) == [1, 1])
  }

  @Test func `many rows are changed at once`() throws {
    let home = try context.insert(Folder.self) { $0.name = "Home" }
    let kept = try note("kept", stars: 9, in: home)
    try context.save()
    try ObjectStoreExamples.changeManyRows(context, lines: ["a", "b"])
    #expect(try context.fetch(Note.self) == [kept])
    #expect(kept.stars == 8)
  }

  @Test func `a form is filled in a child, and a step is undone`() throws {
    let note = try note("Shopping")
    try context.save()
    try ObjectStoreExamples.fillForm(note, in: context)
    #expect(note.title == "Yes" && !context.hasChanges)
    ObjectStoreExamples.undo(note, in: context)
    #expect(note.title == "Groceries")
  }

  @Test func `a class checks what the model cannot say`() throws {
    let context = try PersistentStore.inMemory(model: ManagedObjectModel(Chapter.self)).newContext()
    try context.insert(Chapter.self) { $0.title = " x" }
    #expect(throws: SaveError.self) { try context.save() }
  }

  @Test func `participants of a store join every context that saves`() throws {
    ObjectStoreExamples.record(store)
    _ = try note("a")
    try context.save()
    #expect(try context.count(Note.self) == 1)
  }

  @Test func `a migration makes addresses of streets`() throws {
    let person = EntityDeclaration("Person", attributes: [.init("street", .string)])
    let v1 = try ManagedObjectModel(entities: [person])
    let v2 = try ManagedObjectModel(entities: [
      EntityDeclaration("Person", relationships: [.toOne("home", to: "Address")]),
      EntityDeclaration("Address", attributes: [.init("street", .string)]),
    ])
    let path = folder.file("people.sqlite")
    let old = try PersistentStore(model: v1, path: path).newContext()
    try old.insert(entity: "Person")["street"] = .string("Elm Street")
    try old.save()

    let migration = ObjectStoreExamples.describeMigration(v1, v2)
    let store = try PersistentStore(model: v2, path: path, options: .init(migration: migration))
    let people = try store.newContext().fetch(FetchRequest<ManagedObject>(entity: "Address"))

    #expect(people.map { $0["street"] } == [.string("Elm Street")])
    _ = try ObjectStoreExamples.migrate(v2, path)
  }
}
