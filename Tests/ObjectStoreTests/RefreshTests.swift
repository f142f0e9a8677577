import Foundation
import ObjectStore
import Testing

@Suite struct RefreshTests {
  @Test func `an object tells what it had, what it has and what is different`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let folder = try context.insert(Folder.self)
    let note = try context.insert(Note.self) { $0.title = "a" }
    #expect(note.changedValues == ["title": .string("a"), "stars": .integer(0)])
    try context.save()
    #expect(note.changedValues.isEmpty && !note.hasChanges)

    note.title = "b"
    note.stars = 1
    note.stars = 0
    note.folder = folder
    #expect(note.changedValues.keys.sorted() == ["folder", "title"])
    #expect(note.changedValues["title"] == .string("b") && note.committedValue("title") == .string("a"))
    #expect(note.committedValue("folder").isNull && note.hasChanges && note.isUpdated)
  }

  @Test func `a refreshed object has what the store has, and so have the other sides`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let folders = try (0..<2).map { number in try context.insert(Folder.self) { $0.name = "\(number)" } }
    let tag = try context.insert(Tag.self) { $0.name = "t" }
    let gone = try context.insert(Tag.self) { $0.name = "gone" }
    let note = try context.insert(Note.self) {
      $0.title = "a"
      $0.folder = folders[0]
      $0.tags = [gone]
    }
    try context.save()
    note.title = "b"
    note.folder = folders[1]
    note.tags = [tag]

    context.refresh(note)

    #expect(!note.hasChanges && !context.hasChanges)
    #expect(note.title == "a" && note.folder === folders[0] && note.tags == [gone])
    #expect(folders[0].notes == [note] && folders[1].notes.isEmpty)
    #expect(tag.notes.isEmpty && gone.notes == [note])
    try context.save()
    #expect(try context.connection.first("SELECT count(*) FROM Z_2TAGS") == .integer(1))
    try fixture.check()
  }

  @Test func `merging keeps what was changed here and takes the rest from the store`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    context.mergesChangesAutomatically = false
    let tags = try (0..<3).map { number in try context.insert(Tag.self) { $0.name = "\(number)" } }
    let note = try context.insert(Note.self) { $0.tags = [tags[0]] }
    try context.save()
    note.title = "mine"
    note.$tags.insert(tags[1])
    let other = try fixture.store.newContext()
    let theirs = try #require(try other.fetch(Note.self).first)
    theirs.title = "theirs"
    theirs.stars = 4
    theirs.$tags.insert(try #require(other.object(for: tags[2].objectID) as? Tag))
    try other.save()

    context.refresh(note, mergeChanges: true)

    #expect(note.title == "mine" && note.stars == 4 && note.tags == Set(tags))
    try context.save()
    #expect(try other.fetch(Note.self).first?.tags.count == 3)
  }

  @Test func `a change of links alone is told to other contexts`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let tag = try context.insert(Tag.self) { $0.name = "t" }
    let folder = try context.insert(Folder.self)
    let note = try context.insert(Note.self)
    try context.save()
    let other = try fixture.store.newContext()
    let theirs = try #require(try other.fetch(Note.self).first)
    let theirFolder = try #require(try other.fetch(Folder.self).first)
    #expect(theirs.tags.isEmpty && theirFolder.notes.isEmpty)

    note.tags = [tag]
    try context.save()
    other.mergePendingChanges()
    #expect(theirs.tags.count == 1)
    note.folder = folder
    try context.save()
    other.mergePendingChanges()
    #expect(theirFolder.notes == [theirs])
  }

  @Test func `an identifier gives an object at once, or only if there is one`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let note = try context.insert(Note.self)
    let temporary = note.objectID
    #expect(try context.existingObject(for: temporary) === note)
    try context.save()
    let other = try fixture.store.newContext()
    let promised = try #require(other.object(for: note.objectID))
    #expect(promised.isFault)
    #expect(try other.existingObject(for: note.objectID) === promised)
    #expect(!promised.isFault)
    #expect(try other.existingObject(for: temporary) == nil)
    let missing = fixture.store.objectID(note.entity, key: 99)
    #expect(try other.existingObject(for: missing) == nil)
    let fault = other.object(for: missing)
    #expect(fault?.isFault == true && fault?["title"].isNull == true && fault?.isGone == true)
    other.delete(promised)
    #expect(try other.existingObject(for: note.objectID) == nil)
  }
}
