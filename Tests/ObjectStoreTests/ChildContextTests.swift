import Foundation
import ObjectStore
import TICDSSQLite
import Testing

@Suite struct ChildContextTests {
  private final class Recorder: SaveParticipant {
    var inserted: [ManagedObject] = []
    var rows: [RowChange.Kind] = []

    func contextDidInsert(_ object: ManagedObject) { inserted.append(object) }
    func contextWillCommit(_ changes: SaveChanges, on connection: Connection) {
      rows += changes.rows.map(\.kind)
    }
  }

  @Test func `a child sees what its parent has not saved`() throws {
    let fixture = try TemporaryStore()
    let parent = try fixture.store.newContext()
    let stored = try parent.insert(Note.self) { $0.title = "stored" }
    let deleted = try parent.insert(Note.self) { $0.title = "deleted" }
    try parent.save()
    stored.title = "changed"
    parent.delete(deleted)
    let folder = try parent.insert(Folder.self) { $0.name = "new" }
    stored.folder = folder

    let child = parent.makeChild()
    let notes = try child.fetch(Note.self)

    #expect(notes.map(\.title) == ["changed"])
    #expect(notes.first !== stored && notes.first?.objectID == stored.objectID)
    #expect(notes.first?.folder?.name == "new" && notes.first?.folder !== folder)
    #expect(try child.first(Folder.self, where: \.name == "new")?.notes == Set(notes))
    #expect(try child.count(FetchRequest<Note>()) == 1)
    #expect(child.object(for: folder.objectID) === notes.first?.folder)
    #expect(child.object(for: deleted.objectID)?.entity.name == "Note")
    #expect(!child.hasChanges && child.parent === parent)
  }

  @Test func `what a child computes counts the changes of both`() throws {
    let fixture = try TemporaryStore()
    let parent = try fixture.store.newContext()
    let folder = try parent.insert(Folder.self) { $0.name = "f" }
    for stars in 1...3 {
      try parent.insert(Note.self) {
        $0.stars = Int16(stars)
        $0.folder = folder
      }
    }
    try parent.save()
    try #require(try parent.first(Note.self, where: \.stars == 3)).stars = 5
    let child = parent.makeChild()
    let request = FetchRequest<Note>().where(\.stars > 1)

    #expect(try child.value(of: .sum(\.stars), from: request) == 7)
    #expect(try child.fetch(Folder.self, where: .any(\.$notes, where: \.stars == 5)).count == 1)
    try child.insert(Note.self) { $0.stars = 10 }
    #expect(try child.value(of: .sum(\.stars), from: request) == 17)
    #expect(try child.fetch(request.sorted(by: \.stars, .descending).limit(2)).map(\.stars) == [10, 5])
    #expect(try parent.value(of: .sum(\.stars), from: request) == 7)
  }

  @Test func `a child's save changes its parent and not the store`() throws {
    let fixture = try TemporaryStore()
    let parent = try fixture.store.newContext()
    let note = try parent.insert(Note.self) { $0.title = "old" }
    let doomed = try parent.insert(Note.self)
    try parent.save()
    let child = parent.makeChild()
    let mine = try #require(child.object(for: note.objectID) as? Note)
    mine.title = "new"
    mine.folder = try child.insert(Folder.self) { $0.name = "folder" }
    mine.tags = [try child.insert(Tag.self) { $0.name = "tag" }]
    child.delete(try #require(child.object(for: doomed.objectID)))
    #expect(note.title == "old" && !parent.hasChanges)

    try child.save()

    #expect(!child.hasChanges && parent.hasChanges)
    #expect(note.title == "new" && note.folder?.name == "folder" && note.tags.map(\.name) == ["tag"])
    #expect(doomed.isDeleted)
    let other = try fixture.store.newContext()
    #expect(try other.fetch(Note.self).map(\.title).sorted() == ["", "old"])

    try parent.save()
    let saved = try other.fetch(Note.self)
    #expect(saved.map(\.title) == ["new"])
    #expect(saved.first?.folder?.name == "folder" && saved.first?.tags.count == 1)
    try fixture.check()
  }

  @Test func `identifiers become permanent in all contexts when the store has the objects`() throws {
    let fixture = try TemporaryStore()
    let parent = try fixture.store.newContext()
    let child = parent.makeChild()
    let grandchild = child.makeChild()
    let folder = try grandchild.insert(Folder.self) { $0.name = "f" }
    let note = try grandchild.insert(Note.self) { $0.folder = folder }
    let identifier = note.objectID
    try grandchild.save()
    let middle = try #require(child.object(for: identifier) as? Note)
    #expect(middle.isInserted && !note.isInserted && note.objectID == identifier && identifier.isTemporary)
    let unsaved = try grandchild.insert(Note.self) { $0.folder = folder }
    try child.save()
    try parent.save()

    #expect(!note.objectID.isTemporary && note.objectID == middle.objectID)
    #expect(note.folder === folder && folder.notes == [note, unsaved])
    #expect(unsaved.objectID.isTemporary && unsaved.isInserted)
    try grandchild.save()
    try child.save()
    try parent.save()
    #expect(try fixture.store.newContext().count(FetchRequest<Note>().where(\.folder != nil)) == 2)
    try fixture.check()
  }

  @Test func `a batch in a child is told to the participants and seen by both`() throws {
    let fixture = try TemporaryStore()
    let parent = try fixture.store.newContext()
    let recorder = Recorder()
    parent.addParticipant(recorder)
    let note = try parent.insert(Note.self) { $0.title = "old" }
    try parent.save()
    let child = parent.makeChild()
    let mine = try #require(try child.fetch(Note.self).first)
    let live = try child.liveResults(for: FetchRequest<Note>().sorted(by: \.title))

    try child.insertRows(Note.self, from: ["new"]) { $0[\.title] = $1 }
    try child.updateRows(FetchRequest<Note>().where(\.title == "old"), .set(\.stars, to: 2))

    #expect(recorder.rows == [.inserted, .inserted, .updated])
    #expect(mine.stars == 2 && note.stars == 2)
    #expect(live.objects.map(\.title) == ["new", "old"])
    mine.title = "a"
    child.undoIsEnabled = true
    try child.processPendingChanges()
    #expect(live.objects.map(\.title) == ["a", "new"])
    try fixture.check()
  }

  @Test func `rollback in a child drops its changes alone`() throws {
    let fixture = try TemporaryStore()
    let parent = try fixture.store.newContext()
    let note = try parent.insert(Note.self) { $0.title = "old" }
    try parent.save()
    note.title = "of the parent"
    let child = parent.makeChild()
    let mine = try #require(child.object(for: note.objectID) as? Note)
    mine.title = "of the child"
    try child.insert(Note.self)

    child.rollback()

    #expect(mine.title == "of the parent" && !child.hasChanges && note.hasChanges)
    #expect(try child.count(FetchRequest<Note>()) == 1)
  }

  @Test func `participants are told when the changes reach the store`() throws {
    let fixture = try TemporaryStore()
    let parent = try fixture.store.newContext()
    let child = parent.makeChild()
    let grandchild = child.makeChild()
    let recorder = Recorder()
    child.addParticipant(recorder)
    let note = try grandchild.insert(Note.self)
    try grandchild.save()
    #expect(recorder.inserted.isEmpty && recorder.rows.isEmpty)
    try child.save()
    #expect(
      recorder.inserted.map(\.objectID) == [note.objectID] && recorder.inserted.first?.context === parent)
    #expect(recorder.rows.isEmpty)
    try parent.save()
    #expect(recorder.rows == [.inserted] && recorder.inserted.count == 1)
  }

  @Test(arguments: [false, true])
  func `a deletion that both a child and its parent take back is taken back once`(isSavedBetween: Bool) throws
  {
    let fixture = try TemporaryStore()
    let parent = try fixture.store.newContext()
    parent.undoIsEnabled = true
    let note = try parent.insert(Note.self) { $0.title = "old" }
    try parent.save()
    let child = parent.makeChild()
    child.undoIsEnabled = true
    child.delete(try #require(child.object(for: note.objectID)))
    try child.save()
    if isSavedBetween { try parent.save() }

    parent.undo()
    child.undo()
    try child.save()
    try parent.save()

    #expect(try fixture.store.newContext().fetch(Note.self).map(\.title) == ["old"])
    try fixture.check()
  }

  @Test func `the changes of a child are one step of its parent's undo`() throws {
    let fixture = try TemporaryStore()
    let parent = try fixture.store.newContext()
    parent.undoIsEnabled = true
    let note = try parent.insert(Note.self) { $0.title = "old" }
    let child = parent.makeChild()
    child.undoIsEnabled = true
    let mine = try #require(child.object(for: note.objectID) as? Note)
    mine.title = "new"
    child.closeUndoStep()
    let folder = try child.insert(Folder.self)
    mine.folder = folder
    try child.save()

    parent.undo()
    #expect(note.title == "old" && note.folder == nil)
    parent.redo()
    #expect(note.title == "new" && note.folder?.objectID == folder.objectID)

    child.undo()
    #expect(mine.folder == nil && folder.isDeleted && note.folder != nil)
    child.undo()
    try child.save()
    #expect(note.title == "old" && note.folder == nil)
  }

  @Test func `a child takes up what its parent changed, and keeps what it changed itself`() throws {
    let fixture = try TemporaryStore()
    let parent = try fixture.store.newContext()
    let note = try parent.insert(Note.self) { $0.title = "old" }
    let child = parent.makeChild()
    let mine = try #require(try child.fetch(Note.self).first)
    mine.title = "of the child"
    note.title = "of the parent"
    note.stars = 3

    child.mergePendingChanges()
    #expect(mine.title == "of the child" && mine.stars == 3)
    try child.save()
    #expect(note.title == "of the child" && note.stars == 3)
  }

  @Test func `what the parent deleted cannot be saved by the child`() throws {
    let fixture = try TemporaryStore()
    let parent = try fixture.store.newContext()
    let note = try parent.insert(Note.self)
    try parent.save()
    let child = parent.makeChild()
    try #require(child.object(for: note.objectID) as? Note).title = "changed"
    parent.delete(note)

    let error = #expect(throws: SaveError.self) { try child.save() }
    guard case .conflict(note.objectID, isDeleted: true)? = error?.problems.first, error?.problems.count == 1
    else {
      Issue.record("expected a conflict")
      return
    }
    child.mergePolicy = .objectWins
    try child.save()
    #expect(!child.hasChanges && note.isDeleted)
  }

  @Test func `a child checks its changes before its parent has them`() throws {
    let fixture = try TemporaryStore(
      ManagedObjectModel(entities: [
        EntityDeclaration("Item", attributes: [AttributeDescription("name", .string, isOptional: false)])
      ]))
    let parent = try fixture.store.newContext()
    let child = parent.makeChild()
    try child.insert(entity: "Item")
    #expect(throws: SaveError.self) { try child.save() }
    #expect(!parent.hasChanges && child.hasChanges)
  }

  @Test func `objects of one context are refused by every other, its child and its parent among them`() throws
  {
    let fixture = try TemporaryStore()
    let parent = try fixture.store.newContext()
    let child = parent.makeChild()
    let stranger = try fixture.store.newContext()
    let folder = try child.insert(Folder.self)
    let tag = try child.insert(Tag.self)
    let uses: [(ManagedObjectContext) throws -> Void] = [
      { try $0.insert(Note.self).folder = folder },
      { try $0.insert(Note.self).tags = [tag] },
      { try $0.insert(Note.self).$tags.insert(tag) },
      { try $0.insert(Note.self).$tags.remove(tag) },
      { try $0.insert(Folder.self).$children.insert(folder, at: 0) },
      { $0.delete(folder) },
      { $0.refresh(folder) },
    ]
    for other in [parent, stranger] {
      for use in uses {
        try use(other)
        let error = #expect(throws: SaveError.self) { try other.save() }
        switch error?.problems.first {
        case .misuse(.foreignObject)?, .misuse(.objectOfAnotherContext)?: break
        default: Issue.record("expected a refusal, not \(String(describing: error))")
        }
        other.rollback()
      }
    }
    #expect(folder.isInserted && folder.context === child && tag.notes.isEmpty)
  }
}
