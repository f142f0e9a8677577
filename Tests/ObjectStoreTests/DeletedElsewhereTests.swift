import ObjectStore
import TICDSSQLite
import Testing

/// Relationships to objects that are not there any more, because another context, or this one, has deleted them.
@Suite struct DeletedElsewhereTests {
  private let fixture: TemporaryStore
  private let mine: ManagedObjectContext
  private let theirs: ManagedObjectContext
  private let folder: Folder
  private let tag: Tag

  init() throws {
    fixture = try TemporaryStore()
    mine = try fixture.store.newContext()
    theirs = try fixture.store.newContext()
    folder = try mine.insert(Folder.self) { $0.name = "shelf" }
    tag = try mine.insert(Tag.self) { $0.name = "green" }
    try mine.save()
  }

  private func deleteTheirs(_ object: ManagedObject) throws {
    theirs.delete(try #require(try theirs.existingObject(for: object.objectID)))
    try theirs.save()
  }

  private func expectNoPhantom() throws {
    let fresh = try fixture.store.newContext()
    for note in try fresh.fetch(Note.self) { #expect(note.folder == nil && note.tags.isEmpty) }
    let connection = try Connection(path: fixture.path)
    #expect(try connection.first("SELECT count(*) FROM ZNOTE WHERE ZFOLDER IS NOT NULL") == .integer(0))
    try fixture.check()
  }

  private func refusal(_ context: ManagedObjectContext) -> String? {
    let error = #expect(throws: SaveError.self) { try context.save() }
    for case .danglingReference(_, let property, _) in error?.problems ?? [] { return property }
    return String(describing: error)
  }

  @Test(arguments: [true, false])
  func `a new object that leads to one is not saved, and can be once it leads elsewhere`(merges: Bool) throws
  {
    mine.mergesChangesAutomatically = merges
    let note = try mine.insert(Note.self) { $0.folder = folder }
    try deleteTheirs(folder)

    #expect(refusal(mine) == "folder")
    try expectNoPhantom()

    note.folder = nil
    try mine.save()
    try expectNoPhantom()
  }

  @Test func `one that is set to lead to an object of which nothing but the identifier is left is not saved`()
    throws
  {
    let note = try mine.insert(Note.self)
    try mine.save()
    try deleteTheirs(folder)
    note.folder = try fixture.store.newContext().object(for: folder.objectID) == nil ? nil : folder
    let other = try fixture.store.newContext()
    let held = try #require(try other.existingObject(for: note.objectID) as? Note)
    held.folder = other.object(for: folder.objectID) as? Folder

    if held.folder != nil { #expect(refusal(other) == "folder") }
    try expectNoPhantom()
  }

  @Test func `one that leads to an object which the same save deletes is not saved`() throws {
    let note = try mine.insert(Note.self)
    try mine.save()
    mine.delete(folder)
    note.folder = folder

    #expect(refusal(mine) == "folder")
    note.folder = nil
    try mine.save()
    try expectNoPhantom()
  }

  @Test func `a member of a relationship to many that was deleted is not linked`() throws {
    mine.mergesChangesAutomatically = false
    let note = try mine.insert(Note.self) { $0.tags = [tag] }
    try deleteTheirs(tag)

    #expect(refusal(mine) == "tags")
    note.tags = []
    try mine.save()
    try expectNoPhantom()
  }

  @Test(arguments: [MergePolicy.storeWins, .objectWins])
  func `under a policy what led to it leads to nothing`(policy: MergePolicy) throws {
    mine.mergePolicy = policy
    let note = try mine.insert(Note.self) {
      $0.folder = folder
      $0.tags = [tag]
    }
    try deleteTheirs(folder)
    try deleteTheirs(tag)

    try mine.save()

    #expect(note.folder == nil && note.tags.isEmpty)
    try expectNoPhantom()
  }
}
