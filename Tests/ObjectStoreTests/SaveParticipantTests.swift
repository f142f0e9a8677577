import ObjectStore
import TICDSSQLite
import Testing

/// Writes down what it is told.
private final class Recorder: SaveParticipant {
  struct Refused: Error {}
  var inserted: [String] = []
  var rows: [(kind: RowChange.Kind, entity: String, key: Int64, properties: [String])] = []
  var links: [LinkChange] = []
  var deletedTitles: [AttributeValue] = []
  var folders: [AttributeValue] = []
  var refuses = false
  var stamp: Int64 = 0

  func contextDidInsert(_ object: ManagedObject) { inserted.append(object.entity.name) }

  func contextWillSave(_ context: ManagedObjectContext) {
    for case let note as Note in context.insertedObjects where note.title.isEmpty { note.title = "untitled" }
  }

  func contextWillCommit(_ changes: SaveChanges, on connection: Connection) throws {
    for (index, row) in changes.rows.enumerated() {
      let entity = changes.object(at: index).entity
      rows.append(
        (
          row.kind, entity.name, row.primaryKey,
          row.changedProperties.indices.map { entity.properties[$0].name }
        ))
      guard entity.name == "Note", let title = entity.index(of: "title"),
        let folder = entity.index(of: "folder")
      else { continue }
      if row.kind == .deleted { deletedTitles.append(changes.value(of: title, at: index)) }
      if row.kind == .inserted { folders.append(changes.value(of: folder, at: index)) }
    }
    links += changes.links
    stamp += 1
    try connection.run("CREATE TABLE IF NOT EXISTS TICDS_LOG (stamp INTEGER)")
    try connection.run("INSERT INTO TICDS_LOG VALUES (?)", .integer(stamp))
    if refuses { throw Refused() }
  }
}

@Suite struct SaveParticipantTests {
  @Test func `a participant is told of every row and link of a save, once`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let recorder = Recorder()
    context.addParticipant(recorder)
    let folder = try context.insert(Folder.self) { $0.name = "f" }
    let note = try context.insert(Note.self) { $0.folder = folder }
    let tag = try context.insert(Tag.self) { $0.name = "t" }
    note.tags = [tag]
    try context.save()

    #expect(recorder.inserted == ["Folder", "Note", "Tag"])
    #expect(recorder.rows.map(\.entity) == ["Folder", "Note", "Tag"])
    #expect(recorder.rows.allSatisfy { $0.kind == .inserted && $0.key == 1 })
    #expect(note.title == "untitled")
    #expect(recorder.folders == [.reference(entity: Int32(folder.entity.index), key: 1)])
    #expect(recorder.links.count == 1)
    #expect(recorder.links.first?.sourceKey == 1 && recorder.links.first?.isAdded == true)

    recorder.rows = []
    recorder.links = []
    note.stars = 3
    note.title = "untitled"
    try context.save()
    #expect(recorder.rows.map(\.properties) == [["stars"]])

    recorder.rows = []
    context.delete(folder)
    try context.save()
    #expect(Set(recorder.rows.map(\.entity)) == ["Folder", "Note"])
    #expect(recorder.rows.allSatisfy { $0.kind == .deleted })
    #expect(recorder.deletedTitles == [.string("untitled")])
    #expect(recorder.links.count == 1 && recorder.links.first?.isAdded == false)
    try fixture.check()
  }

  @Test func `what a participant writes is committed with the rows, or not at all`() throws {
    let fixture = try TemporaryStore()
    let context = try fixture.store.newContext()
    let recorder = Recorder()
    context.addParticipant(recorder)
    try context.insert(Note.self)
    try context.save()
    recorder.refuses = true
    let note = try context.insert(Note.self)

    #expect(throws: Recorder.Refused.self) { try context.save() }

    #expect(note.isInserted && note.objectID.isTemporary)
    #expect(try context.connection.first("SELECT count(*) FROM TICDS_LOG") == .integer(1))
    #expect(try context.connection.first("SELECT count(*) FROM ZNOTE") == .integer(1))
    recorder.refuses = false
    try context.save()
    #expect(try context.connection.first("SELECT count(*) FROM TICDS_LOG") == .integer(2))
    // Tables of others do not make the store look foreign.
    _ = try PersistentStore(model: fixture.store.model, path: fixture.path, options: .init(access: .readOnly))
    try fixture.check()
  }
}
