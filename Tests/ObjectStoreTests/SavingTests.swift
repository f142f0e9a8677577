import Foundation
import ObjectStore
import TICDSSQLite
import Testing

@Suite struct SavingTests {
  @Test func `values of every type come back from the store as they were set`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let identifier = UUID()
    try context.insert(Note.self) {
      $0.title = "Milk and 🥚"
      $0.modified = Date(timeIntervalSinceReferenceDate: 12.5)
      $0.stars = -3
      $0.weight = 0.1
      $0.picture = Data([0, 255, 7])
      $0.identifier = identifier
      $0.draft = "only in memory"
    }
    try context.save()

    let note = try #require(try fixture.store.newContext().fetch(Note.self).first)

    #expect(note.isGone == false)
    #expect(note.title == "Milk and 🥚")
    #expect(note.modified == Date(timeIntervalSinceReferenceDate: 12.5))
    #expect(note.stars == -3)
    #expect(note.weight == 0.1)
    #expect(note.picture == Data([0, 255, 7]))
    #expect(note.identifier == identifier)
    #expect(note.draft == nil)
    try fixture.check()
  }

  @Test func `a to-one relationship and its inverse agree before and after a save`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let folder = try context.insert(Folder.self) { $0.name = "Home" }
    let note = try context.insert(Note.self) { $0.title = "Door" }
    note.folder = folder
    #expect(folder.notes == [note])
    try context.save()

    let other = try fixture.store.newContext()
    let found = try #require(try other.first(Folder.self, where: \.name == "Home"))
    #expect(found.notes.map(\.title) == ["Door"])
    #expect(found.notes.first?.folder === found)
    try fixture.check()
  }

  @Test func `links of a many-to-many relationship are written once and seen from both sides`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let notes = try (0..<3).map { index in try context.insert(Note.self) { $0.title = "n\(index)" } }
    let tags = try (0..<3).map { index in try context.insert(Tag.self) { $0.name = "t\(index)" } }
    notes[0].tags = [tags[0], tags[1]]
    tags[1].$notes.insert(notes[2])
    #expect(tags[1].notes == [notes[0], notes[2]])
    try context.save()
    notes[0].$tags.remove(tags[0])
    tags[2].notes = [notes[0], notes[1]]
    try context.save()

    let other = try fixture.store.newContext()
    let found = try other.fetch(FetchRequest<Tag>().sorted(by: \.name))
    #expect(found.map { $0.notes.map(\.title).sorted() } == [[], ["n0", "n2"], ["n0", "n1"]])
    #expect(try context.connection.first("SELECT count(*) FROM Z_2TAGS") == .integer(4))
    try fixture.check()
  }

  @Test func `a save that fails leaves the store and the unsaved changes as they were`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    try context.insert(Tag.self) { $0.name = "same" }
    try context.save()
    let second = try context.insert(Tag.self) { $0.name = "same" }

    #expect(throws: SaveError.self) { try context.save() }
    #expect(second.isInserted)
    #expect(second.objectID.isTemporary)
    second.name = "other"
    try context.save()

    #expect(try fixture.store.newContext().fetch(Tag.self).count == 2)
    try fixture.check()
  }

  @Test func `a save for which there is no room changes nothing, and succeeds when there is`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let note = try context.insert(Note.self) { $0.title = "before" }
    try context.save()
    let pages = try #require(try context.connection.first("PRAGMA page_count"))
    guard case .integer(let count) = pages else { return }
    try context.connection.execute(script: "PRAGMA max_page_count = \(count + 2)")

    note.title = "after"
    for number in 0..<2_000 { _ = try context.insert(Note.self) { $0.title = "note \(number)" } }
    #expect {
      try context.save()
    } throws: { error in
      guard case .database(let cause)? = (error as? StoreError)?.reason else { return false }
      return cause.code == .full
    }

    #expect(note.title == "after" && context.hasChanges)
    #expect(try fixture.store.newContext().fetch(Note.self).map(\.title) == ["before"])
    try context.connection.execute(script: "PRAGMA max_page_count = 100000")
    try context.save()
    #expect(try fixture.store.newContext().count(FetchRequest<Note>()) == 2_001)
    try fixture.check()
  }

  @Test func `deleting an object takes with it what its cascades reach and cuts all other links`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let root = try context.insert(Folder.self) { $0.name = "root" }
    let child = try context.insert(Folder.self) { $0.name = "child" }
    root.children = [child]
    let tag = try context.insert(Tag.self) { $0.name = "tag" }
    let note = try context.insert(Note.self)
    note.folder = child
    note.tags = [tag]
    try context.save()

    context.delete(root)
    #expect(child.isDeleted && note.isDeleted)
    #expect(tag.notes.isEmpty)
    try context.save()

    #expect(try context.fetch(Folder.self).isEmpty)
    #expect(try context.fetch(Note.self).isEmpty)
    #expect(note.isGone && note.context == nil)
    #expect(try context.connection.first("SELECT count(*) FROM Z_2TAGS") == .integer(0))
    try fixture.check()
  }

  @Test func `members of an ordered relationship keep their order through saves and moves`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let root = try context.insert(Folder.self)
    let children = try ["a", "b", "c", "d"].map { name in try context.insert(Folder.self) { $0.name = name } }
    root.children = children
    try context.save()
    root.$children.insert(children[3], at: 1)
    root.$children.remove(children[0])
    try context.save()

    let other = try fixture.store.newContext()
    let found = try #require(try other.first(Folder.self, where: \.parent == nil && \.name == ""))
    #expect(found.children.map(\.name) == ["d", "b", "c"])
    try fixture.check()
  }

  @Test func `an object that was changed elsewhere is not overwritten`() throws {
    let fixture = try TemporaryStore()
    let first = try fixture.store.newContext()
    try first.insert(Note.self) { $0.title = "old" }
    try first.save()
    let second = try fixture.store.newContext()
    second.mergesChangesAutomatically = false
    let mine = try #require(try second.fetch(Note.self).first)
    let theirs = try #require(try first.fetch(Note.self).first)
    theirs.title = "theirs"
    try first.save()
    mine.title = "mine"

    let error = #expect(throws: SaveError.self) { try second.save() }
    guard case .conflict(_, isDeleted: false)? = error?.problems.first else {
      Issue.record("expected a conflict")
      return
    }
    #expect(try fixture.store.newContext().fetch(Note.self).map(\.title) == ["theirs"])
  }

  @Test func `rollback brings back what was in the store`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let kept = try context.insert(Note.self) { $0.title = "kept" }
    let deleted = try context.insert(Note.self) { $0.title = "deleted" }
    let folder = try context.insert(Folder.self)
    try context.save()
    kept.title = "changed"
    kept.folder = folder
    context.delete(deleted)
    let new = try context.insert(Note.self)

    context.rollback()

    #expect(!context.hasChanges)
    #expect(kept.title == "kept" && kept.folder == nil && folder.notes.isEmpty)
    #expect(!deleted.isDeleted && new.isGone)
    try context.save()
    #expect(try context.fetch(Note.self).count == 2)
  }

  @Test func `all mistakes of a save are reported together`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Item",
        attributes: [
          AttributeDescription("name", .string, isOptional: false),
          AttributeDescription(
            "code", .string, validation: AttributeValidation(maximumLength: 3, pattern: "[a-z]+")),
          AttributeDescription("count", .integer16, validation: AttributeValidation(minimum: .integer(1))),
        ])
    ])
    let fixture = try TemporaryStore(model)
    let context = try fixture.store.newContext()
    let item = try context.insert(entity: "Item")
    item["code"] = .string("UPPER")
    item["count"] = .integer(0)
    item["nothing"] = .integer(0)

    let error = #expect(throws: SaveError.self) { try context.save() }

    #expect(error?.problems.count == 5)
    #expect(try fixture.store.newContext().count(FetchRequest<ManagedObject>(entity: "Item")) == 0)
  }

  @Test
  func `a result that is no number is refused by the save, for a store would keep nothing in its place`()
    throws
  {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let note = try context.insert(Note.self) { $0.weight = .nan }

    let error = #expect(throws: SaveError.self) { try context.save() }
    #expect(error?.description.contains("weight is no number") == true)

    note.weight = .infinity
    try context.save()
  }

  @Test func `a text is saved that looks like the one before and is written otherwise`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let note = try context.insert(Note.self) { $0.title = "\u{e9}" }
    try context.save()

    note.title = "e\u{301}"
    try context.save()

    let stored = try #require(try fixture.store.newContext().fetch(Note.self).first)
    #expect(Array(stored.title.utf8) == Array("e\u{301}".utf8))
  }
}
