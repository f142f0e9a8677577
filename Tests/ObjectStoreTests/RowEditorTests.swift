import ObjectStore
import TICDSSQLite
import Testing

@Suite struct RowEditorTests {
  @Test func `rows that are written without objects are objects to a context`() throws {
    let fixture = try TemporaryStore()
    let model = fixture.store.model
    let note = try #require(model.entity(for: Note.self))
    let folder = try #require(model.entity(for: Folder.self))
    let tag = try #require(model.entity(for: Tag.self))
    let title = try #require(note.index(of: "title"))
    let stars = try #require(note.index(of: "stars"))
    let place = try #require(note.index(of: "folder"))
    let name = try #require(tag.index(of: "name"))
    let join = try #require(fixture.store.schema.joins.first)
    let connection = try fixture.store.newConnection()
    let editor = RowEditor(schema: fixture.store.schema, connection: connection)

    try connection.transaction {
      let home = try editor.allocateKeys(folder.index)
      try editor.insert(folder.index, key: home, [(name, .string("home"))])
      let first = try editor.allocateKeys(note.index, count: 2)
      try editor.insert(
        note.index, key: first,
        [(title, .string("one")), (place, .reference(entity: Int32(folder.index), key: home))])
      try editor.insert(note.index, key: first + 1, [(title, .string("two"))])
      #expect(try editor.update(note.index, key: first, [(stars, .integer(4)), (title, .string("uno"))]))
      #expect(try !editor.update(note.index, key: 99, [(stars, .integer(4))]))
      #expect(try editor.setTarget(note.index, key: first + 1, property: place, target: (folder.index, home)))
      let label = try editor.allocateKeys(tag.index)
      try editor.insert(tag.index, key: label, [(name, .string("label"))])
      try editor.link(join.index, source: first, target: label)
      try editor.link(join.index, source: first, target: label)
      #expect(try editor.isLinked(join.index, source: first, target: label))
      #expect(try editor.linkedKeys(join.index, target: label) == [first])
      #expect(try editor.key(note.index, property: title, equals: .string("uno")) == first)
      #expect(try editor.key(note.index, property: title, equals: .string("one")) == nil)
      #expect(try editor.read(note.index, key: first, [stars, title]) == [.integer(4), .string("uno")])
      #expect(try editor.read(note.index, key: 99, [stars]) == nil)
    }

    let context = try fixture.store.newContext()
    let notes = try context.fetch(FetchRequest<Note>().sorted(by: \.title))
    #expect(notes.map(\.title) == ["two", "uno"])
    #expect(notes.map { $0.folder?.name } == ["home", "home"])
    #expect(notes[1].tags.map(\.name) == ["label"])

    try connection.transaction { () throws in
      #expect(try editor.delete(folder.index, key: 1))
      #expect(try editor.delete(tag.index, key: 1))
      #expect(try !editor.delete(tag.index, key: 1))
    }
    fixture.store.announce(
      ObjectChanges(
        updated: notes.map(\.objectID),
        deleted: [fixture.store.objectID(folder, key: 1), fixture.store.objectID(tag, key: 1)]))
    context.mergePendingChanges()
    #expect(notes.map { $0.folder?.name } == [nil, nil])
    #expect(notes[1].tags.isEmpty)
    try context.insert(Note.self) { $0.title = "three" }
    try context.save()
    #expect(try editor.key(note.index, property: title, equals: .string("three")) == 3)
    try fixture.check()
  }
}
