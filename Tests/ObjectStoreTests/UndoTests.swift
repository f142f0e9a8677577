import Foundation
import ObjectStore
import Testing

@Suite struct UndoTests {
  private func context(_ fixture: TemporaryStore) throws -> ManagedObjectContext {
    let context = try fixture.store.newContext()
    context.undoIsEnabled = true
    return context
  }

  @Test func `nothing can be undone unless it was asked for`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let note = try context.insert(Note.self) { $0.title = "kept" }

    #expect(!context.canUndo)
    #expect(context.undo().isEmpty)
    #expect(note.isInserted && note.title == "kept")

    context.undoIsEnabled = true
    note.title = "changed"
    context.undo()
    #expect(note.isInserted && note.title == "kept")
    context.undoIsEnabled = false
    note.title = "changed"
    #expect(!context.canUndo && !context.canRedo)
  }

  @Test func `a group is one step, and groups within it are part of it`() throws {
    let fixture = try TemporaryStore()
    let context = try context(fixture)
    let note = try context.undoGroup("New Note") { try context.insert(Note.self) { $0.title = "a" } }
    context.undoGroup("Rename") {
      note.title = "b"
      context.undoGroup {
        note.stars = 2
        #expect(!context.canUndo)
      }
      note.title = "c"
    }

    #expect(context.undoName == "Rename")
    context.undo()
    #expect(note.title == "a" && note.stars == 0)
    #expect(context.undoName == "New Note" && context.redoName == "Rename")
    context.undo()
    #expect(note.isGone && !context.canUndo && !context.hasChanges)
    context.redo()
    context.redo()
    #expect(note.isInserted && note.title == "c" && note.stars == 2)
    #expect(!context.canRedo && context.undoName == "Rename")
  }

  @Test func `a group that fails is a step all the same`() throws {
    struct Failure: Error {}
    let fixture = try TemporaryStore()
    let context = try context(fixture)
    let note = try context.undoGroup { try context.insert(Note.self) }
    #expect(throws: Failure.self) {
      try context.undoGroup {
        note.title = "half"
        throw Failure()
      }
    }
    context.undo()
    #expect(note.title == "" && note.isInserted)
  }

  @Test func `changes outside of groups are one step until something ends it`() throws {
    let fixture = try TemporaryStore()
    let context = try context(fixture)
    let note = try context.insert(Note.self)
    note.title = "a"
    context.closeUndoStep()
    note.title = "b"
    note.stars = 1
    try context.save()
    note.title = "c"

    context.undo()
    #expect(note.title == "b")
    context.undo()
    #expect(note.title == "a" && note.stars == 0)
    context.undo()
    #expect(note.isDeleted)
  }

  @Test func `a new change forgets what was undone`() throws {
    let fixture = try TemporaryStore()
    let context = try context(fixture)
    let note = try context.undoGroup { try context.insert(Note.self) }
    context.undoGroup { note.title = "a" }
    context.undo()
    #expect(context.canRedo)
    note.title = "b"
    #expect(!context.canRedo)
    context.redo()
    #expect(note.title == "b")
  }

  @Test func `only as many steps are kept as are asked for`() throws {
    let fixture = try TemporaryStore()
    let context = try context(fixture)
    context.undoLimit = 2
    let note = try context.insert(Note.self)
    for number in 1...5 { context.undoGroup { note.stars = Int16(number) } }
    context.undo()
    context.undo()
    #expect(note.stars == 3 && !context.canUndo)
  }

  @Test func `a deleted object comes back as it was, with its relationships on both sides`() throws {
    let fixture = try TemporaryStore()
    let context = try context(fixture)
    let root = try context.insert(Folder.self) { $0.name = "root" }
    let names = ["a", "b", "c"]
    root.children = try names.map { name in try context.insert(Folder.self) { $0.name = name } }
    let tag = try context.insert(Tag.self) { $0.name = "tag" }
    let note = try context.insert(Note.self) { $0.title = "note" }
    note.folder = root.children[1]
    note.tags = [tag]
    try context.save()
    let middle = root.children[1]
    let identifiers = [middle.objectID, note.objectID]

    context.undoGroup { context.delete(middle) }
    #expect(root.children.map(\.name) == ["a", "c"] && note.isDeleted && tag.notes.isEmpty)
    context.undo()

    #expect(root.children.map(\.name) == names)
    #expect(note.folder === middle && middle.notes == [note] && tag.notes == [note])
    #expect(!context.hasChanges || context.deletedObjects.isEmpty)
    try context.save()

    context.redo()
    try context.save()
    #expect(note.isGone && middle.isGone)
    context.undo()
    #expect(middle.isInserted && [middle.objectID, note.objectID] == identifiers)
    try context.save()

    let other = try fixture.store.newContext()
    let found = try #require(other.object(for: identifiers[0]) as? Folder)
    #expect(found.name == "b" && found.parent?.children.map(\.name) == names)
    #expect(found.notes.first?.tags.map(\.name) == ["tag"])
    #expect(try context.connection.first("SELECT count(*) FROM ZFOLDER") == .integer(4))
    try fixture.check()
  }

  @Test func `an object that was never saved comes back with its temporary identifier`() throws {
    let fixture = try TemporaryStore()
    let context = try context(fixture)
    let folder = try context.insert(Folder.self)
    let note = try context.insert(Note.self) { $0.folder = folder }
    let identifier = note.objectID
    context.undoGroup { context.delete(note) }
    try context.save()

    context.undo()

    #expect(note.objectID == identifier && context.object(for: identifier) === note)
    #expect(note.folder === folder && folder.notes == [note])
    try context.save()
    let other = try fixture.store.newContext()
    #expect(try other.fetch(Note.self).first?.folder?.objectID == folder.objectID)
    try fixture.check()
  }

  @Test func `rollback and reset forget all steps`() throws {
    let fixture = try TemporaryStore()
    let context = try context(fixture)
    let note = try context.insert(Note.self)
    try context.save()
    context.undoGroup { note.title = "a" }
    context.undo()
    context.undoGroup { note.title = "b" }
    context.rollback()
    #expect(!context.canUndo && !context.canRedo && note.title == "")
    note.title = "c"
    context.reset()
    #expect(!context.canUndo)
  }

  @Test func `changes that others commit are in no step and survive an undo`() throws {
    let fixture = try TemporaryStore()
    let context = try context(fixture)
    let note = try context.insert(Note.self) { $0.title = "a" }
    try context.save()
    context.undoGroup { note.title = "b" }
    try context.save()
    let other = try fixture.store.newContext()
    let theirs = try #require(try other.fetch(Note.self).first)
    theirs.stars = 5
    try other.save()

    context.undo()

    #expect(note.title == "a" && note.stars == 5)
    try context.save()
    context.undo()
    #expect(note.isDeleted && !context.canUndo)
    context.redo()
    #expect(!note.isDeleted && note.stars == 5)
  }

  @Test func `what others deleted is passed over and named`() throws {
    let fixture = try TemporaryStore()
    let context = try context(fixture)
    let kept = try context.insert(Note.self) { $0.title = "kept" }
    let doomed = try context.insert(Note.self) { $0.title = "doomed" }
    let folder = try context.insert(Folder.self)
    try context.save()
    context.undoGroup {
      kept.title = "changed"
      doomed.title = "changed"
      doomed.folder = folder
    }
    try context.save()
    let other = try fixture.store.newContext()
    other.delete(try #require(other.object(for: doomed.objectID)))
    try other.save()

    let missing = context.undo()

    #expect(missing == [doomed] && doomed.isGone)
    #expect(kept.title == "kept" && folder.notes.isEmpty)
    try context.save()
    #expect(try fixture.store.newContext().fetch(Note.self).map(\.title) == ["kept"])
    try fixture.check()
  }

  @Test func `a deletion that others made too is not taken back by half`() throws {
    let fixture = try TemporaryStore()
    let context = try context(fixture)
    let note = try context.insert(Note.self) { $0.title = "note" }
    try context.save()
    context.undoGroup { context.delete(note) }
    let other = try fixture.store.newContext()
    other.delete(try #require(try other.fetch(Note.self).first))
    try other.save()

    #expect(context.undo() == [note])
    #expect(note.isGone && !context.hasChanges)
    try context.save()
    #expect(try context.count(FetchRequest<Note>()) == 0)
  }

  @Test func `an object comes back as others have left it`() throws {
    let fixture = try TemporaryStore()
    let context = try context(fixture)
    let note = try context.insert(Note.self) { $0.title = "old" }
    try context.save()
    context.undoGroup { context.delete(note) }
    let other = try fixture.store.newContext()
    try #require(try other.fetch(Note.self).first).title = "theirs"
    try other.save()

    context.undo()

    #expect(note.title == "theirs")
    note.stars = 1
    try context.save()
    #expect(try fixture.store.newContext().fetch(Note.self).map(\.title) == ["theirs"])
  }

  @Test func `changes that are made without undo are in no step`() throws {
    let fixture = try TemporaryStore()
    let context = try context(fixture)
    let note = try context.insert(Note.self)
    context.closeUndoStep()
    context.undoGroup { note.title = "a" }
    context.withoutUndo { note.stars = 4 }
    context.undo()
    #expect(note.title == "" && note.stars == 4)
    context.redo()
    #expect(note.title == "a")
  }
}
