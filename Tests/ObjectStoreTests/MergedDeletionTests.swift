import ObjectStore
import Testing

/// Objects that are deleted here while others make their own lead to them.
@Suite struct MergedDeletionTests {
  private let fixture: TemporaryStore
  private let mine: ManagedObjectContext
  private let folder: Folder

  init() throws {
    fixture = try TemporaryStore()
    mine = try fixture.store.newContext()
    folder = try mine.insert(Folder.self) { $0.name = "folder" }
    try mine.insert(Note.self) { $0.title = "note" }
    try mine.save()
  }

  /// Deletes the folder here, and puts the note into it elsewhere.
  private func delete() throws {
    mine.delete(folder)
    let theirs = try fixture.store.newContext()
    let note = try #require(try theirs.fetch(Note.self).first)
    note.folder = try theirs.fetch(Folder.self).first
    try theirs.save()
  }

  /// The note's folder, and how many keys lead to none.
  private func stored() throws -> [String?] {
    let context = try fixture.store.newContext()
    let dangling = try context.connection.first(
      "SELECT count(*) FROM ZNOTE WHERE ZFOLDER IS NOT NULL AND ZFOLDER NOT IN (SELECT Z_PK FROM ZFOLDER)")
    #expect(dangling == .integer(0))
    return try context.fetch(Note.self).map { $0.folder?.name }
  }

  @Test(arguments: [MergePolicy.error, .storeWins, .objectWins, .rollback])
  func `what others have made lead to it leads nowhere then`(policy: MergePolicy) throws {
    mine.mergePolicy = policy
    try delete()
    try mine.save()
    #expect(try stored() == [nil])
    #expect(try mine.fetch(Note.self).map { $0.folder } == [nil])
  }

  final class Owner: ManagedObject {
    @Attribute var name: String = ""
    @ToMany(deleteRule: .deny) var things: Set<Thing>
  }

  final class Thing: ManagedObject {
    @Attribute var name: String = ""
    @ToOne(inverse: \Owner.things) var owner: Owner?
  }

  @Test func `a rule that denies the deletion denies it for what others have made lead to it, too`() throws {
    let fixture = try TemporaryStore(ManagedObjectModel(Owner.self, Thing.self))
    let (mine, theirs) = (try fixture.store.newContext(), try fixture.store.newContext())
    mine.mergePolicy = .objectWins
    let owner = try mine.insert(Owner.self)
    try mine.insert(Thing.self)
    try mine.save()
    mine.delete(owner)
    let thing = try #require(try theirs.fetch(Thing.self).first)
    thing.owner = try theirs.fetch(Owner.self).first
    try theirs.save()

    let error = #expect(throws: SaveError.self) { try mine.save() }

    guard case .deletionDenied(_, "things")? = error?.problems.first else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try fixture.store.newContext().count(Thing.self, where: \.owner != nil) == 1)
  }
}
